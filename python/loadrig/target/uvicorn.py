"""Uvicorn: an ASGI application, with the knobs by their real names.

## What it does

Runs `python -m uvicorn APP` with the setting as flags. It is ready when it has answered a request.

## Options

`app` is `module:variable`, looked for in `chdir`; with `factory: true` it is a function that makes
the application. `python` names the interpreter (or the folder of its environment) that has uvicorn
and the application; by default the one that runs loadrig. The access log is off unless asked for:
it costs a line of output for every request.

## Knobs

With `limit_max_requests` a worker ends after so many requests; only with `workers` above 1 is
another one started in its place.
A `loop` or `http` whose library is not installed there is refused with target.knob-unsupported.

## Example

```yaml
target:
  uvicorn: {app: "shop:app", chdir: ../shop}
knobs:
  workers: [1, 2]
  http: [h11, httptools]
```
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base.errors import Problem
from loadrig.base.running import Address
from loadrig.base.setting import Knob, Setting
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target_python import TargetUvicornErrors
from loadrig.target import _knobs, _python, _server
from loadrig.target._knobs import Channel, by_name, catalogue
from loadrig.target._python import PythonServerOptions
from loadrig.target._running import NO_VARIABLES, Running, joined
from loadrig.target._server import Mistake, Recipe

ERRORS = texts_of(TargetUvicornErrors)

# Source: uvicorn's settings page (www.uvicorn.org/settings), defaults of 0.34 to 0.54.
KNOBS = by_name(
    Knob(
        "workers", "int",
        "Worker processes; each has an event loop and a copy of the application.",
        1, 1, 256, cost=3,
    ),
    Knob(
        "loop", "word",
        "Event loop; auto takes uvloop if it is installed.",
        "auto", words=("auto", "asyncio", "uvloop"),
    ),
    Knob(
        "http", "word",
        "Parser of requests; auto takes httptools if it is installed.",
        "auto", words=("auto", "h11", "httptools"),
    ),
    Knob(
        "ws", "word",
        "WebSocket implementation.",
        "auto", words=("auto", "none", "websockets", "websockets-sansio", "wsproto"),
    ),
    Knob(
        "lifespan", "word",
        "Whether the application is told of start and end.",
        "auto", words=("auto", "on", "off"),
    ),
    Knob(
        "interface", "word",
        "Kind of application; wsgi runs a WSGI one in threads.",
        "auto", words=("auto", "asgi3", "asgi2", "wsgi"),
    ),
    Knob(
        "backlog", "int",
        "Most connections that wait to be accepted; the kernel's somaxconn caps it.",
        2048, 1, 65535,
    ),
    Knob(
        "limit_concurrency", "int",
        "Most connections or tasks at once; above it the answer is 503.",
        None, 1, 1_000_000,
    ),
    Knob("limit_max_requests", "int", "Requests after which a worker ends.", None, 1, 100_000_000),
    Knob("timeout_keep_alive", "int", "Seconds that an idle connection is kept.", 5, 0, 3600, unit="s"),
    Knob(
        "timeout_graceful_shutdown", "int",
        "Seconds that requests have to end when it is stopped.",
        None, 0, 3600, unit="s",
    ),
    Knob("access_log", "flag", "A line of output for every request.", False),
    Knob("proxy_headers", "flag", "Take the client's address from X-Forwarded-For.", True),
    Knob("server_header", "flag", "Send a Server header.", True),
    Knob("date_header", "flag", "Send a Date header.", True),
)  # fmt: skip

_CHANNELS: Mapping[str, Channel] = {
    name: Channel(f"--{flag}", no_flag=f"--no-{flag}") if knob.kind == "flag" else Channel(f"--{flag} {{}}")
    for name, knob in KNOBS.items()
    for flag in (name.replace("_", "-"),)
}

_QUESTION = """
import json
import uvicorn
print(json.dumps({"version": uvicorn.__version__}))
"""


@dataclass(frozen=True, slots=True)
class Options(PythonServerOptions):
    """An ASGI application served by uvicorn."""

    app: str = option("The application, module:variable.", example='"shop:app"')
    factory: bool = option("The variable is a function that makes the application.", default=False)
    host: str = option("Its address on this machine.", default="127.0.0.1")
    port: int = option("Its port; 0 is a free one chosen at each start.", default=0, low=0, high=65535)
    unix: str | None = option("Path of its Unix socket, instead of host and port.", default=None)


def knobs(options: Options) -> dict[str, Knob]:
    """Return the catalogue: its own knobs, and those of the application that the options declare."""
    return {**KNOBS, **catalogue(options.app_knobs, _knobs.TEXTS.application)}


def where(options: Options) -> Address:
    """Return the address without starting uvicorn; port 0 where one is chosen at the start."""
    return Address(options.host, options.port, unix=options.unix)


def start(
    options: Options,
    setting: Setting,
    folder: Path,
    base: Path,
    cpus: tuple[int, ...] | None = None,
    environment: Mapping[str, str] = NO_VARIABLES,
) -> Running:
    """Start uvicorn with a setting; see _server.start for the errors."""
    python = _server.interpreter(options.python, base)
    version = str(_python.asked(python, "uvicorn", _QUESTION)["version"])
    address = where(options)
    if address.unix:
        address = Address("localhost", 0, unix=str((base / address.unix).absolute()))
    elif not address.port:
        address = Address(address.host, _server.free_port(address.host))
    argv = [python, "-m", "uvicorn", options.app]
    argv += ["--uds", address.unix] if address.unix else ["--host", address.host, "--port", str(address.port)]
    argv += ["--factory"] if options.factory else []
    parts = _python.split(setting, options)
    argv += _knobs.arguments({"access_log": False, **parts.own}, _CHANNELS)
    argv += options.args
    return _server.start(
        Recipe(
            name="uvicorn", argv=tuple(argv),
            env=joined(environment, parts.env),
            cwd=(base / options.chdir).absolute(),
            cpus=options.cpus or cpus or (), address=address, ready=options.ready, stop=options.stop,
            log=folder / "target.log", mistakes=_mistakes(options.app, version), facts={"uvicorn": version},
            within=parts.within,
        )
    )  # fmt: skip


def _mistakes(app: str, version: str) -> tuple[Mistake, ...]:
    def lacks(_: str, library: str) -> Problem:
        return _python.unsupported(ERRORS.library_not_installed(version, library))

    def refused(_: str, option: str) -> Problem:
        return _python.unsupported(ERRORS.value_refused(version, option))

    return (
        # With several workers the parent lives on and starts broken ones again.
        Mistake(r'Could not import module "(.+)"', _python.no_module, fatal=True),
        Mistake(r'Attribute "(.+)" not found in module "(.+)"', _python.no_variable, fatal=True),
        Mistake(
            r"^ModuleNotFoundError: No module named '(uvloop|httptools|websockets|wsproto)'",
            lacks,
            fatal=True,
        ),
        Mistake(r"Invalid value for '(.+?)'", refused),
        *_python.mistakes(app),
    )
