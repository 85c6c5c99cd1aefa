"""Stacks in Go, Node, Java, PHP and Ruby."""

import contextlib
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

from tests.servers._daemon import free_port

from bench.programs import need
from bench.zoo import parts
from bench.zoo.parts import Dials, Site
from bench.zoo.setup import APPS, CLASSES, GO_PROGRAMS, NODE, SPRING, libraries
from bench.zoo.stack import (
    DATABASE,
    FASTCGI,
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
def _go(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.postgresql(site, dials))
        quotes = stack.enter_context(parts.quotes(site, dials))
        stack.enter_context(parts.names(site, dials["names_ms"]))
        site.port = free_port()
        settings = {
            **dials, "port": site.port, "database": parts.dsn(database),
            "quotes": f"http://127.0.0.1:{quotes}" if quotes else "",
        }  # fmt: skip
        folder = site.place("shop", settings)
        stack.enter_context(parts.program(site, "server", [str(GO_PROGRAMS / "shop")], folder, site.port))
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
        values = {name: int(value) if isinstance(value, bool) else value for name, value in settings.items()}
        _write_properties(folder / "settings.properties", values)
        argv = [*_jvm(dials), "-cp", f"{CLASSES}:{libraries()}/*", "Shop"]
        with parts.program(site, "server", argv, folder, site.port):
            yield


def _jvm(dials: Dials) -> list[str]:
    return [need("java", "openjdk-17-jdk-headless"), "-XX:+UseSerialGC", f"-Xmx{dials['heap_mb']}m"]


def _write_properties(path: Path, values: Mapping[str, object]) -> None:
    path.write_text("".join(f"{name}={value}\n" for name, value in values.items()), encoding="utf-8")


@contextlib.contextmanager
def _spring(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.postgresql(site, dials))
        quotes = stack.enter_context(parts.quotes(site, dials))
        site.port = free_port()
        folder = site.place("shop", {})
        of_spring = {
            "server.port": site.port, "server.address": "127.0.0.1", "server.shutdown": "immediate",
            "server.tomcat.threads.max": dials["threads"], "server.tomcat.accept-count": dials["backlog"],
            "spring.datasource.url": f"jdbc:postgresql://127.0.0.1:{database.port}/shop?sslmode=disable",
            "spring.datasource.username": database.user, "spring.datasource.password": database.password,
            "spring.datasource.hikari.maximum-pool-size": dials["pool"],
            "logging.file.name": "shop.log", "shop.quotes_port": quotes,
        }  # fmt: skip
        own = {
            f"shop.{name}": str(value).lower() if isinstance(value, bool) else value
            for name, value in dials.items()
            if value is not None
        }
        _write_properties(folder / "application.properties", own | of_spring)
        argv = [*_jvm(dials), "-cp", f"{SPRING}/classes:{SPRING}/lib/*", "shop.Application"]
        stack.enter_context(parts.program(site, "server", argv, folder, site.port))
        yield


_POOL = """\
[global]
daemonize = no
error_log = /proc/self/fd/2
[www]
listen = 127.0.0.1:{port}
listen.backlog = {backlog}
user = root
group = root
pm = static
pm.max_children = {children}
pm.max_requests = 0
catch_workers_output = yes
"""


@contextlib.contextmanager
def _php(site: Site, dials: Dials) -> Iterator[None]:
    with ExitStack() as stack:
        database = stack.enter_context(parts.maria(site, dials))
        port = free_port()
        settings = {
            **dials, "user": database.user, "password": database.password, "database_port": database.port,
        }  # fmt: skip
        folder = site.place("shop", settings)
        script = folder / "index.php"
        script.write_bytes((APPS / "php" / "index.php").read_bytes())
        pool = _POOL.format(port=port, backlog=dials["backlog"], children=dials["children"])
        (folder / "pool.conf").write_text(pool, encoding="utf-8")
        argv = [need("php-fpm8.2", "php8.2-fpm php8.2-mysql"), "-R", "-F", "-y", str(folder / "pool.conf")]
        stack.enter_context(parts.program(site, "upstream", argv, folder, port))
        location = FASTCGI.replace("{script}", str(script))
        stack.enter_context(front(site, dials, [f"127.0.0.1:{port}"], location))
        yield


@contextlib.contextmanager
def _puma(site: Site, dials: Dials) -> Iterator[None]:
    with parts.quotes(site, dials) as quotes:
        site.port = free_port()
        folder = site.place("shop", {**dials, "quotes_port": quotes})
        argv = [need("puma", "puma"), "--threads", f"{dials['threads']}:{dials['threads']}", "--quiet"]
        argv += ["--bind", f"tcp://127.0.0.1:{site.port}?backlog={dials['backlog']}"]
        argv += [str(APPS / "ruby" / "config.ru")]
        with parts.program(site, "server", argv, folder, site.port):
            yield


STACKS: Mapping[str, ZooStack] = {
    "go": ZooStack(
        with_defaults(
            LIMITS, DATABASE, QUOTES, pool=40, idle=40, held=False, forgotten_rows=0.0, forgotten_files=0.0,
            kept=True, lookup=False, names_ms=0.0, quote_timeout_ms=5_000, retries=0, log_lines=0, lock_us=0,
            work=100_000, stuck=0.0, stuck_bytes=0,
        ),
        _go, ORDERS_ASKED,
    ),
    "node": ZooStack(
        with_defaults(
            LIMITS, feed=0, sorted=False, gets=1, fresh_redis=False, workers=1, backlog=511, idle_ms=5_000,
            hashes=0, kept_bytes=0, rows=20, work=100_000, log_lines=0, fresh_ms=0, single_flight=True,
            report_ms=0, report_work=0,
        ),
        _node, ITEMS_ASKED,
    ),
    "jdk": ZooStack(
        with_defaults(
            LIMITS, DATABASE, heap_mb=256, nagle=False, live_mb=8, pool=30, threads=100, backlog=512,
            hold_ms=0, wait_ms=0, lock_ms=0, allocate_kb=50, replaced=0, kept_bytes=0, work=20_000,
        ),
        _jdk, ORDERS_ASKED,
    ),
    "spring": ZooStack(
        with_defaults(
            LIMITS, DATABASE, QUOTES, heap_mb=256, pool=40, threads=200, backlog=100, quote_connections=200,
            held=False, unclosed=0.0, lock_ms=0, log_lines=0, live_mb=8, allocate_kb=50, replaced=0,
            work=5_000,
        ),
        _spring, ORDERS_ASKED, warmed_s=15.0,
    ),
    "php": ZooStack(
        with_defaults(
            LIMITS, DATABASE, FRONT, children=16, backlog=511, kept=True, wait_ms=0, session_ms=0,
            log_lines=0, work=5_000,
        ),
        _php, ORDERS_ASKED,
    ),
    "puma": ZooStack(
        with_defaults(
            LIMITS, QUOTES, threads=32, backlog=1024, fresh_quotes=False, lock_ms=0, kept_bytes=0,
            collected=0.0, live=0, log_lines=0, work=2_000, statistics=0.0,
        ),
        _puma, ORDERS_ASKED,
    ),
}  # fmt: skip
"""Every stack in another language by its name."""
