"""The five applications, each with the services behind it, started by numbers.

Nothing that a diagnosis could read speaks of an illness: command lines and environments hold paths and
numbers, and the numbers of the application itself lie in a file. What `DIALS` has is healthy.
"""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.servers import go, java, node
from tests.servers._announced import announced
from tests.servers._daemon import free_port, listens, running
from tests.servers.quota import quota

from bench.diagnosis import services
from bench.diagnosis.services import STACKS
from bench.programs import need

ITEMS = 20_000
CACHE = Path(__file__).parents[2] / ".tools" / "diagnosis"
"""What is compiled, kept from run to run; git ignores it."""

DIALS: Mapping[str, Mapping[str, Any]] = {
    "gunicorn": {
        "pool": 16, "renewed": 0.0, "import_s": 0.0, "redis_pooled": 1, "items": ITEMS, "where": "id",
        "hot_s": None, "hot_share": 1.0, "queries": 1, "hold_s": 0.0, "io_s": 0.02, "slow_share": 0.0,
        "slow_s": 0.0, "keep_bytes": 0, "cache_items": 0, "rounds": 2_000, "feed": 0,
    },
    "uvicorn": {
        "redis_renewed": 0.0, "redis_list": 0, "block_share": 0.0, "block_s": 0.0, "keep_bytes": 0,
        "rounds": 6_000, "rates_s": 0.01, "feed": 0,
    },
    "jvm": {
        "items": ITEMS, "where": "id", "queries": 1, "sums": 0, "pool": 30, "threads": 200, "hold_ms": 2,
        "lock_ms": 0, "io_ms": 10, "hot_ms": 0, "allocate_kb": 50, "live_mb": 0, "replaced": 0,
        "rounds": 400_000, "login_rounds": 1_000,
    },
    "go": {
        "redis_renewed": 0.0, "redis_list": 0, "rounds": 800_000, "rows": 100, "gzip_level": 0, "lock_us": 0,
        "live_mb": 8, "allocate_kb": 20, "gc_percent": 100, "procs": 0, "keep_bytes": 0, "rates_s": 0.005,
        "feed": 0,
    },
    "node": {
        "redis_renewed": 0.0, "redis_list": 0, "rounds": 600_000, "rows": 20, "block_share": 0.0,
        "block_ms": 0, "keep_bytes": 0, "live_mb": 0, "replaced": 0, "allocate_kb": 10,
        "login_rounds": 1_000, "token_s": 600, "feed": 0,
    },
}  # fmt: skip


@dataclass(frozen=True)
class Wish:
    """What is to be started: a stack's name, its numbers where they differ, and its limits.

    options: of gunicorn, uvicorn, the JVM or Node. cores: of the application. quota: in cores, memory_mb: of
    its control group. nofile: of its processes. front: an nginx before it. database_quota: cores that the
    database may use, as if it had a small machine of its own (MariaDB alone).
    """

    stack: str
    dials: Mapping[str, Any] = field(default_factory=dict)
    options: Sequence[str] = ()
    cores: Sequence[int] = (1,)
    quota: float | None = None
    memory_mb: int | None = None
    nofile: int | None = None
    front: bool = False
    database_quota: float | None = None


@dataclass(frozen=True)
class Running:
    """A stack that answers. pids: of its parts by their role, "server" first. secrets: for probes."""

    port: int
    pids: Mapping[str, int]
    kinds: Mapping[str, str] = field(default_factory=dict)
    password: str = ""


@contextlib.contextmanager
def started(wish: Wish, folder: Path) -> Iterator[Running]:
    """A stack with all behind it, on its cores; it ends with the block. folder: empty, for data and logs."""
    dials = {**DIALS[wish.stack], **wish.dials}
    with ExitStack() as stack:
        prefix = stack.enter_context(services.group(wish.quota, wish.memory_mb))
        if wish.nofile is not None:
            prefix = [*prefix, need("prlimit", "util-linux"), f"--nofile={wish.nofile}:{wish.nofile}", "--"]
        if tuple(wish.cores) != tuple(os.sched_getaffinity(0)):
            prefix = [*prefix, need("taskset", "util-linux"), "-c", ",".join(map(str, wish.cores))]
        one = stack.enter_context(_STARTERS[wish.stack](wish, dials, prefix, folder))
        if not wish.front:
            yield one
            return
        before = stack.enter_context(services.front(folder, one.port))
        behind = {("upstream" if role == "server" else role): pid for role, pid in one.pids.items()}
        yield Running(before.port, {"server": before.pid, **behind}, one.kinds, one.password)


@contextlib.contextmanager
def _gunicorn(wish: Wish, dials: dict[str, Any], prefix: Sequence[str], folder: Path) -> Iterator[Running]:
    with services.cache(folder, dials["feed"]) as redis, services.postgresql(folder, dials["items"]) as db:
        dials |= {"redis_port": redis.port, "database": services.account(db)}
        port = free_port()
        words = ["-m", "gunicorn", "store:create_app()", f"--bind=127.0.0.1:{port}", "--no-control-socket"]
        words += ["--graceful-timeout=1"]
        words += [f"--chdir={STACKS}", *wish.options]
        settings = {"STORE_SETTINGS": _written(folder, dials)}
        argv = [*prefix, sys.executable, *words]
        with running(argv, folder / "gunicorn.log", lambda: listens(port), environment=settings) as process:
            pids = {"server": process.pid, "redis": redis.pid, "postgresql": db.pid}
            yield Running(port, pids, {"postgresql": db.user}, db.password)


@contextlib.contextmanager
def _uvicorn(wish: Wish, dials: dict[str, Any], prefix: Sequence[str], folder: Path) -> Iterator[Running]:
    with services.cache(folder, dials["feed"]) as redis, ExitStack() as stack:
        pids = {"redis": redis.pid}
        dials |= {"redis_port": redis.port, "rates_port": 0}
        if dials["rates_s"]:
            dials["rates_port"], pids["rates"] = stack.enter_context(services.rates(folder, dials["rates_s"]))
        port = free_port()
        words = [
            "-m",
            "uvicorn",
            "feed:app",
            "--port",
            str(port),
            "--app-dir",
            str(STACKS),
            "--no-access-log",
        ]
        settings = {"FEED_SETTINGS": _written(folder, dials)}
        argv = [*prefix, sys.executable, *words, *wish.options]
        with running(argv, folder / "uvicorn.log", lambda: listens(port), environment=settings) as process:
            yield Running(port, {"server": process.pid, **pids})


@contextlib.contextmanager
def _jvm(wish: Wish, dials: dict[str, Any], prefix: Sequence[str], folder: Path) -> Iterator[Running]:
    with services.maria(folder, dials["items"]) as db, ExitStack() as stack:
        if wish.database_quota is not None:
            stack.enter_context(quota(db.pid, wish.database_quota))
        dials |= {
            "jdbc": f"jdbc:mariadb://127.0.0.1:{db.port}/shop", "user": db.user, "password": db.password,
            "base": folder / "tomcat",
        }  # fmt: skip
        (folder / "tomcat").mkdir()
        settings = folder / "store.properties"
        settings.write_text("".join(f"{name}={value}\n" for name, value in dials.items()), encoding="utf-8")
        options = wish.options or ["-Xmx256m", "-XX:+UseSerialGC"]
        path = f"{_classes()}:{java._libraries()}/*"
        argv = [
            *prefix,
            need("java", "openjdk-17-jdk-headless"),
            *options,
            "-cp",
            path,
            "Store",
            str(settings),
        ]
        with announced(argv, folder, "jvm", "") as one:
            yield Running(one.port, {"server": one.pid, "mariadb": db.pid}, {"mariadb": db.user}, db.password)


@contextlib.contextmanager
def _go(
    wish: Wish,  # noqa: ARG001 (a stack may have options)
    dials: dict[str, Any],
    prefix: Sequence[str],
    folder: Path,
) -> Iterator[Running]:
    with services.cache(folder, dials["feed"]) as redis, ExitStack() as stack:
        pids = {"redis": redis.pid}
        dials |= {"redis_port": redis.port, "rates_port": 0}
        if dials["rates_s"]:
            dials["rates_port"], pids["rates"] = stack.enter_context(services.rates(folder, dials["rates_s"]))
        with announced([*prefix, str(_binary()), _written(folder, dials)], folder, "go", "") as one:
            yield Running(one.port, {"server": one.pid, **pids})


@contextlib.contextmanager
def _node(wish: Wish, dials: dict[str, Any], prefix: Sequence[str], folder: Path) -> Iterator[Running]:
    with services.cache(folder, dials["feed"]) as redis:
        dials |= {"redis_port": redis.port}
        argv = [*prefix, node.node(), *wish.options, str(STACKS / "store.cjs"), _written(folder, dials)]
        with announced(argv, folder, "node", "") as one:
            yield Running(one.port, {"server": one.pid, "redis": redis.pid})


_Starter = Callable[[Wish, dict[str, Any], Sequence[str], Path], AbstractContextManager[Running]]
_STARTERS: Mapping[str, _Starter] = {
    "gunicorn": _gunicorn, "uvicorn": _uvicorn, "jvm": _jvm, "go": _go, "node": _node,
}  # fmt: skip


def prepare(stack: str) -> None:
    """Compile what a stack needs, once for good: with a cold cache Go and Maven take a minute."""
    if stack == "go":
        _binary()
    if stack == "jvm":
        _classes()


def _written(folder: Path, dials: Mapping[str, Any]) -> str:
    path = folder / "settings.json"
    path.write_text(json.dumps(dials), encoding="utf-8")
    return str(path)


def _binary() -> Path:
    source = STACKS / "store.go"
    made = CACHE / f"store-{java._digest([source])}"
    if not made.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        offline = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
        subprocess.run([go.go(), "build", "-trimpath", "-o", str(made), str(source)], check=True, env=offline)
    return made


def _classes() -> Path:
    source = STACKS / "Store.java"
    made = CACHE / f"classes-{java._digest([source])}"
    if not made.is_dir():
        compiler = str(java.jdk() / "bin" / "javac")
        path = f"{java._libraries()}/*"
        fresh = made.with_suffix(".fresh")
        subprocess.run([compiler, "--release", "17", "-cp", path, "-d", str(fresh), str(source)], check=True)
        fresh.rename(made)
    return made
