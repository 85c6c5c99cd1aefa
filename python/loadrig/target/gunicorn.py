"""Gunicorn: a Python application behind its process manager, with its knobs by their real names.

## What it does

Runs `python -m gunicorn APP` with the setting as flags. It is ready when it has answered a request:
its port takes connections before any worker has loaded the application, so the port says nothing.
Then one worker is up; the others may need a moment more, which is for the warm-up to wait for.
A `gunicorn.conf.py` in the application's folder is read by gunicorn as always; flags go before it.
The control socket that newer versions open in the home folder is switched off, so that two servers
do not meet there.

## Options

`app` is `module:variable`, looked for in `chdir`. `python` names the interpreter (or the folder of
its environment) that has gunicorn and the application; by default the one that runs loadrig.

## Knobs

`threads` above 1 makes gunicorn use gthread workers even where `worker_class` says sync.
`keepalive` means nothing to sync workers: they close after each answer.
A `worker_class` whose library is not installed there is refused with target.knob-unsupported.
What the application itself can be told by a variable is a knob too, once `app_knobs` declares it.

## Example

```yaml
target:
  gunicorn: {app: "shop:app", chdir: ../shop, cpus: [1]}
knobs:
  worker_class: [sync, gthread]
  workers: [1, 2, 4]
```

```yaml
target:
  gunicorn: {app: "shop:app", app_knobs: {pool: {env: POOL_SIZE, low: 1, high: 50}}}
knobs: {pool: [5, 10, 20]}
```
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base.errors import PlanError, Problem, TargetError
from loadrig.base.running import Address
from loadrig.base.setting import Knob, Setting
from loadrig.base.shape import option
from loadrig.base.units import Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target_python import TargetGunicornErrors
from loadrig.target import _knobs, _python, _server
from loadrig.target._knobs import Channel, by_name, catalogue
from loadrig.target._python import PythonServerOptions
from loadrig.target._running import NO_VARIABLES, Running, joined
from loadrig.target._server import Mistake, Recipe

ERRORS = texts_of(TargetGunicornErrors)

UNIX_PATH_BYTES = 107
"""Longest path of a Unix socket on Linux (unix(7): sun_path holds 108 with its closing zero)."""

# Ranges: gunicorn checks hardly any; these are what its documentation calls sensible, with room.
# Source: gunicorn's settings page (docs.gunicorn.org/en/stable/settings.html), defaults of 23 to 27.
KNOBS = by_name(
    Knob(
        "worker_class", "word",
        "How a worker serves: one request at a time (sync), in threads (gthread), in green threads "
        "(gevent; eventlet in old versions), in an event loop (tornado, asgi).",
        "sync", words=("sync", "gthread", "gevent", "eventlet", "tornado", "asgi"),
    ),
    Knob(
        "workers", "int",
        "Worker processes; more of them use more cores and wait in parallel, each with its own memory.",
        1, 1, 256, cost=3,
    ),
    Knob(
        "threads", "int",
        "Threads of each worker, for gthread; above 1, sync becomes gthread.",
        1, 1, 512, cost=2,
    ),
    Knob(
        "worker_connections", "int",
        "Most connections that a worker holds at once (gthread, gevent, eventlet, asgi).",
        1000, 1, 1_000_000,
    ),
    Knob(
        "max_requests", "int",
        "Requests after which a worker is replaced, which bounds a leak; 0 is never.",
        0, 0, 100_000_000,
    ),
    Knob(
        "max_requests_jitter", "int",
        "Random addition to max_requests, so that workers are not replaced all at once.",
        0, 0, 100_000_000,
    ),
    Knob(
        "keepalive", "int",
        "Seconds that an idle connection is kept for another request; sync workers never keep one.",
        2, 0, 3600, unit="s",
    ),
    Knob(
        "backlog", "int",
        "Most connections that wait to be accepted; the kernel's somaxconn caps it.",
        2048, 1, 65535,
    ),
    Knob(
        "timeout", "int",
        "Seconds of silence after which a worker is killed; 0 is never.",
        30, 0, 86400, unit="s",
    ),
    Knob(
        "graceful_timeout", "int",
        "Seconds that a worker has to end its requests when it is replaced or stopped.",
        30, 0, 86400, unit="s",
    ),
    Knob(
        "preload_app", "flag",
        "Load the application before the workers are forked: they start faster and share its memory.",
        False,
    ),
    Knob("reuse_port", "flag", "Listen with SO_REUSEPORT.", False),
    Knob("sendfile", "flag", "Send files by sendfile().", True),
    Knob(
        "http_parser", "word",
        "Parser of requests: Python's or the C one, if installed (gunicorn 25 and later).",
        "auto", words=("auto", "python", "fast"),
    ),
    Knob("asgi_loop", "word", "Event loop of asgi workers.", "auto", words=("auto", "asyncio", "uvloop")),
    Knob(
        "worker_tmp_dir", "text",
        "Folder of the workers' heartbeat files; a disk there can stall them, /dev/shm cannot.",
        None,
    ),
)  # fmt: skip

_CHANNELS: Mapping[str, Channel] = {
    **{name: Channel(f"--{name.replace('_', '-')} {{}}") for name in KNOBS},
    "keepalive": Channel("--keep-alive {}"),
    "preload_app": Channel("--preload"),
    "reuse_port": Channel("--reuse-port"),
    "sendfile": Channel("", no_flag="--no-sendfile"),
}

_QUESTION = """
import json
import gunicorn
from gunicorn.config import make_settings
print(json.dumps({"version": gunicorn.__version__, "settings": sorted(make_settings())}))
"""


@dataclass(frozen=True, slots=True)
class Options(PythonServerOptions):
    """A Python application served by gunicorn."""

    bind: str = option(
        "host:port, or unix:PATH; port 0 is a free one chosen at each start.",
        default="127.0.0.1:0", example='"127.0.0.1:8000"',
    )  # fmt: skip
    timeout: Seconds | None = option(
        "Seconds of silence after which a worker is killed, where it is no knob of the study.", default=None
    )


def knobs(options: Options) -> dict[str, Knob]:
    """Return the catalogue: its own knobs, and those of the application that the options declare."""
    return {**KNOBS, **catalogue(options.app_knobs, _knobs.TEXTS.application)}


def where(options: Options) -> Address:
    """Return the address without starting gunicorn; port 0 where one is chosen at the start."""
    bind = options.bind
    if bind.startswith("unix:"):
        return Address("localhost", 0, unix=bind.removeprefix("unix:"))
    host, colon, port = bind.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise PlanError.of(ERRORS.no_place_to_bind(bind), code="target.bad-address")
    return Address(host.strip("[]") or "127.0.0.1", int(port))


def start(
    options: Options,
    setting: Setting,
    folder: Path,
    base: Path,
    cpus: tuple[int, ...] | None = None,
    environment: Mapping[str, str] = NO_VARIABLES,
) -> Running:
    """Start gunicorn with a setting; see _server.start for the errors."""
    python = _server.interpreter(options.python, base)
    installed = _python.asked(python, "gunicorn", _QUESTION)
    settings, version = installed["settings"], str(installed["version"])
    assert isinstance(settings, list)
    parts = _python.split(setting, options)
    _raise_if_unsupported(parts.own, settings, version)
    address = _address(options, base)
    bind = f"unix:{address.unix}" if address.unix else address.url.partition("//")[2]
    argv = [python, "-m", "gunicorn", options.app, "--bind", bind]
    if "control_socket_disable" in settings:
        argv.append("--no-control-socket")
    if options.timeout is not None and "timeout" not in setting:
        argv += ["--timeout", f"{options.timeout:g}"]
    argv += _knobs.arguments(parts.own, _CHANNELS)
    argv += options.args
    return _server.start(
        Recipe(
            name="gunicorn", argv=tuple(argv),
            env=joined(environment, parts.env),
            cwd=(base / options.chdir).absolute(),
            cpus=options.cpus or cpus or (), address=address, ready=options.ready, stop=options.stop,
            log=folder / "target.log", mistakes=_mistakes(options.app, version), facts={"gunicorn": version},
            within=parts.within,
        )
    )  # fmt: skip


def _address(options: Options, base: Path) -> Address:
    address = where(options)
    if address.unix:
        path = str((base / address.unix).absolute())
        if (size := len(path.encode())) > UNIX_PATH_BYTES:
            wording = ERRORS.socket_path_too_long(path, UNIX_PATH_BYTES, size)
            raise PlanError.of(wording, code="target.bad-address")
        return Address("localhost", 0, unix=path)
    return address if address.port else Address(address.host, _server.free_port(address.host))


def _raise_if_unsupported(setting: Setting, settings: list[str], version: str) -> None:
    for name in setting:
        if name not in settings:
            raise TargetError(_python.unsupported(ERRORS.unknown_setting(version, name)))


def _mistakes(app: str, version: str) -> tuple[Mistake, ...]:
    def needs(_: str, worker_class: str, library: str) -> Problem:
        return _python.unsupported(ERRORS.workers_need_library(version, worker_class, library))

    def lacks(_: str, worker_class: str) -> Problem:
        return _python.unsupported(ERRORS.no_library_for_workers(version, worker_class))

    def no_class(_: str, worker_class: str) -> Problem:
        return _python.unsupported(ERRORS.no_such_workers(version, worker_class))

    return (
        Mistake(r"Error: (\w+) worker requires (.+)$", needs),
        Mistake(r"You need (\w+) installed to use this worker", lacks),
        Mistake(r"Entry point \('gunicorn.workers', '(\w+)'\) not found", no_class),
        Mistake(r"^Failed to find attribute '(.+)' in '(.+)'", _python.no_variable),
        Mistake(r"^Failed to find application object '(.+)' in '(.+)'", _python.no_variable),
        *_python.mistakes(app),
    )
