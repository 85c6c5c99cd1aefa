"""Results that every target returns: a running server, and a report of how it stopped."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Literal, Protocol, Self

from loadrig.base.running import RunningTarget

NO_VARIABLES: Mapping[str, str] = {}
"""Additions to a server's environment where nothing is asked for."""

_JOINED = {"PYTHONPATH": ":", "GODEBUG": ",", "NODE_OPTIONS": " ", "JAVA_TOOL_OPTIONS": " "}
"""Variables that hold a list, with the separator of its parts."""


def joined(needed: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Return the variables of a server: its own, and those that probes need.

    A variable that holds a list gets both values.
    """
    both = {
        name: f"{needed[name]}{between}{own[name]}"
        for name, between in _JOINED.items()
        if name in needed and name in own
    }
    return {**needed, **own, **both}


How = Literal["asked", "killed", "had_exited", "left_alone"]


@dataclass(frozen=True, slots=True)
class StopReport:
    """Report of how a server ended.

    how: "asked" (it left when asked), "killed" (something had to be killed), "had_exited" (it was gone
    before), "left_alone" (not ours). status: exit status of its root, negative for a signal. killed:
    processes that did not leave in time, pid and command. left: leftovers that could not be removed
    (processes, a port still listened on, cgroups); empty when all is well.
    """

    how: How
    seconds: float = 0.0
    status: int | None = None
    killed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


class Running(Protocol):
    """A server that answered its ready check. Stopping it twice is the same as stopping it once.

    notes: sentences a person should know (a process that may not be watched).
    facts: facts about it ("gunicorn": "23.0.0").
    """

    @property
    def target(self) -> RunningTarget:
        """Address, root process, log: what probes and the generator need."""

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences for the person who runs the trial."""

    @property
    def facts(self) -> Mapping[str, str]:
        """Versions and the like, for the record."""

    def alive(self) -> bool:
        """Return whether its root process runs."""

    def last_lines(self, n: int) -> list[str]:
        """Return the last lines that it printed; empty if the rig did not start it."""

    def stop(self) -> StopReport:
        """End the server and everything that it started."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
