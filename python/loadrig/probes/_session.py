"""Form of a probe towards the observer, and the errors by which it says that it cannot work here."""

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
    """Error of `sample`: the watched program cannot be read now, and may come back.

    The observer reports it once, marks the gap in the recording, and goes on asking.
    """


@dataclass(frozen=True, slots=True)
class Place:
    """Surroundings of a probe. root: "/" but in tests. folder: the trial's, for files that a probe writes.

    base: the folder of the plan, against which relative paths are taken.
    components: the components known so far, with the host and the server; others are found later.
    permits: effects on a server that the plan or a flag allows; see base.effects.
    purse: CPU time that all sensors of this process share; a sensor can look more or less often.
    """

    root: Path = Path("/")
    folder: Path | None = None
    base: Path = Path()
    components: Callable[[], tuple[Component, ...]] = tuple
    permits: frozenset[str] = frozenset()
    purse: Purse = field(default_factory=Purse)


class Session(Protocol):
    """A probe that is attached to a component.

    A session may have three more attributes: `cpu_s`, the CPU seconds used outside of `sample`, in
    threads and programs of its own; `metrics`, a mapping as METRICS of metrics found at run time;
    `peers`, hosts and ports to which the component was seen to hold a connection.
    """

    def sample(self, t_ns: int) -> list[Sample]:
        """Read once. t_ns: the instant on the rig's clock that the samples bear.

        Must not wait: a probe that waits for an answer reads in a thread of its own (`_aside`).
        Raises Lost while there is nothing to read.
        """

    def events(self) -> list[Event]:
        """Return the events since the last call."""

    def detach(self) -> None:
        """Close whatever was opened; after this nothing of the probe is left."""


def parse_pressure(text: str) -> dict[str, float]:
    """Return the seconds stalled since boot in a text of pressure stall information: "some" and "full".

    Source: Documentation/accounting/psi.rst; totals are in microseconds.
    """
    seconds = {}
    for line in text.splitlines():
        kind, _, rest = line.partition(" ")
        total = rest.rpartition("total=")[2]
        if total.isdecimal():
            seconds[kind] = int(total) / 1e6
    return seconds


def parse_pairs(text: str) -> dict[str, int]:
    """Return the numbers in lines of a name and a whole number, as in /proc/vmstat and cpu.stat.

    All other lines are left out.
    """
    numbers = {}
    for line in text.splitlines():
        name, _, number = line.partition(" ")
        if number.strip().isdecimal():
            numbers[name] = int(number)
    return numbers
