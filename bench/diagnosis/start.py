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
from tests.servers._daemon import Daemon, free_port, listens, running
from tests.servers.quota import quota

from bench.diagnosis import knobs, services
from bench.diagnosis.app import in_style
from bench.diagnosis.knobs import Value
from bench.diagnosis.services import STACKS
from bench.programs import need

ITEMS = 20_000
LAUNCHER = Path(__file__).with_name("app.py")
CACHE = Path(__file__).parents[2] / ".tools" / "diagnosis"
"""Folder of what is compiled, kept from run to run; git ignores it."""
SETTINGS, PIDS, OPTIONS = "settings.json", "pids.json", "{options}"
PORT = 8000
"""Port of what the rig starts: beyond the ports that the kernel gives out, as its network is its own."""

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
        "feed": 0, "miss_rounds": 0,
    },
    "node": {
        "redis_renewed": 0.0, "redis_list": 0, "rounds": 600_000, "rows": 20, "block_share": 0.0,
        "block_ms": 0, "keep_bytes": 0, "live_mb": 0, "replaced": 0, "allocate_kb": 10,
        "login_rounds": 1_000, "token_s": 600, "feed": 0,
    },
}  # fmt: skip


@dataclass(frozen=True)
class StackWish:
    """Wish for what is to be started: a stack's name, its numbers where they differ, and its limits.

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
class RunningStack:
    """A stack that answers. pids: of its parts by their role, "server" first; ports: of its services.

    target: how the rig gets to it, as a plan says it; knobs: of a target that the rig starts, by name and
    value; allow: what else it may touch for a proof.
    """

    port: int
    pids: Mapping[str, int]
    kinds: Mapping[str, str] = field(default_factory=dict)
    password: str = ""
    target: Mapping[str, Any] = field(default_factory=dict)
    knobs: Mapping[str, Value] = field(default_factory=dict)
    allow: Sequence[str] = ()
    ports: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class App:
    """An application that could be started, its services running.

    argv: with {port} and, where its options go, {options}. dials: its numbers; settings: the file for them,
    in that style. env: variables. ports: of its services, by role: the number ROLE_port says each.
    before: commands for a knob, by its name and value. pids, kinds, password: of the services.
    """

    argv: Sequence[str]
    dials: Mapping[str, Any]
    settings: Path
    ports: Mapping[str, int]
    pids: Mapping[str, int]
    style: str = "json"
    env: Mapping[str, str] = field(default_factory=dict)
    before: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    kinds: Mapping[str, str] = field(default_factory=dict)
    password: str = ""


@contextlib.contextmanager
def started(wish: StackWish, folder: Path) -> Iterator[RunningStack]:
    """Yield a stack with all behind it, on its cores; it ends with the block.

    folder: empty, for data and logs.
    """
    with ExitStack() as stack:
        prefix = stack.enter_context(_limits(wish))
        if tuple(wish.cores) != tuple(os.sched_getaffinity(0)):
            prefix = [*prefix, need("taskset", "util-linux"), "-c", ",".join(map(str, wish.cores))]
        app = stack.enter_context(_app(wish, folder))
        port = free_port()
        dials = {**app.dials, **{f"{role}_port": at for role, at in app.ports.items()}, "port": port}
        app.settings.write_text(in_style(dials, app.style), encoding="utf-8")
        argv = list(prefix)
        for word in app.argv:
            argv += wish.options if word == OPTIONS else [word.replace("{port}", str(port))]
        log = folder / f"{wish.stack}.log"
        process = stack.enter_context(running(argv, log, lambda: listens(port), environment=app.env))
        pids = {"server": process.pid, **app.pids}
        if wish.front:
            before = stack.enter_context(services.front(folder, port))
            pids = {**app.pids, "upstream": process.pid, "server": before.pid}
            port = before.port
        target = {"external": f"http://127.0.0.1:{port}"}
        yield RunningStack(port, pids, app.kinds, app.password, target, ports=app.ports)


@contextlib.contextmanager
def offered(wish: StackWish, folder: Path) -> Iterator[RunningStack]:
    """Yield the services of a stack, and a target by which the rig starts the application with its knobs.

    Its own pids are in folder/PIDS once it was started. folder: empty, for data and logs.
    """
    with ExitStack() as stack:
        prefix = stack.enter_context(_limits(wish))
        app = stack.enter_context(_app(wish, folder))
        wanted = knobs.settled(wish.stack, wish.options, app.dials, wish.cores)
        argv = [*prefix]
        for word in app.argv:
            argv += [*wanted.options, OPTIONS] if word == OPTIONS else [word]
        addresses = {role: {"dial": f"{role}_port"} for role in app.ports}
        recipe: dict[str, Any] = {
            "argv": argv, "dials": app.dials, "settings": str(app.settings),
            "style": app.style, "env": app.env, "before": app.before, "pids": str(folder / PIDS),
            "told": {"port": {"dial": "port"}, **addresses, **knobs.channels(wanted.knobs)},
        }  # fmt: skip
        if wish.front:
            recipe |= {"front": services.front_argv(folder, PORT, PORT + 1), "upstream": PORT + 1}
        path = folder / "start.json"
        path.write_text(json.dumps(recipe), encoding="utf-8")
        command = [sys.executable, "-I", "-S", str(LAUNCHER), str(path), "--port", "{port}"]
        for role, at in app.ports.items():
            command += [f"--{role}", f"127.0.0.1:{at}"]
        target = {
            "argv": command, "address": PORT, "cpus": list(wish.cores),
            "ready": {"http": "/list", "status": [200], "within": "60s"},
            "knob_flags": knobs.flags(wanted.knobs),
        }  # fmt: skip
        behind = [wish.stack] if wish.front else []
        yield RunningStack(
            PORT, app.pids, app.kinds, app.password, {"command": target}, wanted.setting,
            [*app.pids, *behind],
        )  # fmt: skip


@contextlib.contextmanager
def _limits(wish: StackWish) -> Iterator[list[str]]:
    """Words to put before the command: its control group, its files."""
    with services.group(wish.quota, wish.memory_mb) as prefix:
        if wish.nofile is not None:
            prefix = [*prefix, need("prlimit", "util-linux"), f"--nofile={wish.nofile}:{wish.nofile}", "--"]
        yield prefix


def _app(wish: StackWish, folder: Path) -> AbstractContextManager[App]:
    return _STACKS[wish.stack](wish, {**DIALS[wish.stack], **wish.dials}, folder)


@contextlib.contextmanager
def _gunicorn(wish: StackWish, dials: dict[str, Any], folder: Path) -> Iterator[App]:  # noqa: ARG001
    with services.cache(folder, dials["feed"]) as redis, services.postgresql(folder, dials["items"]) as db:
        settings = folder / SETTINGS
        argv = [
            sys.executable, "-m", "gunicorn", "store:create_app()", "--bind=127.0.0.1:{port}",
            "--no-control-socket", "--graceful-timeout=1", f"--chdir={STACKS}", OPTIONS,
        ]  # fmt: skip
        yield App(
            argv, {**dials, "database": services.account(db)}, settings, {"redis": redis.port, "db": db.port},
            {"redis": redis.pid, "postgresql": db.pid}, env={"STORE_SETTINGS": str(settings)},
            before={"index": services.postgresql_index(db)}, kinds={"postgresql": db.user},
            password=db.password,
        )  # fmt: skip


@contextlib.contextmanager
def _uvicorn(wish: StackWish, dials: dict[str, Any], folder: Path) -> Iterator[App]:  # noqa: ARG001
    with services.cache(folder, dials["feed"]) as redis, ExitStack() as stack:
        ports, pids = _with_rates(stack, folder, redis, dials["rates_s"])
        settings = folder / SETTINGS
        argv = [
            sys.executable, "-m", "uvicorn", "feed:app", "--port", "{port}", "--app-dir", str(STACKS),
            "--no-access-log", OPTIONS,
        ]  # fmt: skip
        yield App(
            argv, {**dials, "rates_port": 0}, settings, ports, pids, env={"FEED_SETTINGS": str(settings)}
        )


@contextlib.contextmanager
def _jvm(wish: StackWish, dials: dict[str, Any], folder: Path) -> Iterator[App]:
    with services.maria(folder, dials["items"]) as db, ExitStack() as stack:
        if wish.database_quota is not None:
            stack.enter_context(quota(db.pid, wish.database_quota))
        home = folder / "tomcat"
        home.mkdir()
        settings = folder / "store.properties"
        java_ = need("java", "openjdk-17-jdk-headless")
        argv = [java_, OPTIONS, "-cp", f"{_classes()}:{java.libraries()}/*", "Store", str(settings)]
        yield App(
            argv, {**dials, "user": db.user, "password": db.password, "base": str(home)}, settings,
            {"db": db.port}, {"mariadb": db.pid}, style="properties",
            before={"index": services.maria_index(db)}, kinds={"mariadb": db.user}, password=db.password,
        )  # fmt: skip


@contextlib.contextmanager
def _go(wish: StackWish, dials: dict[str, Any], folder: Path) -> Iterator[App]:  # noqa: ARG001 (it has no options)
    with services.cache(folder, dials["feed"]) as redis, ExitStack() as stack:
        ports, pids = _with_rates(stack, folder, redis, dials["rates_s"])
        settings = folder / SETTINGS
        yield App([str(_binary()), str(settings)], {**dials, "rates_port": 0}, settings, ports, pids)


@contextlib.contextmanager
def _node(wish: StackWish, dials: dict[str, Any], folder: Path) -> Iterator[App]:  # noqa: ARG001
    with services.cache(folder, dials["feed"]) as redis:
        settings = folder / SETTINGS
        argv = [node.node(), OPTIONS, str(STACKS / "store.cjs"), str(settings)]
        yield App(argv, dials, settings, {"redis": redis.port}, {"redis": redis.pid})


def _with_rates(
    stack: ExitStack, folder: Path, redis: Daemon, wait_s: float
) -> tuple[dict[str, int], dict[str, int]]:
    """Ports and pids of a redis, and of rates where they take a time."""
    ports, pids = {"redis": redis.port}, {"redis": redis.pid}
    if wait_s:
        ports["rates"], pids["rates"] = stack.enter_context(services.rates(folder, wait_s))
    return ports, pids


_Starter = Callable[[StackWish, dict[str, Any], Path], AbstractContextManager[App]]
_STACKS: Mapping[str, _Starter] = {
    "gunicorn": _gunicorn, "uvicorn": _uvicorn, "jvm": _jvm, "go": _go, "node": _node,
}  # fmt: skip


def prepare(stack: str) -> None:
    """Compile what a stack needs, once for good: with a cold cache Go and Maven take a minute."""
    if stack == "go":
        _binary()
    if stack == "jvm":
        _classes()


def _binary() -> Path:
    source = STACKS / "store.go"
    binary = CACHE / f"store-{java._digest([source])}"
    if not binary.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        offline = {**os.environ, "GOFLAGS": "-mod=mod", "GOPROXY": "off", "GOTOOLCHAIN": "local"}
        subprocess.run(
            [go.go(), "build", "-trimpath", "-o", str(binary), str(source)], check=True, env=offline
        )
    return binary


def _classes() -> Path:
    source = STACKS / "Store.java"
    classes = CACHE / f"classes-{java._digest([source])}"
    if not classes.is_dir():
        compiler = str(java.jdk() / "bin" / "javac")
        path = f"{java.libraries()}/*"
        fresh = classes.with_suffix(".fresh")
        subprocess.run([compiler, "--release", "17", "-cp", path, "-d", str(fresh), str(source)], check=True)
        fresh.rename(classes)
    return classes
