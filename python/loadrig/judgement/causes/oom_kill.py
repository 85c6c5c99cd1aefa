"""The kernel killed a process for lack of memory.

## Signature

The kernel counts a kill, and at that moment a process of the program is gone; the requests that it had
fail, and until it is back there are fewer to serve.

## Data

The counts of kills (memory.oom_control or memory.events of the group, vmstat of the machine), births and
deaths of processes and workers, failures second by second.

## Deciding test

More memory, or half the workers: no more kills, and the failures at those moments stop. The kernel's own
count says what happened, so `--prove` does not let it happen again.

## Guard

A process that ends at another time ended for another reason: a planned restart, a health check, a time-out.
A kill on the machine that took none of the programs measured is somebody else's. A CPU limit never kills.

## Fix

A higher limit, fewer workers or less memory for each; where memory grows with every request, mend the leak.
"""

from collections.abc import Iterator

import numpy as np

from loadrig.base.series import Event
from loadrig.base.units import show_share, show_size
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, STRONG, EventSource, Evidence, Hypothesis, LoadSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.recording.steps import NS

TITLE = "the kernel killed a process for lack of memory"
HARMS: frozenset[str] = frozenset()
ABOUT = About("memory", "fact")

NO_PROOF = "the kernel itself has said so; run it again with twice the memory, or half the workers"

SAME_TIME_NS = 2 * NS
"""Nanoseconds between a kill and a death of the same process, at most: each is seen at the next sample, a
second apart."""

AFTER_OOM_KILL_S = 5.0
"""Seconds within which a worker is back. Where none comes back failures go on, and the last kill explains
them, too."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program of which a process may have been killed; none without a kill."""
    kills = case.events_of("oom_kill", is_measured=False)
    if not kills:
        return
    accused = [tier for tier in case.programs if _deaths(case, tier, kills)]
    for tier in accused:
        yield _hypothesis(case, tier, kills)
    if not accused:
        yield _hypothesis(case, case.server, kills)


def _hypothesis(case: Case, tier: Tier, kills: list[Event]) -> Hypothesis:
    deaths = _deaths(case, tier, kills)
    own = [kill for kill in kills if kill.component == tier.name] or kills
    count = len(deaths)
    signs = (
        Sign(
            True,
            f"the kernel killed for lack of memory {_times(len(own))}",
            EventSource(own[0].component, "oom_kill", len(own)),
            STRONG,
        ),
        Sign(
            bool(deaths),
            f"{_processes(count)} of {tier.name} ended at that moment"
            if deaths
            else f"no process of {tier.name} ended at that moment: it was another program",
            EventSource(tier.name, deaths[0].kind if deaths else "process_died", count),
            STRONG,
        ),
    )
    more = []
    share = _failures_after(case, deaths)
    if case.load.total(case.load.failed) >= 1 and share > 0:
        text = (
            f"{show_share(share)} of the failures came within {AFTER_OOM_KILL_S:.0f} s of it,"
            " or until it was back"
        )
        more.append(Evidence(text, LoadSource("load.failed"), CLEAR))
    limit = tier.limits.get("memory_bytes")
    under = f" under a limit of {show_size(limit)}" if limit else ""
    had = max((float(event.facts.get("memory_bytes") or 0) for event in deaths), default=0.0)
    with_memory = f", the largest with {show_size(had)}" if had else ""
    return Hypothesis(
        component=tier.name,
        signs=signs,
        more=tuple(more),
        effect=f"{_processes(count)} of it {'was' if count == 1 else 'were'} killed{with_memory}{under}",
        mend="raise the memory limit (docker update --memory; Kubernetes: resources.limits.memory), start"
        " fewer workers, or recycle them before they are that large (gunicorn: --max-requests)",
        decides="the same load with twice the memory: no process is killed",
        bound=share if "failing" in case.harms else None,
        bound_text=f"{show_share(share)} of the failures came at a kill or before the process was back",
    )


def _deaths(case: Case, tier: Tier, kills: list[Event]) -> list[Event]:
    """Return a program's processes that ended at a kill; a master's report goes before readings."""
    workers = [
        event
        for event in case.events_of("worker_died", component=tier.name, is_measured=False)
        if event.facts.get("reason") == "out_of_memory"
    ]
    # A kill that the program's own group counted is of this program; one that only the machine counted may
    # not be.
    own = [kill for kill in kills if kill.component in (tier.name, tier.host)]
    return workers or [
        event
        for event in case.events_of("process_died", "gap", component=tier.name, is_measured=False)
        if any(abs(event.t_ns - kill.t_ns) <= SAME_TIME_NS for kill in own)
        and (event.kind == "process_died" or event.subject == "process")
    ]


def _failures_after(case: Case, deaths: list[Event]) -> float:
    """Return the share of failed requests soon after a death, or until good answers came again."""
    load = case.load
    failed = load.failed * load.seconds * case.is_inside
    if not failed.sum() or not deaths:
        return 0.0
    t_s = case.t_s
    is_after = np.zeros(t_s.size, dtype=bool)
    for event in deaths:
        at_s = (event.t_ns - case.origin_ns) / NS
        # The sample that shows the death comes up to two seconds after it.
        later = t_s >= at_s - SAME_TIME_NS / NS
        is_after |= later & (t_s <= at_s + AFTER_OOM_KILL_S)
        if not (load.ok[t_s > at_s + AFTER_OOM_KILL_S] > 0).any():
            is_after |= later
    return float(failed[is_after].sum() / failed.sum())


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"


def _processes(count: int) -> str:
    return "a process" if count == 1 else f"{count} processes"
