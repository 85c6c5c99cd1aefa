"""The CPU of a machine is used up by what is measured.

## Signature

The cores that a program may use are busy nearly all of the time, by that program more than by anybody
else; its threads wait for a core, and no control group holds them back.

## Data

CPU time of the program and of each core, time that threads waited for a core (schedstat), pressure (PSI).

## Deciding test

Give it more cores, or a higher share: throughput follows in proportion.

## Guard

The generator or a neighbour may be who uses the cores; so the program's own use is what counts, not the
machine's. A program in one thread at a time (an event loop, the interpreter lock of CPython) fills one core
and no more: that is another cause.

## Fix

More cores or another machine beside it; before that, the function that takes most of the time.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_number, show_share
from loadrig.findings.case import Case
from loadrig.findings.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.findings.tier import Tier

TITLE = "the CPU is used up"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
EXPLAINS = {
    "too_few_workers": "here",
    "accept_backlog": "here",
    "worker_timeouts": "here",
    "slow_dependency": "anywhere",
    "pool_too_small": "anywhere",
}

FULL_SHARE = 0.90
"""Of the cores that it may use: a run queue is long from here on, and no more than a tenth is left."""

LEAST_OF_BUSY = 0.5
"""Of the time that its cores were busy: below it somebody else fills them."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """One hypothesis for each program that runs on this machine."""
    for tier in case.programs:
        if tier.cpu is None or tier.is_database:
            continue
        yield _of(case, tier)


def _of(case: Case, tier: Tier) -> Hypothesis:
    assert tier.cpu is not None
    used, places = tier.cpu.mean, float(tier.places)
    busy = busy_cores(case, tier)
    own_share = used / busy if busy else math.nan
    full = (busy if math.isfinite(busy) else used) / places
    delay = tier.track("process.run_delay_s", "tree")
    waited = delay.mean if delay is not None else math.nan
    signs = (
        Sign(
            full >= FULL_SHARE,
            f"the {_cores(places)} it may use were busy {show_share(min(full, 1.0))} of the time,"
            f" {show_number(used)} by itself",
            tier.cpu.source,
            STRONG if used / places >= 0.8 else CLEAR,
        ),
        Sign(
            None if math.isnan(own_share) else own_share >= LEAST_OF_BUSY,
            f"{show_share(min(own_share, 1.0))} of the busy time of these cores was its own"
            if math.isfinite(own_share)
            else "who else used its cores is not known",
            FormulaSource(f"{show_number(used)} cores / {show_number(busy)} busy cores"),
            SLIGHT,
        ),
        Sign(
            tier.quota >= places,
            "no CPU quota holds it back"
            if tier.quota >= places
            else f"its quota of {show_number(tier.quota)} cores is the tighter limit",
            FormulaSource(f"quota {tier.quota:g}, cores {places:g}"),
            0.0,
        ),
    )
    more = []
    if delay is not None and waited > 0.2 * used:
        text = f"its threads waited for a core {show_number(waited)} s every second"
        more.append(Evidence(text, delay.source, CLEAR))
    ceiling = places / (used / case.load.ended_rps) if used and case.load.ended_rps else math.nan
    return Hypothesis(
        component=tier.name,
        signs=signs,
        more=tuple(more),
        effect=f"it used {show_number(used)} of {_cores(places)}, full at {show_number(case.load.ok_rps)}/s",
        mend="look at what takes the time (profile: at saturation), then more cores or another instance",
        decides="the same load with a quarter more CPU: if this is the cause, throughput follows",
        bound=min(1.0, used / places),
        bound_text=f"{show_number(used)} of {show_number(places)} cores: full at {show_number(ceiling)}/s"
        if math.isfinite(ceiling)
        else "",
    )


def busy_cores(case: Case, tier: Tier) -> float:
    """Cores in use, by whomever, of those that a program may run on; NaN where that was not read."""
    busy = 0.0
    known = False
    host = case.tiers.get(tier.host, case.host)
    for core in tier.cpus or range(case.cores):
        for state in ("user_s", "nice_s", "system_s", "irq_s", "softirq_s"):
            track = host.track(f"system_cpu.{state}", f"cpu{core}")
            if track is not None:
                known = True
                busy += track.mean
    return busy if known else math.nan


def _cores(number: float) -> str:
    return "core" if number == 1 else f"{number:g} cores"
