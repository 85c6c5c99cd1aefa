"""A server that runs already: loaded and watched, neither started nor stopped.

## What it does

On this machine it finds the process that listens on the address, and the root of its tree (the
master of workers that share its socket), so that the probes watch the right processes. If that is
not permitted, or the server is in a container, it says so and goes on without. On another machine
only the load is measured from here.

## Options

`url` alone is enough. `pid` names the root process where it cannot be found.

## Knobs

None: what is not started cannot be set.

## Example

```yaml
target:
  external: http://127.0.0.1:8000
```
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from loadrig.base import processes, serving
from loadrig.base.errors import PlanError, TargetError
from loadrig.base.loopback import is_loopback
from loadrig.base.running import Address, RunningTarget
from loadrig.base.setting import Knob, Setting
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.target import TargetExternalErrors
from loadrig.target._running import NO_VARIABLES, Running, StopReport

ERRORS = texts_of(TargetExternalErrors)

STARTS = False
KNOBS: Mapping[str, Knob] = {}


@dataclass(frozen=True, slots=True)
class Options:
    """A server that runs already."""

    SHORT = "url"
    url: str = option(
        "Its address, http:// or https://; a path in it is left aside.", example="http://127.0.0.1:8000"
    )
    pid: int | None = option("Root of its process tree, where it cannot be found.", default=None, low=1)
    unix: str | None = option("Path of its Unix socket, if it listens on one.", default=None)


class External:
    """A server that ran before the rig started. Implements Running."""

    def __init__(self, target: RunningTarget, start: int | None, notes: tuple[str, ...]) -> None:
        self.target = target
        self.notes = notes
        self.facts: Mapping[str, str] = {}
        self._start = start

    def alive(self) -> bool:
        """Return whether its root process runs; where that is not known, it is believed to."""
        if self.target.pid is None or self._start is None:
            return True
        return processes.is_alive(self.target.pid, self._start)

    def last_lines(self, n: int) -> list[str]:
        """Return nothing: the server's output went elsewhere."""
        del n
        return []

    def stop(self) -> StopReport:
        """Leave the server alone; return that report."""
        return StopReport("left_alone")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return


def where(options: Options) -> Address:
    """Return the address in the URL. Raises PlanError target.bad-address if there is none in it."""
    try:
        return replace(Address.of_url(options.url), unix=options.unix)
    except ValueError:
        raise PlanError.of(ERRORS.no_address(options.url), code="target.bad-address") from None


def start(
    options: Options,
    setting: Setting,
    folder: Path,
    base: Path,
    cpus: tuple[int, ...] | None = None,
    environment: Mapping[str, str] = NO_VARIABLES,
) -> Running:
    """Find the server. Raises TargetError target.not-listening if nobody listens on this machine."""
    del setting, folder, cpus, environment  # it runs as it is
    address = where(options)
    if address.unix:
        address = Address(address.host, address.port, address.scheme, str((base / address.unix).absolute()))
    pid, note = options.pid, ""
    if address.unix or is_loopback(address.host):
        listening = serving.find(address)
        if not listening.listens:
            wording = ERRORS.nothing_listens(address.unix or address.url)
            raise TargetError.of(wording, code="target.not-listening")
        if pid is None:
            pid, note = listening.pid, listening.note
    first = processes.start_of(pid) if pid is not None else None
    if options.pid is not None and first is None:
        raise TargetError.of(ERRORS.no_process(options.pid), code="target.no-process")
    now = time.monotonic_ns()
    target = RunningTarget(address=address, pid=pid, ready_ns=now)
    return External(target, first, (note,) if note else ())
