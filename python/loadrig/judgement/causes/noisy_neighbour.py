"""Somebody else takes the cores: another program of the machine, or another virtual machine beside it.

## Signature

The cores that the server may use are full, a good part of them by programs that are none of those measured
or by the hypervisor (steal), and the server's threads wait for a core.

## Data

CPU time of each core, of every program that the case knows, and of the generator; steal; time that threads
waited for a core (schedstat).

## Deciding test

The same load with the server on cores of its own, or at a time when the machine is quiet: throughput rises.
`--prove` touches nobody else's programs.

## Guard

The generator and the rig are no neighbours; where they may be on these cores, their part is taken off
generously. And no program that works for the server is one: what it calls
on this machine and cannot be seen would look like a stranger. Burst credits that the machine has used up
itself look like steal.

## Fix

Move the neighbour, pin it to other cores or lower its share (nice, cpu.weight); another host.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import FAIR_SHARE, FULL_SHARE
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import Use, use_of
from loadrig.judgement.facts.tier import Tier

TITLE = "somebody else takes the cores that the server runs on"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips", "drift"})
ABOUT = About("machine", "size")

NO_PROOF = "who takes the cores is not ours; run it again while the machine is quiet, or on cores of its own"

TAKEN_SHARE = 0.20
"""Share of the cores that others use, 0 to 1, from which on they are a neighbour: kernel threads, cron and
observers take a few percent of any machine."""

STOLEN_SHARE = 0.10
"""Share of the cores that is stolen, 0 to 1, from which on a neighbour is suspected: nothing else looks like
steal, so less is enough."""

TRACE_STRANGERS_SHARE = 0.05
"""Share of the cores that others use, 0 to 1. Below it they are what any machine runs beside its servers."""

WAITED_SHARE = 0.2
"""Time that its threads waited for a core over the time that they ran, from which on others hold them up."""

QUOTA_FULL = 0.9
"""Share of a quota in use, 0 to 1, from which on the quota holds a program back, whoever else is there."""

FITS_SHARE = 0.95
"""Share of the cores that the server alone would need, 0 to 1. Below it the server alone would have kept
up."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each machine with a neighbour, for the program that it costs most."""
    worst: dict[str, tuple[float, Tier, Use]] = {}
    for tier in case.programs:
        use = use_of(case, tier) if tier.cpu is not None else None
        if use is None or _fills_its_quota(tier):
            continue
        taken = (use.stolen + use.foreign) / len(use.cores)
        cost = taken * _wanted(tier)
        if taken >= TRACE_STRANGERS_SHARE and cost > worst.get(tier.host, (0.0, tier, use))[0]:
            worst[tier.host] = (cost, tier, use)
    for host, (_, tier, use) in worst.items():
        yield _hypothesis(case, host, tier, use)


def _hypothesis(case: Case, host: str, tier: Tier, use: Use) -> Hypothesis:
    assert tier.cpu is not None
    many = len(use.cores)
    delay = tier.track("process.run_delay_s", "tree")
    is_stolen = use.stolen >= STOLEN_SHARE * many
    signs = [
        _taken(use),
        Sign(
            use.full_share >= FULL_SHARE,
            f"the cores of {tier.name} were in use or taken away {show_share(use.full_share)} of the time",
            FormulaSource(f"{use.busy + use.interrupts + use.stolen:.2f} of {show_cores(many)}"),
        ),
    ]
    if not is_stolen:
        waited = delay.mean if delay is not None else math.nan
        signs.append(
            Sign(
                None
                if delay is None
                else waited >= WAITED_SHARE * tier.cpu.mean and _wanted(tier) >= FAIR_SHARE,
                "how long its threads waited for a core was not read (schedstat)"
                if delay is None
                else f"its threads waited for a core {show_number(waited)} s every second,"
                f" and ran {show_number(tier.cpu.mean)} s",
                delay.source if delay is not None else tier.cpu.source,
            )
        )
    taken = min(1.0, (use.foreign + use.stolen) / many)
    who = "other virtual machines (steal)" if use.stolen > use.foreign else "programs that are none of these"
    return Hypothesis(
        component=host,
        signs=tuple(signs),
        more=tuple(_would_fit(case, tier, use)),
        effect=f"{who} took {show_number(taken * many)} of the {show_cores(many)} of {tier.name},"
        f" which got {show_number(tier.cpu.mean)}",
        mend="find it (top, pidstat) and move it, or hold it on other cores (taskset) or back (nice,"
        " cpu.weight)"
        if use.stolen <= use.foreign
        else "another host, or an instance whose cores are its own; mark this run",
        decides="the same load while the other one stands still, or on cores of its own",
        bound=taken,
        bound_text=f"{show_share(taken)} of the cores of {tier.name} were taken by others",
    )


def _fills_its_quota(tier: Tier) -> bool:
    """Return whether a program gets all that its quota allows, so that others take nothing from it."""
    return tier.cpu is not None and tier.quota < tier.places and tier.cpu.mean >= QUOTA_FULL * tier.quota


def _wanted(tier: Tier) -> float:
    """Return the seconds a second in which a program's threads ran or waited for a core."""
    delay = tier.track("process.run_delay_s", "tree")
    ran = tier.cpu.mean if tier.cpu is not None else 0.0
    return ran + (delay.mean if delay is not None else 0.0)


def _taken(use: Use) -> Sign:
    many = len(use.cores)
    stolen = f"the hypervisor took {show_share(use.stolen / many)} of the time"
    if use.stolen >= STOLEN_SHARE * many:
        return Sign(True, stolen, FormulaSource(f"steal {use.stolen:.2f} of {show_cores(many)}"), STRONG)
    limit = TAKEN_SHARE * many - use.stolen
    source = FormulaSource(use.formula)
    if use.foreign < limit:
        text = f"programs that are none of those measured used at most {show_number(use.foreign)}"
        return Sign(False, f"{text} of {show_cores(many)}; {stolen}", source)
    text = f"{show_number(use.foreign)} of {show_cores(many)} were used by no program that was measured"
    if use.unseen:
        text = f"{text}; {', '.join(use.unseen)}, of which no CPU time was read, may be who it was"
        return Sign(None, f"{text}: run loadrig as root", source)
    return Sign(True, text, source, STRONG)


def _would_fit(case: Case, tier: Tier, use: Use) -> Iterator[Evidence]:
    """Yield evidence on an open load: whether the server alone would have had cores enough."""
    load = case.load
    if not load.is_open or not load.ended_rps or not use.ours:
        return
    need = use.ours / load.ended_rps * load.offered_rps
    if need < FITS_SHARE * len(use.cores):
        text = (
            f"what was due needs {show_number(need)} of {show_cores(len(use.cores))}:"
            f" alone {tier.name} would have kept up"
        )
        formula = f"{use.ours:.2f} cores / {load.ended_rps:.0f}/s * {load.offered_rps:.0f}/s = {need:.2f}"
        yield Evidence(text, FormulaSource(formula), CLEAR if need < use.busy else SLIGHT)
