"""More workers or threads run than there are cores for them, and they get in each other's way.

## Signature

The cores are used up; several times as many threads as cores want to run at once; much of the CPU time
goes to the kernel, or the workers' memory fills its limit.

## Data

Threads that run or could run, workers, context switches, the kernel's part of the CPU time, memory.

## Deciding test

`--prove` starts fewer workers or threads, in turns, where these are knobs: throughput is higher, or the tail
shorter. Where nothing is better with fewer, they were not too many.

## Guard

Under a full closed load as many threads want to run as there are users, whatever the workers: one trial
cannot tell that from too many. Threads that wait for a dependency are no excess.

## Fix

Nearer to the number of cores; for what waits much, threads or an event loop instead of processes.
"""

from collections.abc import Iterator

from loadrig.base.units import show_cores, show_number, show_share, show_size
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import busy_cores
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.proofs import Proof

TITLE = "more workers or threads run than there are cores for"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("workers", "use")

PROOFS = (
    Proof("knob", ("workers", "threads"), "less"),
    Proof("cpu", is_needed=False, is_own=False),
)

EXCESS_OVER_CORES = 4.0
"""Threads that want to run, over cores, from which on there are too many: usual advice is two for a core (2 n
+ 1 of gunicorn)."""

KERNEL_SHARE = 0.4
"""Share of the CPU time in the kernel, 0 to 1, from which on it is too much: a web server spends a third
there for its sockets."""

SWITCHES_PER_CORE_S = 10_000.0
"""Switches a second and core, from which on they cost a good part of the core: one takes 2 to 10 µs with the
caches that it spoils. Source: Li, Ding, Shen 2007, Quantifying the cost of context switch."""

MEMORY_SHARE = 0.9
"""Share of a group's memory in use, 0 to 1, from which on its processes crowd each other out."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program with far more threads at work than cores."""
    for tier in case.programs:
        running = tier.track("process.threads", "state:R")
        if running is None or tier.cpu is None or tier.is_database:
            continue
        if running.mean >= EXCESS_OVER_CORES * tier.cores and tier.cpu.mean > 0:
            yield _hypothesis(case, tier)


def _hypothesis(case: Case, tier: Tier) -> Hypothesis:
    running = tier.track("process.threads", "state:R")
    assert running is not None
    assert tier.cpu is not None
    full = max(tier.cpu.mean / tier.cores, busy_cores(case, tier) / tier.places)
    costs = tuple(_costs(tier))
    cores = show_cores(tier.cores)
    fewer = max(1, round(tier.cores) + 1)
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                full >= FULL_SHARE,
                f"{show_number(running.mean)} of its threads wanted to run on {cores}",
                running.source,
                SLIGHT,
            ),
            Sign(
                True if costs else None,
                "being so many costs it something"
                if costs
                else "what they cost each other shows only beside a run with fewer",
                FormulaSource(f"{running.mean:.1f} threads / {cores}"),
                SLIGHT,
            ),
        ),
        more=costs,
        effect=f"{show_number(running.mean)} threads wanted to run on {cores};"
        f" {max(1, tier.workers)} processes",
        mend=f"try fewer: --workers {fewer}, and threads only for what waits",
        decides="the same load with a quarter fewer workers: if this is the cause, nothing is lost and the"
        " tail shortens",
    )


def _costs(tier: Tier) -> Iterator[Evidence]:
    kernel = tier.track("process.cpu_system_s", "tree")
    switches = [tier.track(f"process.{kind}voluntary_switches", "tree") for kind in ("", "in")]
    rate = sum(track.mean for track in switches if track is not None)
    source = next((track.source for track in switches if track is not None), None)
    if source is not None and kernel is not None and tier.cpu is not None:
        share = kernel.mean / tier.cpu.mean
        if rate >= SWITCHES_PER_CORE_S * tier.cores and share >= KERNEL_SHARE:
            text = f"{show_number(rate)} context switches a second, and {show_share(share)} of its time"
            yield Evidence(f"{text} went to the kernel", source, STRONG)
    for group, limit in tier.parts("cgroup.memory_limit_bytes").items():
        memory = tier.track("process.pss_bytes", "tree")
        if memory is not None and limit.median > 0 and memory.high() >= MEMORY_SHARE * limit.median:
            text = (
                f"its processes hold {show_size(memory.high())} of the {show_size(limit.median)} of {group}"
            )
            yield Evidence(text, memory.source, STRONG)
