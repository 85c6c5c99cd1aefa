"""The machine around a trial: which machine it is, and how noisy it is."""

import os
import sys
import time
from collections.abc import Callable, Collection, Iterable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

from loadrig import __version__
from loadrig.base import kernel_files
from loadrig.base.component import Component
from loadrig.base.rig_limits import OTHER_WORK
from loadrig.language.choice import texts_of
from loadrig.language.en.trial.running import TrialSurroundingsTexts
from loadrig.trial import busy_programs

TEXTS = texts_of(TrialSurroundingsTexts)

LOOK_S = 0.25
"""Length of a look at the cores, in seconds: long enough for 25 ticks of /proc/stat a core, short beside the
shortest trial."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Machine of the rig, with the fields of the manifest's `MachineDocument`.

    cores: those that the rig may use.
    """

    loadrig: str
    python: str
    system: str
    kernel: str
    architecture: str
    cpu: str
    cores: int
    memory_bytes: int

    def to_json(self) -> dict[str, Any]:
        """Return the machine as it is kept in the manifest and in a ledger."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Noise around the load: share of each core in use, load average, and sentences of warning.

    when: busy_share was seen before the load began or after it had ended; load_1m is always from before.
    programs: programs that used CPU time meanwhile, as `busy_programs.busy` tells; seen after the load alone.
    """

    busy_share: dict[str, float]
    load_1m: float
    warnings: tuple[str, ...]
    when: Literal["before", "after"] = "before"
    programs: tuple[busy_programs.UsingProgram, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the surroundings as they are kept in the manifest."""
        return asdict(self)


def look(sleep: Callable[[float], None] = time.sleep, cores: Collection[int] | None = None) -> Surroundings:
    """Watch the cores for a moment before the load, while nothing of ours runs.

    cores: those that the trial has to itself, on a node beside others; None: all.
    """
    load_1m = os.getloadavg()[0]
    own = None if cores is None else {f"cpu{core}" for core in cores}
    busy = {core: share for core, share in _busy_share(sleep).items() if own is None or core in own}
    return Surroundings(busy, load_1m, _warnings(busy, TEXTS.before_load_began))


def glance() -> Surroundings:
    """Return what is known of the noise without waiting. The cores are watched by `look_after`."""
    return Surroundings({}, os.getloadavg()[0], ())


def look_after(
    before: Surroundings,
    components: Iterable[Component] = (),
    sleep: Callable[[float], None] = time.sleep,
) -> Surroundings:
    """Watch the cores for a moment after the load, while nothing of ours runs any more.

    before: the glance taken before it. Where a server runs already nothing else has to be waited for, and a
    look before the load would be most of the time until the first request. components: components that were
    measured, which should have nothing to do now.
    """
    watched = tuple(components)
    first, began = busy_programs.look(watched), time.monotonic()
    busy = _busy_share(sleep)
    programs = busy_programs.busy(first, busy_programs.look(watched), time.monotonic() - began)
    return replace(
        before,
        busy_share=busy,
        warnings=_warnings(busy, "after the load had ended", programs),
        when="after",
        programs=tuple(programs),
    )


def _busy_share(sleep: Callable[[float], None]) -> dict[str, float]:
    before = _cores()
    sleep(LOOK_S)
    after = _cores()
    busy = {}
    for core, (used, total) in after.items():
        used_before, total_before = before.get(core, (used, total))
        busy[core] = (used - used_before) / (total - total_before) if total > total_before else 0.0
    return busy


def _warnings(
    busy: dict[str, float], when: str, programs: Iterable[busy_programs.UsingProgram] = ()
) -> tuple[str, ...]:
    text = ", ".join(_described(program) for program in programs) or TEXTS.something_else_runs
    return tuple(
        TEXTS.was_busy(core, f"{share:.0%}", when, text) for core, share in busy.items() if share > OTHER_WORK
    )


def _described(program: busy_programs.UsingProgram) -> str:
    owner = TEXTS.program_of(program.component) if program.component else ""
    return TEXTS.process_used_cores(program.name, str(program.pid), owner, f"{program.cores:.2g}")


def parse_stat(text: str) -> dict[str, tuple[int, int]]:
    """Return used and total ticks of each core, from /proc/stat. Steal counts as used: it is not ours."""
    cores = {}
    for line in text.splitlines():
        name, *fields = line.split()
        if name.startswith("cpu") and name != "cpu":
            ticks = [int(field) for field in fields[:8]]
            idle = ticks[3] + ticks[4]
            cores[name] = (sum(ticks) - idle, sum(ticks))
    return cores


def parse_stolen(text: str, cores: Collection[int]) -> dict[int, int]:
    """Return the nanoseconds that the hypervisor took from each core, from /proc/stat (steal)."""
    tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
    stolen_ns = {}
    for line in text.splitlines():
        name, *fields = line.split()
        number = name.removeprefix("cpu")
        if number.isdecimal() and int(number) in cores and len(fields) > 7:
            stolen_ns[int(number)] = int(fields[7]) * tick_ns
    return stolen_ns


def _cores() -> dict[str, tuple[int, int]]:
    return parse_stat(Path("/proc/stat").read_text(encoding="ascii"))


def machine() -> Machine:
    """Return this machine and the rig on it."""
    system = os.uname()
    return Machine(
        loadrig=__version__,
        python=".".join(map(str, sys.version_info[:3])),
        system=system.sysname,
        kernel=system.release,
        architecture=system.machine,
        cpu=_cpu_model(),
        cores=len(os.sched_getaffinity(0)),
        memory_bytes=os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
    )


def _cpu_model() -> str:
    for line in (kernel_files.read("/proc/cpuinfo") or "").splitlines():
        if line.startswith(("model name", "Model", "cpu model")):
            return line.partition(":")[2].strip()
    return "unknown"
