"""The host's disks: how much they read and wrote, how long requests took, and how long processes waited.

## What it reads

/proc/diskstats, of each whole disk that has ever been asked for anything; /proc/pressure/io.

## How to read it

`busy_s` grows by a second each second when the disk always had something to do; a disk that can do many
things at once may still have room then, so look at the time that a request takes: `read_s` over `reads`,
`write_s` over `writes`, `flush_s` over `flushes`. A database that makes each commit durable waits for
flushes. `stalled_full_s` is time in which nothing could run because all waited for a disk.
Partitions are left out, as their disk counts the same; so are those in memory (loop, ram, zram).

Source: Documentation/admin-guide/iostats.rst; sectors are of 512 bytes whatever the disk's own are.

## Cost

0.06 ms of one core for a sample of one disk.
Measured on Linux 6.18, Python 3.11.
"""

from collections.abc import Mapping
from pathlib import Path

from loadrig.base.effects import ServerEffect
from loadrig.base.series import Metric, Sample
from loadrig.probes._session import parse_pressure
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_host, on_host

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "reads": Metric("1", "counter", "Reads that are done, per disk.", otel="system.disk.operations"),
    "read_bytes": Metric("B", "counter", "Bytes read, per disk.", otel="system.disk.io"),
    "read_s": Metric(
        "s", "counter", "Time that reads took, summed over reads.", otel="system.disk.operation_time"
    ),
    "writes": Metric("1", "counter", "Writes that are done, per disk.", otel="system.disk.operations"),
    "written_bytes": Metric("B", "counter", "Bytes written, per disk.", otel="system.disk.io"),
    "write_s": Metric(
        "s", "counter", "Time that writes took, summed over writes.", otel="system.disk.operation_time"
    ),
    "flushes": Metric("1", "counter", "Flushes that are done: data made durable, per disk."),
    "flush_s": Metric("s", "counter", "Time that flushes took, summed over flushes."),
    "in_flight": Metric("1", "gauge", "Requests that the disk has not finished now."),
    "busy_s": Metric(
        "s", "counter", "Time in which the disk had a request to do.", otel="system.disk.io_time"
    ),
    "queued_s": Metric("s", "counter", "Time that requests were there, summed over requests."),
    "stalled_some_s": Metric("s", "counter", "Time in which at least one task waited for a disk (PSI some)."),
    "stalled_full_s": Metric("s", "counter", "Time in which all tasks waited for a disk (PSI full)."),
}

_SECTOR_BYTES = 512
# Fields after the name, from 0. Source: Documentation/admin-guide/iostats.rst.
_FIELDS: tuple[tuple[str, int, float], ...] = (
    ("reads", 0, 1), ("read_bytes", 2, _SECTOR_BYTES), ("read_s", 3, 1e-3),
    ("writes", 4, 1), ("written_bytes", 6, _SECTOR_BYTES), ("write_s", 7, 1e-3),
    ("in_flight", 8, 1), ("busy_s", 9, 1e-3), ("queued_s", 10, 1e-3),
    ("flushes", 15, 1), ("flush_s", 16, 1e-3),
)  # fmt: skip
_IN_MEMORY = ("loop", "ram", "zram")


def parse_diskstats(text: str, disks: frozenset[str]) -> dict[str, dict[str, float]]:
    """Return the metrics of each of the named disks that was ever used.

    Kernels before 5.5 count no flushes; those fields are missing then.
    """
    values = {}
    for line in text.splitlines():
        _, _, name, *numbers = line.split()
        if name in disks and any(number != "0" for number in numbers):
            values[name] = {
                metric: int(numbers[place]) * scale
                for metric, place, scale in _FIELDS
                if place < len(numbers)
            }
    return values


def whole_disks(sys_block: Path) -> frozenset[str]:
    """Return the names of the disks that are neither partitions nor in memory."""
    names = [path.name for path in sys_block.iterdir()] if sys_block.is_dir() else []
    return frozenset(name for name in names if not name.startswith(_IN_MEMORY))


class DisksWatch(Watch):
    """Session of the probe."""

    probe = "disks"

    def __init__(self, root: Path = Path("/")) -> None:
        super().__init__(root)
        self._disks = whole_disks(root / "sys/block")

    def sample(self, t_ns: int) -> list[Sample]:
        """Read /proc/diskstats and the pressure of disks."""
        disks = parse_diskstats(self.text("proc/diskstats"), self._disks)
        figures = {
            (metric, name): value for name, values in disks.items() for metric, value in values.items()
        }
        pressure = parse_pressure(self.text("proc/pressure/io"))
        figures |= {(f"stalled_{kind}_s", ""): seconds for kind, seconds in pressure.items()}
        return self.samples(t_ns, figures)


fits = is_host
attach = on_host("proc/diskstats", DisksWatch)
