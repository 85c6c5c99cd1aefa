"""The machine before a trial: who it is, and how noisy it is."""

import os
import platform
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from loadrig import __version__

LOOK_S = 0.25
"""Long enough for 25 ticks of /proc/stat a core, short beside the shortest trial."""

BUSY_SHARE = 0.10
"""A tenth of a core used by others before the load starts is as large as most differences sought."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Noise before the load: share of each core in use, load average, and sentences of warning."""

    busy_share: dict[str, float]
    load_1m: float
    warnings: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As kept in the manifest."""
        return asdict(self)


def look(sleep: Callable[[float], None] = time.sleep) -> Surroundings:
    """Watch the cores for a moment while nothing of ours runs."""
    before = _cores()
    sleep(LOOK_S)
    after = _cores()
    busy = {}
    for core, (used, total) in after.items():
        used_before, total_before = before.get(core, (used, total))
        busy[core] = (used - used_before) / (total - total_before) if total > total_before else 0.0
    warnings = tuple(
        f"{core} was {share:.0%} busy before the load began: something else runs on this machine"
        for core, share in busy.items()
        if share > BUSY_SHARE
    )
    return Surroundings(busy, os.getloadavg()[0], warnings)


def parse_stat(text: str) -> dict[str, tuple[int, int]]:
    """Used and total ticks of each core, from /proc/stat. Steal counts as used: it is not ours."""
    cores = {}
    for line in text.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu":
            ticks = [int(field) for field in fields[:8]]
            idle = ticks[3] + ticks[4]
            cores[name] = (sum(ticks) - idle, sum(ticks))
    return cores


def _cores() -> dict[str, tuple[int, int]]:
    return parse_stat(Path("/proc/stat").read_text(encoding="ascii"))


def machine() -> dict[str, Any]:
    """Facts of this machine and of the rig, for the manifest and the report."""
    return {
        "loadrig": __version__,
        "python": platform.python_version(),
        "system": platform.system(),
        "kernel": platform.release(),
        "architecture": platform.machine(),
        "cpu": _cpu_model(),
        "cores": len(os.sched_getaffinity(0)),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    }


def _cpu_model() -> str:
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return "unknown"
    for line in text.splitlines():
        if line.startswith(("model name", "Model", "cpu model")):
            return line.partition(":")[2].strip()
    return "unknown"
