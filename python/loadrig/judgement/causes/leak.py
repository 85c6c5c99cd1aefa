"""Something grows with every request and is never given back.

## Signature

Memory, descriptors, threads, goroutines or connections rise in a straight line with the requests that were
served, as fast at the end as at the beginning.

## Data

Memory of each process (PSS), heap in use after collections (JVM, Go, Node), descriptors, threads, goroutines,
connections by destination; the lines of code at which memory grows where the server's probe tells them.

## Deciding test

`--prove` asks at half the rate: what each request leaves behind comes half as fast. Where that is a knob it
lets workers be replaced after a number of requests, in turns: growth goes. By hand: after a pause without
load, with a collection forced, what leaked is still there.

## Guard

Caches that fill, arenas of the allocator, compiled code and pools bend and stop: a curve that fills up must
fit clearly worse than a line. Requests that pile up hold memory and descriptors too: that is no leak. A
heap is judged only after collections of its long-lived objects.

## Fix

Give back what the request took: bound the list or cache at the line that grows, close what was opened.
Restarts of workers bound a leak and do not cure it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loadrig.base.units import show_duration, show_number, show_share, show_size
from loadrig.judgement.about import About
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    EventSource,
    Evidence,
    FormulaSource,
    Hypothesis,
    SeriesSource,
    Sign,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.courses import Course
from loadrig.judgement.facts.slopes import OF_MEMORY, OF_MEMORY_AT_FIRST, SHORT_S
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.harms import leaks, standstill
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof
from loadrig.stats.limits import BETTER_BIC, FEWEST_RISES, LASTING, MOST_IN_ONE, SURE

TITLE = "something grows with every request and is not given back"
HARMS = frozenset({"growth", "stopped"})
ABOUT = About("growth", "signs")

OWN_WORDS = (OwnWords("pool", ("leak",)),)

PROOFS = (
    # A leak with each request grows half as fast at half the load; growth with time alone does not.
    Proof("load", ("half_rate",)),
    # Not needed: new workers do not free what a master process, or another tier, keeps.
    Proof("knob", ("restarts",), is_needed=False),
)

SHOWS_IN = "growth"
"""Harm that the cause shows in: memory grows however fast the answers are."""

ROOTS = ("connections", "goroutines", "threads", "descriptors", "memory")
"""Kinds of leaks, root first: a connection holds a descriptor, and a goroutine or thread holds memory."""

NEAR_S = 86_400.0
"""Seconds until a limit, up to which the limit is worth a sentence of its own: a day."""

ONE_PLACE = 0.3
"""Share of the growth at one line of code, 0 to 1, from which on the line is named."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program of which something leaks, or rises and was suspected."""
    by_component: dict[str, list[Course]] = {}
    for course in leaks.of(case):
        by_component.setdefault(course.component, []).append(course)
    for component, courses in by_component.items():
        leaking = sorted(
            (course for course in courses if course.is_leak), key=lambda course: ROOTS.index(course.kind)
        )
        if leaking:
            yield _leak(case, case.tiers[component], leaking)
        else:
            suspected = next((course for course in courses if _rises(course)), None)
            if suspected is not None:
                yield _levels_off(suspected)
    standing = standstill.of(case)
    if standing is not None and (pool := standstill.never_given_back(case, standing)) is not None:
        yield _used_up(case, standing, pool)


def _used_up(case: Case, standing: standstill.Standstill, pool: standstill.Calls) -> Hypothesis:
    """Return the hypothesis of a pool whose connections were lent one after the other and never came back."""
    number, waiting = show_number(round(pool.open)), show_number(standing.waiting)
    text = f"all {number} connections to {pool.to.name} stood idle while {waiting} requests waited inside"
    return Hypothesis(
        component=case.server.name,
        signs=(
            Sign(True, text, pool.sockets.source, STRONG),
            Sign(True, case.harms["stopped"], case.load.source("load.in_flight"), CLEAR),
        ),
        effect=f"connections to {pool.to.name} are taken and not given back: after"
        f" {show_duration(case.measured_s - standing.seconds)} all {number} were, and nothing was answered",
        mend="give each connection back, also where a request fails (close rows and transactions: with,"
        " defer, try-with-resources)",
        decides="a larger pool: it lasts longer in proportion, and then nothing is answered either",
        detail="connections",
    )


def _rises(course: Course) -> bool:
    """Return whether a person who looks at a course's chart would suspect a leak."""
    shape = course.slopes.shape
    return (
        course.kind == "memory"
        and shape is not None
        and shape.growth.grown >= OF_MEMORY.least
        and shape.growth.p <= SURE
    )


def _leak(case: Case, tier: Tier, leaking: Sequence[Course]) -> Hypothesis:
    course = leaking[0]
    assert course.slopes.shape is not None
    growth, count = course.slopes.shape.growth, course.slopes.lives
    low, high = (course.shown(value) for value in course.interval)
    over = f"{show_number(growth.span)} requests"
    grew = f"{course.what} grew by {course.shown(course.slopes.grown)} over {over}"
    if count:
        grew += f" in each of {count} lives, {show_number(course.slopes.workers)} at a time"
    more = [
        *_besides(leaking[1:]),
        *_masked(tier, course),
        *_near_limit(case, course),
        *_places(case, tier, course),
    ]
    unsure = () if course.is_sure else (Sign(None, _unseen_heap(tier), course.source),)
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                True,
                f"{grew}: {course.shown(course.a_request)} a request (95 % {low} to {high})",
                course.source,
                STRONG,
            ),
            Sign(
                True,
                f"it rose in {show_share(growth.rises)} of the readings, and at the end"
                f" {show_share(growth.lasting)} as fast as at the beginning",
                course.source,
                CLEAR,
            ),
            Sign(
                True,
                "a straight line fits it better than a curve that fills up (BIC"
                f" {show_number(growth.bic)} lower)",
                FormulaSource(f"BIC of the curve less that of the line: {show_number(growth.bic)}"),
                CLEAR,
            ),
            *unsure,
        ),
        more=tuple(more),
        effect=_effect(case, course),
        mend=_mend(course, _place(case, tier)),
        decides="twice the rate, then a pause without load: as much a request, and nothing of it given back",
        detail=course.kind,
    )


def _unseen_heap(tier: Tier) -> str:
    how = "its pprof pages" if tier.runtime == "go" else "its inspector (node --inspect)"
    return f"what its collector may yet free was not seen: {how} would tell, or a longer run"


def _effect(case: Case, course: Course) -> str:
    grows = "grows" if course.kind == "memory" else "grow"
    text = f"{course.what} {grows} by {course.shown(course.a_request)} with every request"
    rate = case.load.ended_rps
    if course.slopes.lives:
        return f"{text} until the worker is restarted; each restart starts the same climb anew"
    text += f", {course.shown(course.a_request * rate)} a second at {show_number(rate)}/s"
    left_s = course.to_limit_s(rate)
    if math.isfinite(left_s):
        text += f"; {course.limit_text} ({course.shown(course.limit)}) is reached in {show_duration(left_s)}"
    return text


def _besides(others: Sequence[Course]) -> Iterator[Evidence]:
    for course in others:
        text = f"{course.what} grew too: {course.shown(course.a_request)} a request"
        yield Evidence(text, course.source, CLEAR)


def _masked(tier: Tier, course: Course) -> Iterator[Evidence]:
    if course.slopes.lives:
        died = tier.case.events_of("worker_died", "process_died", component=tier.name)
        text = (
            f"restarts hide it: {len(died)} processes ended, and each of {course.slopes.lives} lives climbed"
            " from the same size again"
        )
        yield Evidence(text, EventSource(tier.name, "worker_died", len(died)), CLEAR)


def _near_limit(case: Case, course: Course) -> Iterator[Evidence]:
    rate = case.load.ended_rps
    left_s = course.to_limit_s(rate)
    if left_s <= NEAR_S and not course.slopes.lives:
        formula = (
            f"({course.shown(course.limit)} - {course.shown(course.slopes.level)}) /"
            f" ({course.shown(course.a_request)} × {show_number(rate)}/s) = {show_duration(left_s)}"
        )
        yield Evidence(
            f"at this load {course.limit_text} is {show_duration(left_s)} away",
            FormulaSource(formula),
            SLIGHT,
        )


def _sites(case: Case, tier: Tier) -> Sequence[Mapping[str, Any]]:
    events = case.events_of("memory_sites", component=tier.name)
    sites: Sequence[Mapping[str, Any]] = events[-1].facts.get("sites") or () if events else ()
    return sites


def _place(case: Case, tier: Tier) -> str:
    """Return the line of code at which most of the growth stands; empty where no line stands out."""
    sites = _sites(case, tier)
    grown = sum(max(0, int(site["growth_bytes"])) for site in sites)
    first = sites[0] if sites else None
    if first is None or not grown or int(first["growth_bytes"]) < ONE_PLACE * grown:
        return ""
    return str(first["place"])


def _places(case: Case, tier: Tier, course: Course) -> Iterator[Evidence]:
    place = _place(case, tier)
    if not place or course.kind != "memory":
        return
    sites = _sites(case, tier)
    first, grown = sites[0], sum(max(0, int(site["growth_bytes"])) for site in sites)
    text = (
        f"{place} holds {show_size(float(first['growth_bytes']))} more than at the first look, in"
        f" {int(first['growth_blocks']):,} blocks: {show_share(int(first['growth_bytes']) / grown)}"
        " of the growth that was traced"
    )
    yield Evidence(text, SeriesSource(tier.name, "python.site_growth_bytes", place), STRONG)


def _mend(course: Course, place: str) -> str:
    if course.kind != "memory":
        return (
            f"close what each request opens ({course.what}), also where it fails (with, defer,"
            " try-with-resources)"
        )
    where = f"look at {place}" if place else "find the line that allocates it (python: {memory_sites: true})"
    if course.slopes.lives:
        return f"{where} and let go of it there; max_requests bounds the leak, and does not cure it"
    return f"{where} and let go of it there; restarts (max_requests) would bound it, not cure it"


def _levels_off(course: Course) -> Hypothesis:
    """Return the hypothesis of a level that rose, with the sign that it does not leak."""
    assert course.slopes.shape is not None
    growth, (t_s, level) = course.slopes.shape.growth, course.together
    grew = f"{course.what} grew by {course.shown(growth.grown)}"
    is_short = t_s[-1] - t_s[0] < SHORT_S
    if growth.lasting < LASTING:
        why = (
            f"{grew}, but at the end {show_share(max(0.0, growth.lasting))} as fast as at the"
            " beginning: it fills up"
        )
    elif growth.largest > MOST_IN_ONE:
        why = f"{grew}, but {show_share(min(1.0, growth.largest))} of it at once: something was made"
    elif growth.bic < BETTER_BIC:
        why = f"{grew}, but a curve that fills up fits as well as a line (BIC {show_number(growth.bic)})"
    elif growth.rises < FEWEST_RISES:
        why = f"{grew}, but it rose in {show_share(growth.rises)} of the readings only"
    elif is_short and growth.grown < OF_MEMORY_AT_FIRST.of_level * level[0]:
        share = show_share(growth.grown / level[0])
        why = f"{grew}, {share} of what it held: for so short a time a cache that fills does so too"
    else:
        why = f"{grew}, {course.shown(growth.slope)} a request: too little to tell from a beginning"
    return Hypothesis(
        component=course.component,
        signs=(Sign(False, why, course.source, CLEAR),),
        effect=why,
        mend="nothing to mend; a longer run would show it if it did leak",
        decides="a longer run: what fills up stops",
        detail=course.kind,
    )
