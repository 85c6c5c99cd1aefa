"""The stacks: how each is started from its dials, and what it is asked.

What `DIALS` has is healthy. A dial is a number of an application, of a service behind it or of the limits that
hold it; which of them a case has turned stands in no file that a diagnosis reads.
"""

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import Any

from tests.servers._daemon import free_port
from tests.servers.memcached import started_memcached

from bench.diagnosis.services import group
from bench.programs import need
from bench.zoo import parts
from bench.zoo.parts import Dials, Site
from bench.zoo.setup import APPS, CLASSES, GO_PROGRAMS, NODE, PYTHON, libraries

LIMITS: Dials = {"quota": None, "memory_mb": None, "nofile": None, "batch": 0.0}
"""Of every stack: what holds its server, and what else is on its cores."""

DATABASE: Dials = {
    "orders": parts.ORDERS, "indexed": True, "durable": False, "database_quota": None, "column": "id",
    "queries": 1, "hot_ms": 0, "write": False,
}  # fmt: skip
QUOTES: Dials = {
    "quotes": True, "quotes_delay_ms": 2.0, "quotes_slots": 0, "quotes_tail_share": 0.0, "quotes_tail_ms": 0.0,
    "quotes_fails_share": 0.0,
}  # fmt: skip


@dataclass(frozen=True)
class Stack:
    """A way to start a server with all behind it.

    start: starts it in a site, from when it listens until the block ends. asked: paths with their weights,
    {number} is any of the orders.
    """

    dials: Dials
    start: Callable[[Site, Dials], AbstractContextManager[None]]
    asked: Mapping[str, int]


@contextlib.contextmanager
def started(name: str, turned: Dials, site: Site) -> Iterator[None]:
    """Start a stack, with the dials that differ from the healthy ones. Raises KeyError for an unknown dial."""
    stack = STACKS[name]
    if unknown := set(turned) - set(stack.dials):
        raise KeyError(f"{name} has no {', '.join(sorted(unknown))}")
    dials = {**stack.dials, **turned}
    with ExitStack() as limits:
        words = limits.enter_context(group(dials["quota"], dials["memory_mb"]))
        if dials["nofile"] is not None:
            words = [*words, need("prlimit", "util-linux"), f"--nofile={dials['nofile']}", "--"]
        site.prefix = words
        limits.enter_context(stack.start(site, dials))
        limits.enter_context(parts.batch(site, dials["batch"]))
        yield


@contextlib.contextmanager
def _go(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.postgresql(site, dials))
        quotes = stack.enter_context(parts.quotes(site, dials))
        stack.enter_context(parts.names(site, dials["names_ms"]))
        site.port = free_port()
        folder = site.place("shop", {
            **dials, "port": site.port, "database": parts.dsn(database),
            "quotes": f"http://127.0.0.1:{quotes}" if quotes else "",
        })  # fmt: skip
        stack.enter_context(parts.program(site, "server", [str(GO_PROGRAMS / "shop")], folder, site.port))
        yield


@contextlib.contextmanager
def _threads(site: Site, dials: Dials) -> Iterator[None]:
    site.port = free_port()
    folder = site.place("catalogue", {**dials, "port": site.port})
    argv = [str(PYTHON), str(APPS / "catalogue.py")]
    with parts.program(site, "server", argv, folder, site.port):
        yield


@contextlib.contextmanager
def _flask(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.postgresql(site, dials))
        settings = {**dials, "database": parts.dsn(database)}
        settings["quotes_port"] = stack.enter_context(parts.quotes(site, dials))
        settings["cache_port"] = 0
        if dials["cache"]:
            options = ("-t", "1", "-c", str(dials["cache_connections"]), "-I", "1m")
            memcached = stack.enter_context(started_memcached(site.folder, *options))
            site.pids["memcached"], settings["cache_port"] = memcached.pid, memcached.port
        site.port = port = free_port()
        role = "upstream" if dials["front"] else "server"
        argv = gunicorn("flaskshop:create_app()", port, dials)
        folder = site.place("shop", settings)
        stack.enter_context(parts.program(site, role, argv, folder, port))
        if dials["front"]:
            stack.enter_context(_nginx(site, f"http://127.0.0.1:{port}", dials))
        yield


def gunicorn(application: str, port: int, dials: Dials) -> list[str]:
    """Command of a gunicorn with its workers."""
    words = [str(PYTHON), "-m", "gunicorn", application, f"--bind=127.0.0.1:{port}", f"--pythonpath={APPS}"]
    words += ["--no-control-socket", "--graceful-timeout=1", f"--worker-class={dials['class']}"]
    words += [f"--workers={dials['workers']}", f"--threads={dials['threads']}", f"--timeout={dials['timeout_s']}"]
    words += [f"--backlog={dials['backlog']}", f"--max-requests={dials['max_requests']}"]
    return [*words, f"--keep-alive={dials['idle_s']}"]


NGINX = """\
{user}daemon off; worker_processes 1; pid nginx.pid; error_log stderr;
events {{ worker_connections {connections}; }}
http {{
  client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi; scgi_temp_path scgi; access_log access.log;
  upstream shop {{ {servers} keepalive {kept}; }}
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    location / {{ {location} }}
  }}
}}
"""
PROXIED = 'proxy_pass http://shop; proxy_http_version 1.1; proxy_set_header Connection ""; {more}'


@contextlib.contextmanager
def _nginx(site: Site, upstreams: str | Sequence[str], dials: Dials, location: str = PROXIED) -> Iterator[None]:
    """Put an nginx before the ports of upstreams, which becomes the server."""
    site.port = free_port()
    folder = site.folder / "front"
    folder.mkdir()
    servers = [upstreams] if isinstance(upstreams, str) else upstreams
    more = "" if dials["front_rate"] is None else "proxy_limit_rate 0;"
    config = NGINX.format(
        user="user root; ", connections=dials["front_connections"], kept=dials["front_kept"], port=site.port,
        servers=" ".join(f"server {server.removeprefix('http://')};" for server in servers),
        location=location.replace("{more}", more).replace("{folder}", str(APPS / "php")),
    )  # fmt: skip
    (folder / "nginx.conf").write_text(config, encoding="utf-8")
    argv = [need("nginx", "nginx"), "-c", str(folder / "nginx.conf"), "-p", str(folder), "-e", "stderr"]
    with parts.program(site, "server", argv, folder, site.port):
        yield


@contextlib.contextmanager
def _fastapi(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.postgresql(site, dials))
        quotes = stack.enter_context(parts.quotes(site, dials))
        site.port = free_port()
        folder = site.place("shop", {**dials, "database": parts.dsn(database), "quotes_port": quotes})
        argv = [str(PYTHON), "-m", "uvicorn", "asyncshop:app", "--port", str(site.port), "--app-dir", str(APPS)]
        argv += ["--no-access-log", "--backlog", str(dials["backlog"])]
        stack.enter_context(parts.program(site, "server", argv, folder, site.port))
        yield


@contextlib.contextmanager
def _node(site: Site, dials: Dials) -> Iterator[None]:
    with parts.cache(site, dials) as redis:
        site.port = free_port()
        folder = site.place("shop", {**dials, "port": site.port, "redis_port": redis.port})
        argv = [need("node", "nodejs"), str(NODE / "shop.cjs")]
        with parts.program(site, "server", argv, folder, site.port):
            yield


@contextlib.contextmanager
def _jdk(site: Site, dials: Dials) -> Iterator[None]:
    with parts.maria(site, dials) as database:
        site.port = free_port()
        settings = {
            **dials, "port": site.port, "user": database.user, "password": database.password,
            "database": f"jdbc:mariadb://127.0.0.1:{database.port}/shop",
        }  # fmt: skip
        folder = site.place("shop", {})
        lines = "".join(f"{name}={int(value) if isinstance(value, bool) else value}\n" for name, value in settings.items())
        (folder / "settings.properties").write_text(lines, encoding="utf-8")
        argv = [need("java", "openjdk-17-jdk-headless"), "-XX:+UseSerialGC", f"-Xmx{dials['heap_mb']}m"]
        argv += ["-cp", f"{CLASSES}:{libraries()}/*", "Shop"]
        with parts.program(site, "server", argv, folder, site.port):
            yield


ORDERS_ASKED = {"/orders/{number}": 9, "/orders": 1}
ITEMS_ASKED = {"/items/{number}": 9, "/items": 1}
GUNICORN: Dials = {
    "class": "gthread", "workers": 2, "threads": 16, "timeout_s": 30, "backlog": 2048, "max_requests": 0,
    "idle_s": 5,
}  # fmt: skip
FRONT: Dials = {"front_kept": 64, "front_connections": 2048, "front_rate": None}
FLASK: Dials = {
    **LIMITS, **DATABASE, **QUOTES, **GUNICORN, **FRONT, "front": False, "pool": 16, "held": False,
    "fresh_database": False, "fresh_quotes": False, "import_s": 0.0, "sums": 0, "report_share": 0.0,
    "report_s": 0.0, "kept_bytes": 0, "log_lines": 0, "work": 2_000, "statistics": 0.0, "cache": False,
    "cache_connections": 1024, "keys": 1_000, "value_bytes": 500, "expires_s": 60,
}  # fmt: skip

STACKS: Mapping[str, Stack] = {
    "go": Stack(
        {
            **LIMITS, **DATABASE, **QUOTES, "pool": 40, "idle": 40, "held": False, "forgotten_rows": 0.0,
            "forgotten_files": 0.0, "kept": True, "lookup": False, "names_ms": 0.0, "quote_timeout_ms": 5_000,
            "retries": 0, "log_lines": 0, "lock_us": 0, "work": 100_000, "stuck": 0.0, "stuck_bytes": 0,
        },
        _go, ORDERS_ASKED,
    ),
    "threads": Stack(
        {
            **LIMITS, "desks": 200, "wait_ms": 0, "lock_ms": 0, "journal_bytes": 0, "durable": False,
            "kept_bytes": 0, "work": 2_000, "log_lines": 0, "backlog": 512, "accept_ms": 0, "statistics": 0.0,
            "split_writes": False, "nagle": False, "padding": 0,
        },
        _threads, ITEMS_ASKED,
    ),
    "flask": Stack(FLASK, _flask, ORDERS_ASKED),
    "sync": Stack({**FLASK, "class": "sync", "workers": 8, "threads": 1}, _flask, ORDERS_ASKED),
    "cached": Stack({**FLASK, "cache": True}, _flask, ORDERS_ASKED),
    "proxied": Stack({**FLASK, "front": True}, _flask, ORDERS_ASKED),
    "fastapi": Stack(
        {
            **LIMITS, **DATABASE, **QUOTES, "pool": 20, "held": False, "fresh_database": False,
            "fresh_quotes": False, "block_share": 0.0, "block_ms": 0, "collected": 0.0, "live": 0,
            "kept_bytes": 0, "log_lines": 0, "lines": 5, "backlog": 2048, "report_ms": 0,
        },
        _fastapi, ORDERS_ASKED,
    ),
    "node": Stack(
        {
            **LIMITS, "feed": 0, "sorted": False, "gets": 1, "fresh_redis": False, "workers": 1, "backlog": 511,
            "idle_ms": 5_000, "hashes": 0, "kept_bytes": 0, "rows": 20, "work": 100_000, "log_lines": 0,
            "fresh_ms": 0, "single_flight": True, "report_ms": 0, "report_work": 0,
        },
        _node, ITEMS_ASKED,
    ),
    "jdk": Stack(
        {
            **LIMITS, **DATABASE, "heap_mb": 256, "nagle": False, "live_mb": 8, "pool": 30, "threads": 100,
            "backlog": 512, "hold_ms": 0, "wait_ms": 0, "lock_ms": 0, "allocate_kb": 50, "replaced": 0,
            "kept_bytes": 0, "work": 20_000,
        },
        _jdk, ORDERS_ASKED,
    ),
}  # fmt: skip
"""Every stack by its name."""
