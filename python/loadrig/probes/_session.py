"""What a probe is to the observer, and how it says that it cannot work here."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from loadrig.base.component import Component
from loadrig.base.kernel_files import read as read
from loadrig.base.series import Event, Sample
from loadrig.base.unavailable import Unavailable as Unavailable
from loadrig.probes._purse import Purse


class Lost(Unavailable):
    """What is watched cannot be read now, and may come back: raised by `sample`.

    The observer says so once, marks the gap in the recording, and goes on asking.
    """


@dataclass(frozen=True, slots=True)
class Place:
    """Where a probe works. root: "/" but in tests. folder: the trial's, for files that it has written.

    base: the folder of the plan, against which its relative paths are taken.
    components: all that are known so far, the host and the server among them; more are found later.
    permits: effects on a server that the plan or a flag allows; see base.effects.
    purse: the CPU time that all sensors of this process share, for those that can look more or less often.
    """

    root: Path = Path("/")
    folder: Path | None = None
    base: Path = Path()
    components: Callable[[], tuple[Component, ...]] = tuple
    permits: frozenset[str] = frozenset()
    purse: Purse = field(default_factory=Purse)


class Session(Protocol):
    """A probe that is attached to one component.

    It may have three more attributes: `cpu_s`, the CPU seconds that it has used outside of `sample`, in
    threads and programs of its own; `metrics`, a mapping as METRICS of what it has found by itself;
    `peers`, hosts and ports to which it has seen its component hold a connection.
    """

    def sample(self, t_ns: int) -> list[Sample]:
        """Read once. t_ns: the instant on the rig's clock that the samples bear.

        Must not wait for anybody: what waits for an answer reads in a thread of its own (`_aside`).
        Raises Lost while there is nothing to read.
        """

    def events(self) -> list[Event]:
        """What happened since the last call."""

    def detach(self) -> None:
        """Give back whatever was opened; after this nothing of the probe is left."""


def parse_pressure(text: str) -> dict[str, float]:
    """Pressure stall information: {"some": seconds, "full": seconds} stalled since boot.

    Source: Documentation/accounting/psi.rst; totals are in microseconds.
    """
    found = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        total = rest.rpartition("total=")[2]
        if total.isdecimal():
            found[kind] = int(total) / 1e6
    return found


def parse_pairs(text: str) -> dict[str, int]:
    """Lines of a name and a whole number, as in /proc/vmstat and cpu.stat; other lines are left out."""
    found = {}
    for line in text.splitlines():
        name, _, number = line.partition(" ")
        if number.strip().isdecimal():
            found[name] = int(number)
    return found
