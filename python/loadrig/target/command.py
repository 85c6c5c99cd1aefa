"""Program of any kind that serves HTTP, started with the command line that you write.

## What it does

Starts the program in a session of its own, on its cores, with its output in `target.log` of the
trial's folder, waits until it is ready, and at the end stops it and everything it started. The
program inherits the rig's environment and gets one variable more, LOADRIG_TARGET, by which its
children are recognised even when they have left it.

## Options

`{port}` and `{host}` in the command and in `env` stand for the address. Leave the port out and a
free one is chosen for each start; then the command must contain `{port}` somewhere. A command that
is one text is split as a shell would split it, but no shell runs: pipes and variables do not work.

## Knobs

Declared under `knob_flags`: a name, and how the program is told its value: by a `flag`, by a variable
(`env`), by an option of the JVM (`jvm`, through JAVA_TOOL_OPTIONS, which a JVM reads before its command line:
an option that stands there too is refused), by a file, or by what it runs within:
`limit: cpus` (how many of its cores), `limit: cpu_quota` (cores, in a control group of its own), `sysctl` (of
the network namespace, where that is not the machine's).

A file is a template under `files`, with `{{knob}}` where a value goes; it is written into the trial's folder
before each start, and `{file:NAME}` in the command or in `env` says where. Your own files are only read.
Sysctls are written back when the program has ended, and after a kill by the next command, in the namespace
where they were set. The control group of a quota is removed when the program has ended, and after a kill by
`loadrig doctor --clean`.

## Example

```yaml
target:
  command:
    argv: node server.js --port {port}
    chdir: ../shop
    ready: /health
    knob_flags:
      pool: {flag: "--pool {}", low: 1, high: 64, cost: 1}
      gc: {env: NODE_GC, words: [fast, small]}
```

```yaml
target:
  command:
    argv: "java -jar shop.jar --spring.config.location={file:application.yaml}"
    env: {SERVER_PORT: "{port}"}
    files: {application.yaml: application.template.yaml}
    knob_flags:
      heap: {jvm: "-Xmx{}", kind: size, low: 64000000, default: 256MB}
      max_threads: {low: 1, high: 400, default: "200"}
      cores: {limit: cpu_quota, low: 0.1, high: 2}
```
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from loadrig.base.errors import PlanError
from loadrig.base.masks import masked_argv, masked_line
from loadrig.base.running import Address
from loadrig.base.setting import Knob, Setting
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetCommandErrors
from loadrig.target import _knobs, _server, _templates
from loadrig.target._knobs import FreeKnob, catalogue
from loadrig.target._ready import Ready
from loadrig.target._running import NO_VARIABLES, Running, joined
from loadrig.target._server import Recipe, Stop

ERRORS = texts_of(TargetCommandErrors)


@dataclass(frozen=True, slots=True)
class ListenPlace:
    """Address at which the program listens."""

    SHORT = "port"
    port: int | None = option(
        "Its port; without it a free one is chosen at each start.", default=None, low=0, high=65535
    )
    host: str = option("Its address on this machine.", default="127.0.0.1")
    scheme: Literal["http", "https"] = option("What it speaks.", default="http")
    unix: str | None = option("Path of its Unix socket, instead of host and port.", default=None)


@dataclass(frozen=True, slots=True)
class Options:
    """A program and how it is started, known to be ready and stopped."""

    SHORT = "argv"
    argv: tuple[str, ...] = option(
        "The command: a list, or one text that is split into words.", example="./server --port {port}"
    )
    env: Mapping[str, str] = option("Variables added to the rig's own environment.", factory=dict)
    chdir: str = option("Folder to start in; counts from the plan's folder.", default=".")
    address: ListenPlace = option("Where it listens; a bare number is the port.", factory=ListenPlace)
    ready: Ready = option("How it is known to be ready; a bare path must answer a GET.", factory=Ready)
    stop: Stop = option("How it is stopped.", factory=Stop)
    cpus: tuple[int, ...] = option("Cores to hold it on; by default apart from the generator's.", default=())
    files: Mapping[str, str] = option(
        "Files written before each start: templates, by the names that `{file:NAME}` asks for.", factory=dict
    )
    knob_flags: Mapping[str, FreeKnob] = option("Its knobs, and how it is told their values.", factory=dict)


def knobs(options: Options) -> dict[str, Knob]:
    """Return the catalogue that the options declare."""
    return catalogue(options.knob_flags, _knobs.TEXTS.command)


def words_of(options: Options) -> list[str]:
    """Return the words of the command, before places in it are filled. Raises PlanError where it has none."""
    return _words(options.argv)


def where(options: Options) -> Address:
    """Return the address without starting the program; port 0 where one is chosen at the start."""
    place = options.address
    return Address(place.host, place.port or 0, place.scheme, place.unix)


def start(
    options: Options,
    setting: Setting,
    folder: Path,
    base: Path,
    cpus: tuple[int, ...] | None = None,
    environment: Mapping[str, str] = NO_VARIABLES,
) -> Running:
    """Start the program with a setting; see _server.start for the errors."""
    address = where(options)
    words = _words(options.argv)
    channels = _knobs.channels_of(options.knob_flags)
    asked = _templates.knobs_in(options.files, base)
    _templates.raise_if_untold(name for name in setting if not channels[name].is_passed and name not in asked)
    values = {name: knob.default for name, knob in options.knob_flags.items() if knob.default is not None}
    files = _templates.written(options.files, {**values, **setting}, folder, base)
    _knobs.raise_if_overruled(setting, channels, words)
    words += _knobs.arguments(setting, channels)
    variables = _knobs.environment(setting, channels)
    env = joined({**_knobs.inherited(options.env, variables), **options.env}, variables)
    if address.unix:
        address = Address("localhost", 0, address.scheme, str((base / address.unix).absolute()))
    elif not address.port:
        _raise_if_not_told(options, words, env)
        address = Address(address.host, _server.free_port(address.host), address.scheme)

    def fill(text: str) -> str:
        # Not str.format: braces are common in command lines (JSON, Go templates).
        text = text.replace("{port}", str(address.port)).replace("{host}", address.host)
        return _templates.filled(text.replace("{socket}", address.unix or "{socket}"), files)

    return _server.start(
        Recipe(
            name=Path(words[0]).name,
            argv=tuple(fill(word) for word in words),
            env=joined(environment, {name: fill(value) for name, value in env.items()}),
            cwd=(base / options.chdir).absolute(),
            cpus=options.cpus or cpus or (),
            address=address,
            ready=options.ready,
            stop=options.stop,
            log=folder / "target.log",
            within=_knobs.within(setting, channels),
        )
    )


def _words(argv: tuple[str, ...]) -> list[str]:
    try:
        words = shlex.split(argv[0]) if len(argv) == 1 else list(argv)
    except ValueError as error:
        wording = ERRORS.command_not_split(masked_line(argv[0]), str(error))
        raise PlanError.of(wording, code="target.bad-command") from None
    if not words or not words[0]:
        raise PlanError.of(ERRORS.empty_command, code="target.bad-command")
    return words


def _raise_if_not_told(options: Options, words: list[str], env: Mapping[str, str]) -> None:
    if any("{port}" in text for text in (*words, *env.values())):
        return
    wording = ERRORS.port_not_told(shlex.join(masked_argv(options.argv)))
    raise PlanError.of(wording, code="target.no-port")
