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
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law, without
from loadrig.judgement.harms import dips
from loadrig.judgement.proofs import Proof
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.restarts_in_step import RestartsInStepTexts
from loadrig.recording.steps import NS

TEXTS = texts_of(RestartsInStepTexts)

TITLE = TEXTS.title
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

STREAMS = ("worker_born", "worker_died", "process_born", "process_died")
"""Kinds of events that a restart leaves."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program of which at least two workers were started under load."""
    for tier in case.programs:
        births = case.events_of("worker_born", component=tier.name)
        births = births or case.events_of("process_born", component=tier.name)
        if len(births) >= 2 and not tier.is_database:
            yield _hypothesis(case, tier, births)


def _hypothesis(case: Case, tier: Tier, births: Sequence[Event]) -> Hypothesis:
    workers, groups = _workers(tier), _groups(births)
    least = max(2, math.ceil(workers / 2)) if workers > 1 else 1
    in_step = [group for group in groups if len(group) >= least]
    share = sum(map(len, in_step)) / len(births)
    source = EventSource(tier.name, births[0].kind, len(births))
    text = TEXTS.only_worker_started(str(len(births)))
    if workers > 1:
        text = TEXTS.workers_started_groups(
            str(len(births)), str(len(groups)), show_share(share), str(least), str(max(workers, least))
        )
    arithmetic = _arithmetic(case, tier, groups, workers)
    dipped = dips.of(case)
    dipped = dipped if dipped is not None and dipped.is_harm else None
    effect = TEXTS.restarts_times_together(
        str(len(births)), show_duration(case.measured_s), str(len(in_step))
    )
    bound, bound_text = None, ""
    if dipped is None:
        hurt = _fails(case, births, source, workers)
        effect += TEXTS.requests_failed(show_share(case.load.failed_share), tier.name)
    else:
        hurt = _dips(dipped, tier)
        effect += TEXTS.throughput_falls_lost(show_share(dipped.depth), show_share(dipped.lost_share))
        close = next((beside for beside in _beside(dipped, tier) if beside.is_close), None)
        if close is not None:
            bound = dipped.met_share(close)
            bound_text = TEXTS.dips_restart_hold(show_share(bound))
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                share >= IN_STEP_SHARE and len(in_step) >= FEWEST_GROUPS,
                text,
                source,
                STRONG if workers > 1 else CLEAR,
            ),
            _why(case, tier, arithmetic),
            hurt,
        ),
        more=(Evidence(TEXTS.a_group_in(arithmetic), FormulaSource(arithmetic)),) if arithmetic else (),
        effect=effect,
        mend=TEXTS.mend,
        decides=TEXTS.decides,
        bound=bound,
        bound_text=bound_text,
        gain=without(dipped.lost_share * bound) if dipped is not None and bound is not None else None,
    )


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


def _arithmetic(case: Case, tier: Tier, groups: Sequence[Sequence[Event]], workers: int) -> str:
    """Return the time in which workers serve their number of requests; empty where groups come otherwise."""
    most = tier.number("--max-requests", "max_requests", "--limit-max-requests", "limit_max_requests")
    rate = case.load.ended_rps
    if not most or rate <= 0 or len(groups) < 2:
        return ""
    life_s, spacing_s = most * workers / rate, float(np.median(np.diff([g[0].t_ns for g in groups]))) / NS
    if abs(spacing_s / life_s - 1) > MATCHES:
        return ""
    return TEXTS.requests_workers_s(
        show_number(most), str(workers), show_number(rate), show_duration(round(life_s, 1))
    )


def _why(case: Case, tier: Tier, arithmetic: str) -> Sign:
    """Return the sign that workers ended because they had served their number of requests."""
    deaths = case.events_of("worker_died", component=tier.name)
    reasons = Counter(str(event.facts.get("reason") or "unknown") for event in deaths)
    source = EventSource(tier.name, "worker_died", len(deaths))
    stated = Counter({reason: n for reason, n in reasons.items() if reason not in ("unknown", "exited")})
    if stated:
        reason, n = stated.most_common(1)[0]
        if stated["recycled"] >= IN_STEP_SHARE * sum(stated.values()):
            text = TEXTS.ended_they_had(str(stated["recycled"]), str(len(deaths)))
            return Sign(True, text, source)
        text = TEXTS.workers_ended_another(str(n), str(len(deaths)), reason.replace("_", " "))
        return Sign(False, text, source)
    if arithmetic:
        return Sign(True, TEXTS.they_ended_when(arithmetic), source)
    text = TEXTS.why_workers_ended
    return Sign(None, text, source)


def _beside(dipped: dips.Dips, tier: Tier) -> Iterator[dips.Aligned]:
    """Yield what restarts leave, laid beside the dips."""
    return filter(None, (dipped.beside(kind, tier.name) for kind in STREAMS))


def _dips(dipped: dips.Dips, tier: Tier) -> Sign:
    """Return the sign that throughput dips when workers restart."""
    # A dip that lasts longer than it takes until a restart is noticed may begin before that.
    are_long = float(np.median([dip.steps for dip in dipped.dips])) * dipped.step_s >= LONG_DIP_S
    for beside in _beside(dipped, tier):
        if beside.is_close or (beside.is_in_each and are_long):
            return Sign(True, dips.beside(beside), beside.stream.source)
    return Sign(False, TEXTS.throughput_dipped_other, LoadSource("load.successful_rps"))


def _fails(case: Case, births: Sequence[Event], source: EventSource, workers: int) -> Sign:
    """Return the sign that requests fail when workers restart, or that workers hardly live."""
    near_s = NEAR_STEPS * float(np.median(case.seconds))
    near = observed.around(case, births, near_s, near_s)
    covered = float(near[case.is_inside].mean())
    if covered > COVERED_SHARE:
        life_s = case.measured_s * workers / len(births)
        if life_s <= SHORT_LIFE_S:
            text = TEXTS.worker_lives_most(show_duration(round(life_s, 1)))
            return Sign(True, text, source)
        text = TEXTS.workers_restarted_so(show_share(covered))
        return Sign(None, text, source)
    hurt = observed.failures_in(case, near)
    text = TEXTS.failed_requests_fell(show_share(hurt), show_duration(near_s))
    return Sign(hurt >= HURT_SHARE, text, LoadSource("load.failed"))
