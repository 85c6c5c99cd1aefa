"""Stacks in Python: of the standard library, and under gunicorn, uvicorn and aiohttp."""

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack

from tests.servers._daemon import free_port
from tests.servers.memcached import started_memcached

from bench.zoo import parts
from bench.zoo.parts import Dials, Site
from bench.zoo.setup import APPS, PYTHON
from bench.zoo.stack import (
    DATABASE,
    FRONT,
    ITEMS_ASKED,
    LIMITS,
    ORDERS_ASKED,
    QUOTES,
    ZooStack,
    front,
    with_defaults,
)


@contextlib.contextmanager
def _threads(site: Site, dials: Dials) -> Iterator[None]:
    site.port = free_port()
    folder = site.place("catalogue", {**dials, "port": site.port})
    argv = [str(PYTHON), str(APPS / "catalogue.py")]
    with parts.program(site, "server", argv, folder, site.port):
        yield


@contextlib.contextmanager
def _balanced(site: Site, dials: Dials) -> Iterator[None]:
    """Two catalogues behind an nginx that shares requests out by weight."""
    with ExitStack() as stack:
        servers = []
        for role, weight in (("first", dials["weight"]), ("second", 1)):
            port = free_port()
            folder = site.place(role, {**dials, "port": port})
            argv = [str(PYTHON), str(APPS / "catalogue.py")]
            stack.enter_context(parts.program(site, role, argv, folder, port))
            servers.append(f"127.0.0.1:{port} weight={weight} max_fails={dials['front_fails']}")
        stack.enter_context(front(site, dials, servers))
        yield


def gunicorn(application: str, port: int, dials: Dials) -> list[str]:
    """Command of a gunicorn with its workers."""
    words = [str(PYTHON), "-m", "gunicorn", application, f"--bind=127.0.0.1:{port}", f"--pythonpath={APPS}"]
    words += ["--no-control-socket", "--graceful-timeout=1", f"--worker-class={dials['class']}"]
    words += [f"--workers={dials['workers']}", f"--threads={dials['threads']}"]
    words += [f"--timeout={dials['timeout_s']}", f"--backlog={dials['backlog']}"]
    return [*words, f"--max-requests={dials['max_requests']}", f"--keep-alive={dials['idle_s']}"]


@contextlib.contextmanager
def _flask(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.postgresql(site, dials))
        settings = {**dials, "database": parts.dsn(database), "cache_port": 0}
        settings["quotes_port"] = stack.enter_context(parts.quotes(site, dials))
        if dials["cache"]:
            options = ("-t", "1", "-c", str(dials["cache_connections"]))
            memcached = stack.enter_context(started_memcached(site.folder, *options))
            site.pids["memcached"], settings["cache_port"] = memcached.pid, memcached.port
        site.port = port = free_port()
        folder = site.place("shop", settings)
        role = "upstream" if dials["front"] else "server"
        argv = gunicorn("flaskshop:create_app()", port, dials)
        stack.enter_context(parts.program(site, role, argv, folder, port))
        if dials["front"]:
            stack.enter_context(front(site, dials, [f"127.0.0.1:{port}"]))
        yield


@contextlib.contextmanager
def _django(site: Site, dials: Dials) -> Iterator[None]:
    with parts.postgresql(site, dials) as database:
        site.port = free_port()
        folder = site.place("shop", {**dials, "database": parts.dsn(database)})
        argv = gunicorn("djangoshop:application", site.port, dials)
        with parts.program(site, "server", argv, folder, site.port):
            yield


@contextlib.contextmanager
def _fastapi(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.postgresql(site, dials))
        quotes = stack.enter_context(parts.quotes(site, dials))
        site.port = free_port()
        folder = site.place("shop", {**dials, "database": parts.dsn(database), "quotes_port": quotes})
        argv = [str(PYTHON), "-m", "uvicorn", "asyncshop:app", "--port", str(site.port)]
        argv += ["--app-dir", str(APPS), "--no-access-log", "--backlog", str(dials["backlog"])]
        stack.enter_context(parts.program(site, "server", argv, folder, site.port))
        yield


@contextlib.contextmanager
def _aiohttp(site: Site, dials: Dials) -> Iterator[None]:
    with parts.quotes(site, dials) as quotes:
        site.port = free_port()
        folder = site.place("shop", {**dials, "port": site.port, "quotes_port": quotes})
        argv = [str(PYTHON), str(APPS / "events.py")]
        with parts.program(site, "server", argv, folder, site.port):
            yield


GUNICORN: Dials = {
    "class": "gthread", "workers": 2, "threads": 16, "timeout_s": 30, "backlog": 2048, "max_requests": 0,
    "idle_s": 5,
}  # fmt: skip
CATALOGUE = with_defaults(
    LIMITS, desks=200, wait_ms=0, lock_ms=0, journal_bytes=0, durable=False, kept_bytes=0, work=2_000,
    log_lines=0, backlog=512, accept_ms=0, statistics=0.0, split_writes=False, nagle=False, padding=0,
    archive_mb=0, idle_s=120, farewell_ms=0,
)  # fmt: skip
FLASK = with_defaults(
    LIMITS, DATABASE, QUOTES, GUNICORN, FRONT, front=False, pool=16, held=False, fresh_database=False,
    fresh_quotes=False, import_s=0.0, sums=0, report_share=0.0, report_s=0.0, kept_bytes=0, log_lines=0,
    work=2_000, statistics=0.0, cache=False, cache_connections=1024, keys=1_000, value_bytes=500,
    expires_s=60,
)  # fmt: skip

STACKS: Mapping[str, ZooStack] = {
    "threads": ZooStack(CATALOGUE, _threads, ITEMS_ASKED),
    "balanced": ZooStack(with_defaults(CATALOGUE, FRONT, weight=1), _balanced, ITEMS_ASKED),
    "flask": ZooStack(FLASK, _flask, ORDERS_ASKED),
    "sync": ZooStack({**FLASK, "class": "sync", "workers": 8, "threads": 1}, _flask, ORDERS_ASKED),
    "cached": ZooStack({**FLASK, "cache": True}, _flask, ORDERS_ASKED),
    "proxied": ZooStack({**FLASK, "front": True}, _flask, ORDERS_ASKED),
    "django": ZooStack(
        with_defaults(LIMITS, DATABASE, GUNICORN, report_ms=0, kept_s=60), _django, ORDERS_ASKED
    ),
    "fastapi": ZooStack(
        with_defaults(
            LIMITS, DATABASE, QUOTES, pool=20, held=False, fresh_database=False, fresh_quotes=False,
            block_share=0.0, block_ms=0, collected=0.0, live=0, kept_bytes=0, log_lines=0, lines=5,
            backlog=2048, report_ms=0,
        ),
        _fastapi, ORDERS_ASKED,
    ),
    "aiohttp": ZooStack(
        with_defaults(
            LIMITS, QUOTES, lines=100, fresh_quotes=False, block_share=0.0, block_ms=0, lock_ms=0,
            kept_bytes=0, work=1_000, backlog=512,
        ),
        _aiohttp, ITEMS_ASKED,
    ),
}  # fmt: skip
"""Every stack in Python by its name."""
