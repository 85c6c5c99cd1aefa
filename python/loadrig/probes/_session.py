"""What a probe is to the observer, and how it says that it cannot work here."""

from pathlib import Path
from typing import Protocol

from loadrig.base.series import Event, Sample


class Unavailable(Exception):
    """A probe cannot watch this target here. reason: why; mend: what would let it; code: see `explain`."""

    def __init__(self, reason: str, mend: str, code: str) -> None:
        super().__init__(reason)
        self.reason, self.mend, self.code = reason, mend, code


class Session(Protocol):
    """A probe that is attached to one target."""

    def sample(self, t_ns: int) -> list[Sample]:
        """Read once. t_ns: the instant on the rig's clock that the samples bear."""

    def events(self) -> list[Event]:
        """What happened since the last call."""

    def detach(self) -> None:
        """Give back whatever was opened; after this nothing of the probe is left."""


def read(path: Path) -> str | None:
    """The text of a file of the kernel, or None where there is none or it may not be read."""
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


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
