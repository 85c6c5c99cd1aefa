"""The host's memory: what is free, what is swapped, waits for it, and kills for lack of it.

## What it reads

/proc/meminfo, /proc/vmstat, /proc/pressure/memory.

## How to read it

`available` is what programs can still have without swapping; `free` alone means nothing. Stalled
time that grows while the server is slow says that memory is the reason. Each out-of-memory kill is
an event, so that it shows in the timeline; the kernel counts those of limited groups too.

## Cost

0.3 ms of one core for a sample.
Measured on Linux 6.18, Python 3.11.
"""

from collections.abc import Mapping

from loadrig.base.effects import ServerEffect
from loadrig.base.series import Event, Metric, Sample
from loadrig.language.events import SENTENCES, event_words
from loadrig.probes._session import parse_pairs, parse_pressure
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_host, on_host

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "total_bytes": Metric("B", "gauge", "Memory of the machine.", otel="system.memory.limit"),
    "available_bytes": Metric(
        "B", "gauge", "What programs can still have without swapping, the kernel's guess."
    ),
    "free_bytes": Metric(
        "B", "gauge", "Memory that nothing uses, not even as a cache.", otel="system.memory.usage"
    ),
    "cached_bytes": Metric("B", "gauge", "File contents kept in memory.", otel="system.memory.usage"),
    "dirty_bytes": Metric("B", "gauge", "File contents that wait to be written."),
    "swap_total_bytes": Metric("B", "gauge", "Size of the swap space."),
    "swap_free_bytes": Metric("B", "gauge", "Swap space that is not used."),
    "stalled_some_s": Metric("s", "counter", "Time in which at least one task waited for memory (PSI some)."),
    "stalled_full_s": Metric("s", "counter", "Time in which all tasks waited for memory (PSI full)."),
    "major_faults": Metric("1", "counter", "Page faults that had to read from a disk."),
    "swapped_in_pages": Metric("1", "counter", "Pages read from swap."),
    "swapped_out_pages": Metric("1", "counter", "Pages written to swap."),
    "oom_kills": Metric(
        "1", "counter", "Processes killed because memory ran out, on the machine or in a group."
    ),
}

_MEMINFO = {
    "MemTotal": "total_bytes", "MemAvailable": "available_bytes", "MemFree": "free_bytes",
    "Cached": "cached_bytes", "Dirty": "dirty_bytes", "SwapTotal": "swap_total_bytes",
    "SwapFree": "swap_free_bytes",
}  # fmt: skip
_VMSTAT = {
    "pgmajfault": "major_faults", "pswpin": "swapped_in_pages", "pswpout": "swapped_out_pages",
    "oom_kill": "oom_kills",
}  # fmt: skip


def parse_meminfo(text: str) -> dict[str, int]:
    """Return bytes by the kernel's names; lines without a unit (counts of huge pages) are left out."""
    sizes = {}
    for line in text.splitlines():
        name, _, rest = line.partition(":")
        number, _, unit = rest.strip().partition(" ")
        if unit == "kB":
            sizes[name] = int(number) * 1024
    return sizes


class MemoryWatch(Watch):
    """Session of the probe."""

    probe = "memory"
    _kills: int | None = None

    def sample(self, t_ns: int) -> list[Sample]:
        """Read /proc/meminfo, /proc/vmstat and the pressure of memory."""
        values: dict[str, float] = {}
        meminfo = parse_meminfo(self.text("proc/meminfo"))
        values.update({metric: meminfo[name] for name, metric in _MEMINFO.items() if name in meminfo})
        vmstat = parse_pairs(self.text("proc/vmstat"))
        values.update({metric: vmstat[name] for name, metric in _VMSTAT.items() if name in vmstat})
        pressure = parse_pressure(self.text("proc/pressure/memory"))
        values.update({f"stalled_{kind}_s": seconds for kind, seconds in pressure.items()})
        self._note_kills(t_ns, vmstat.get("oom_kill"))
        return self.samples(t_ns, {(metric, ""): value for metric, value in values.items()})

    def _note_kills(self, t_ns: int, kills: int | None) -> None:
        if kills is None:
            return
        if self._kills is not None and kills > self._kills:
            n = kills - self._kills
            text = event_words(SENTENCES.memory_killed, n)
            self._events.append(Event.of(t_ns, "oom_kill", "memory", text, {"count": n}))
        self._kills = kills


fits = is_host
attach = on_host("proc/meminfo", MemoryWatch)
