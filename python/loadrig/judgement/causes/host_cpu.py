"""The CPU of a machine is used up by what is measured.

## Signature

The cores that a program may use are busy nearly all of the time, by that program more than by anybody
else; its threads wait for a core, and no control group holds them back.

## Data

CPU time of the program and of each core, time that threads waited for a core (schedstat), pressure (PSI).

## Deciding test

`--prove` takes a part of the cores from all that run on them, while load runs, or of the program's own CPU
where it has them to itself: throughput follows in proportion.

## Guard

The generator or a neighbour may be who uses the cores; so the program's own use is what counts, not the
machine's. A program in one thread at a time (an event loop, the interpreter lock of CPython) fills one core
and no more: that is another cause.

## Fix

More cores or another machine beside it; before that, the function that takes most of the time.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.causes._cores import Use, use_of
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import ONE_AT_A_TIME, Tier
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof

TITLE = "the CPU is used up"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "missed"})
"""Harms that the cause can bring about. A tail alone comes of queueing for a core that is busy and keeps
up."""
ABOUT = About("cpu", "size", needs=("cores", "thread"))

PROOFS = (Proof("cores", is_conviction=False), Proof("cpu", is_needed=False, is_conviction=False))
"""Experiments. Its own CPU is not needed: where others fill the cores, too, a quota for one program may not
bind."""

GAIN = Law("capacity", "CPU")

BRIM = 0.93
"""Share of the cores that is busy, 0 to 1. Where users always wait in a closed load, cores that are the limit
are hardly ever idle."""

LEAST_OF_BUSY = 0.5
"""Share of its cores' busy time, 0 to 1, that the program used itself or with the other programs measured.
Below it others fill them."""

NEIGHBOUR_SHARE = 0.2
"""Share of the cores used by processes outside the test, 0 to 1. Above it the measured load alone does not
fill them."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program that runs on this machine.

    A database or cache that fills its cores has causes of its own. A database that is only the greatest of
    several programs that fill the cores together has none, so it counts here.
    """
    for tier in case.programs:
        if tier.cpu is None or tier.kind in ONE_AT_A_TIME:
            continue
        if not tier.is_database or tier.cpu.mean < LEAST_OF_BUSY * busy_cores(case, tier):
            yield _hypothesis(case, tier)


def _hypothesis(case: Case, tier: Tier) -> Hypothesis:
    assert tier.cpu is not None
    used, places = tier.cpu.mean, float(tier.places)
    busy, use = busy_cores(case, tier), use_of(case, tier)
    full = (busy if math.isfinite(busy) else used) / places
    delay = tier.track("process.run_delay_s", "tree")
    waited = delay.mean if delay is not None else math.nan
    signs = (
        Sign(
            full >= FULL_SHARE,
            f"the {show_cores(places)} it may use {'was' if places == 1 else 'were'} busy"
            f" {show_share(min(full, 1.0))} of the time, {show_number(used)} by itself",
            tier.cpu.source,
            STRONG if used / places >= 0.8 else CLEAR,
        ),
        _who(tier, busy, use),
        Sign(
            tier.quota >= places,
            "no CPU quota holds it back"
            if tier.quota >= places
            else f"its quota of {show_cores(tier.quota)} is the tighter limit",
            FormulaSource(f"quota {tier.quota:g}, cores {places:g}"),
            0.0,
        ),
        *_idle(case, tier, full),
    )
    more, against = [], []
    if delay is not None and waited > 0.2 * used:
        text = f"its threads waited for a core {show_number(waited)} s every second"
        more.append(Evidence(text, delay.source, CLEAR))
    if use is not None and use.foreign >= NEIGHBOUR_SHARE * places:
        text = (
            f"{show_number(use.foreign)} of {show_cores(places)} were used by none of the programs measured"
        )
        against.append(Evidence(text, FormulaSource(use.formula), CLEAR))
    ours = max(used, min(use.ours, places)) if use is not None else used
    ceiling = places / (ours / case.load.ended_rps) if ours and case.load.ended_rps else math.nan
    together = f", {show_number(ours)} with the others measured" if ours > 1.2 * used else ""
    return Hypothesis(
        component=tier.name,
        signs=signs,
        more=tuple(more),
        against=tuple(against),
        effect=f"it used {show_number(used)} of {show_cores(places)}{together},"
        f" full at {show_number(case.load.ok_rps)}/s",
        mend="look at what takes the time (profile: at saturation), then more cores or another instance",
        decides="the same load with a quarter more CPU: if this is the cause, throughput follows",
        bound=min(1.0, ours / places),
        bound_text=f"{show_number(ours)} of {show_cores(places)}: full at {show_number(ceiling)}/s"
        if math.isfinite(ceiling)
        else "",
    )


def _idle(case: Case, tier: Tier, full: float) -> Iterator[Sign]:
    """Yield the doubt about a closed load whose users always wait though cores are idle now and then."""
    assert tier.cpu is not None
    if case.load.model == "users" and set(case.harms) <= {"saturated", "missed"} and full < BRIM:
        text = f"users always waited, and these cores were idle {show_share(1 - full)} of the time"
        yield Sign(None, f"{text}: something else may hold them up", tier.cpu.source)


def _who(tier: Tier, busy: float, use: Use | None) -> Sign:
    """Return the sign that the program fills its cores, or leads the measured programs that do."""
    assert tier.cpu is not None
    used = tier.cpu.mean
    if not busy or math.isnan(busy):
        return Sign(None, "who else used its cores is not known", tier.cpu.source, SLIGHT)
    share = min(1.0, used / busy)
    source = FormulaSource(f"{show_cores(used)} / {show_number(busy)} busy cores")
    if share >= LEAST_OF_BUSY or use is None:
        text = f"{show_share(share)} of the busy time of these cores was its own"
        return Sign(share >= LEAST_OF_BUSY, text, source, SLIGHT)
    first = max(use.sharers, key=lambda sharer: sharer.cpu.mean if sharer.cpu is not None else 0.0)
    if first is not tier:
        text = f"{first.name} used more of these cores: {show_share(share)} of their busy time was its own"
        return Sign(False, text, source, SLIGHT)
    text = f"{show_share(share)} of the busy time of these cores was its own, the most of all"
    return Sign(use.ours >= LEAST_OF_BUSY * busy, text, source, SLIGHT)


def busy_cores(case: Case, tier: Tier) -> float:
    """Return how many of a program's cores are in use, by any program; NaN where that was not read."""
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
