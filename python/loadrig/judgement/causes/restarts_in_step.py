"""Workers are recycled all at the same time, and nobody serves meanwhile.

## Signature

Workers end because they have served their number of requests, and as they all began together and share the
load evenly they end together. Throughput dips, or requests fail, every max_requests times workers over rate.

## Data

Births and deaths of workers with their reasons (gunicorn's log), of processes otherwise; throughput by
second.

## Deciding test

`--prove` adds jitter (gunicorn: --max-requests-jitter), in turns, where that is a knob: the dips at that
period vanish. So they do where workers are replaced less often, or never.

## Guard

Workers that are killed for lack of memory, or because they were silent, come back too: their reason says
so, and another cause stands behind it. One worker of many that restarts alone costs next to nothing.

## Fix

Jitter; a longer interval; --preload, so that a worker is ready sooner. If the restarts are there to bound a
leak, mend the leak.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from loadrig.base.series import Event
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import (
    CLEAR,
    STRONG,
    EventSource,
    Evidence,
    FormulaSource,
    Hypothesis,
    LoadSource,
    Sign,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law, without
from loadrig.judgement.harms import dips
from loadrig.judgement.proofs import Proof
from loadrig.recording.steps import NS

TITLE = "workers are recycled all at once"
HARMS = frozenset({"dips", "failing", "short", "tail", "missed"})
ABOUT = About("lifetime", "signs")

PROOFS = (
    # A single worker leaves a gap whenever it is replaced, with jitter or without.
    Proof("knob", ("jitter",), is_needed=False),
    # Half as many restarts leave half of the dips, which is hard to tell from chance. "other": 0 is never.
    Proof("knob", ("restarts",), "other", is_needed=False),
)

SHOWS_IN = "dips"
"""Harm that the cause shows in, whatever the mean throughput is."""

GAIN = Law("share", "all")

TOGETHER_S = 2.5
"""Seconds between births of one group, at most: a master looks after its workers once a second."""

FEWEST_GROUPS = 2
"""Restarts together, from which on they are no chance: two workers may meet once."""

IN_STEP_SHARE = 0.6
"""Share of the restarts that must come in such groups, 0 to 1."""

NEAR_STEPS = 2
"""Steps around a restart in which a harm counts as its consequence."""

HURT_SHARE, COVERED_SHARE = 0.5, 0.5
"""Share of the failures that must fall around restarts, and share of the time that those steps may be at
most, 0 to 1."""

SHORT_LIFE_S = 10.0
"""Life of a recycled worker in seconds, up to which it hardly gets warm. What recycling costs then shows all
the time, not only at restarts."""

LONG_DIP_S = 3.0
"""Length of a dip in seconds, from which on it may begin before its restart is seen: the end of a worker is
noticed a second later, and dips are known to half a second."""

MATCHES = 0.35
"""Difference of the time between restarts from max_requests times workers over rate, as a share, at most."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program of which at least two workers were started under load."""
    for tier in case.programs:
        kind = "worker_born"
        births = case.events_of(kind, component=tier.name)
        if not births:
            kind = "process_born"
            births = case.events_of(kind, component=tier.name)
        if len(births) >= 2 and not tier.is_database:
            yield _hypothesis(case, tier, kind, births)


def _hypothesis(case: Case, tier: Tier, kind: str, births: Sequence[Event]) -> Hypothesis:
    workers = _workers(tier)
    groups = _groups(births)
    least = max(2, math.ceil(workers / 2)) if workers > 1 else 1
    in_step = [group for group in groups if len(group) >= least]
    share = sum(map(len, in_step)) / len(births)
    source = EventSource(tier.name, kind, len(births))
    spacing_s = _spacing_s(groups)
    expected_s, arithmetic = _expected_s(case, tier, workers)
    matches = expected_s is not None and spacing_s is not None and abs(spacing_s / expected_s - 1) <= MATCHES
    together = (
        f"{len(births)} workers were started in {len(groups)} groups; {show_share(share)} of them at least"
    )
    more = []
    if matches and expected_s is not None and spacing_s is not None:
        text = f"a group every {show_duration(round(spacing_s, 1))}: {arithmetic}"
        more.append(Evidence(text, FormulaSource(arithmetic), CLEAR))
    dipped = dips.of(case)
    best = dipped.best if dipped is not None and dipped.is_harm else None
    if best is not None and best.stream.component == tier.name and best.stream.kind in _ITS_STREAMS:
        text = (
            f"of all that happened their restarts explain the dips best: {show_share(best.unique)} of"
            " what was lost"
        )
        more.append(Evidence(text, source, CLEAR))
    bound, bound_text = _bound(case, tier)
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                share >= IN_STEP_SHARE and len(in_step) >= FEWEST_GROUPS,
                f"{together} {least} of {max(workers, least)} at a time"
                if workers > 1
                else f"the only worker was started anew {len(births)} times",
                source,
                STRONG if workers > 1 else CLEAR,
            ),
            _why(case, tier, matches=matches, arithmetic=arithmetic),
            _hurt(case, tier, births),
        ),
        more=tuple(more),
        effect=_effect(case, tier, births, in_step),
        mend="add jitter (gunicorn: --max-requests-jitter, half of --max-requests), or a longer interval",
        decides="the same load with jitter: if this is the cause, the dips at that period vanish",
        bound=bound,
        bound_text=bound_text,
        gain=without(dipped.lost_share * bound) if dipped is not None and bound is not None else None,
    )


_ITS_STREAMS = frozenset({"worker_died", "worker_born", "process_died", "process_born"})


def _workers(tier: Tier) -> int:
    alive = tier.track("gunicorn.workers")
    if alive is not None:
        return max(1, round(alive.high(0.9)))
    return tier.workers or int(tier.number("--workers", "-w", "workers") or 1)


def _groups(births: Sequence[Event]) -> list[list[Event]]:
    """Return the births in groups that lie within a few seconds of their first birth."""
    groups: list[list[Event]] = []
    for event in births:
        if groups and event.t_ns - groups[-1][0].t_ns <= TOGETHER_S * NS:
            groups[-1].append(event)
        else:
            groups.append([event])
    return groups


def _spacing_s(groups: Sequence[Sequence[Event]]) -> float | None:
    starts = [group[0].t_ns / NS for group in groups]
    return float(np.median(np.diff(starts))) if len(starts) >= 2 else None


def _expected_s(case: Case, tier: Tier, workers: int) -> tuple[float | None, str]:
    """Return the seconds in which the workers serve their number of requests, and the arithmetic."""
    most = tier.number("--max-requests", "max_requests", "--limit-max-requests", "limit_max_requests")
    rate = case.load.ended_rps
    if not most or rate <= 0:
        return None, ""
    life_s = most * workers / rate
    text = (
        f"{show_number(most)} requests × {workers} workers / {show_number(rate)}/s ="
        f" {show_duration(round(life_s, 1))}"
    )
    return life_s, text


def _why(case: Case, tier: Tier, *, matches: bool, arithmetic: str) -> Sign:
    """Return the sign that workers ended because they had served their number of requests."""
    deaths = case.events_of("worker_died", component=tier.name)
    reasons = Counter(str(event.facts.get("reason") or "unknown") for event in deaths)
    source = EventSource(tier.name, "worker_died", len(deaths))
    known = Counter({reason: n for reason, n in reasons.items() if reason not in ("unknown", "exited")})
    if known:
        reason, n = known.most_common(1)[0]
        recycled = known["recycled"] / sum(known.values())
        if recycled >= IN_STEP_SHARE:
            text = (
                f"{known['recycled']} of {len(deaths)} ended because they had served their number of requests"
            )
            return Sign(True, text, source, CLEAR)
        text = f"{n} of {len(deaths)} workers ended for another reason: {reason.replace('_', ' ')}"
        return Sign(False, text, source, CLEAR)
    if matches:
        return Sign(True, f"they ended when they had served their number: {arithmetic}", source, CLEAR)
    text = "why the workers ended is not known: let the server write its log to a file (--error-logfile FILE)"
    return Sign(None, text, source)


def _hurt(case: Case, tier: Tier, births: Sequence[Event]) -> Sign:
    """Return the sign that the harm comes when workers restart."""
    dipped = dips.of(case)
    if dipped is not None and dipped.is_harm:
        for kind in ("worker_born", "worker_died", "process_born", "process_died"):
            beside = dipped.beside(kind, tier.name)
            if beside is not None and (beside.is_close or (beside.is_in_each and _are_long(dipped))):
                return Sign(True, dips.told(beside), beside.stream.source, CLEAR)
        return Sign(False, "throughput dipped at other moments than those", LoadSource("load.successful_rps"))
    near = _near(case, births)
    covered = float(near[case.is_inside].mean())
    failed = case.load.failed * case.seconds
    total = float(failed[case.is_inside].sum())
    source = LoadSource("load.failed")
    if total >= 1 and covered <= COVERED_SHARE:
        hurt = float(failed[case.is_inside & near].sum()) / total
        near_s = NEAR_STEPS * float(np.median(case.seconds))
        text = f"{show_share(hurt)} of the failed requests fell within {show_duration(near_s)} of a restart"
        return Sign(hurt >= HURT_SHARE, text, source, CLEAR)
    life_s = case.measured_s * _workers(tier) / len(births)
    if covered > COVERED_SHARE and life_s <= SHORT_LIFE_S:
        text = f"a worker lives {show_duration(round(life_s, 1))}, most of it soon after its start"
        return Sign(True, text, EventSource(tier.name, "worker_born", len(births)), CLEAR)
    if covered > COVERED_SHARE:
        text = f"workers restarted so often that {show_share(covered)} of the time was near a restart"
        return Sign(None, text, EventSource(tier.name, "worker_born", len(births)))
    return Sign(False, "throughput did not dip and nothing failed when they restarted", source)


def _are_long(dipped: dips.Dips) -> bool:
    """Return whether a dip lasts longer than it takes until a restart is noticed."""
    return float(np.median([dip.steps for dip in dipped.dips])) * dipped.step_s >= LONG_DIP_S


def _near(case: Case, births: Sequence[Event]) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
    near = np.zeros(case.seconds.size, dtype=np.bool_)
    for event in births:
        step = int(np.searchsorted(case.edges_ns, event.t_ns, side="right")) - 1
        near[max(0, step - NEAR_STEPS) : step + NEAR_STEPS + 1] = True
    return near


def _bound(case: Case, tier: Tier) -> tuple[float | None, str]:
    dipped = dips.of(case)
    if dipped is None or not dipped.is_harm:
        return None, ""
    close = next(
        (
            beside
            for kind in _ITS_STREAMS
            if (beside := dipped.beside(kind, tier.name)) is not None and beside.is_close
        ),
        None,
    )
    if close is None:
        return None, ""
    share = dipped.met_share(close)
    return share, f"the dips at a restart hold {show_share(share)} of what was lost"


def _effect(case: Case, tier: Tier, births: Sequence[Event], in_step: Sequence[Sequence[Event]]) -> str:
    dipped = dips.of(case)
    text = f"{len(births)} restarts in {show_duration(case.measured_s)}, {len(in_step)} times together"
    if dipped is not None and dipped.is_harm:
        return (
            f"{text}; throughput falls by {show_share(dipped.depth)}, {show_share(dipped.lost_share)}"
            " of it is lost"
        )
    return f"{text}; {show_share(case.load.failed_share)} of the requests of {tier.name} failed"
