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
from loadrig.judgement.evidence import STRONG, EventSource, Evidence, Hypothesis, SeriesSource, Sign
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

ONE_PLACE = 0.3
"""Share of the growth at one line of code, 0 to 1, from which on the line is named."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program of which something leaks, or rises and was suspected."""
    by_component: dict[str, list[Course]] = {}
    for course in leaks.of(case):
        by_component.setdefault(course.component, []).append(course)
    for component, courses in by_component.items():
        leaking = [course for course in courses if course.is_leak]
        if leaking:
            leaking.sort(key=lambda course: ROOTS.index(course.kind))
            yield _leak(case, case.tiers[component], leaking)
        else:
            yield from (hypothesis for course in courses for hypothesis in _levels_off(course))
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
            Sign(True, case.harms["stopped"], case.load.source("load.in_flight")),
        ),
        effect=f"connections to {pool.to.name} are taken and not given back: after"
        f" {show_duration(case.measured_s - standing.seconds)} all {number} were, and nothing was answered",
        mend="give each connection back, also where a request fails (close rows and transactions: with,"
        " defer, try-with-resources)",
        decides="a larger pool: it lasts longer in proportion, and then nothing is answered either",
        detail="connections",
    )


def _leak(case: Case, tier: Tier, leaking: Sequence[Course]) -> Hypothesis:
    course = leaking[0]
    assert course.slopes.shape is not None
    growth, lives, rate = course.slopes.shape.growth, course.slopes.lives, case.load.ended_rps
    low, high = (course.shown(value) for value in course.interval)
    a_request, is_memory = course.shown(course.a_request), course.kind == "memory"
    grew = (
        f"{course.what} grew by {course.shown(course.slopes.grown)} over {show_number(growth.span)} requests"
    )
    effect = f"{course.what} {'grows' if is_memory else 'grow'} by {a_request} with every request"
    left_s = course.to_limit_s(rate)
    more = [
        Evidence(f"{level.what} grew too: {level.shown(level.a_request)} a request", level.source)
        for level in leaking[1:]
    ]
    if lives:
        grew += f" in each of {lives} lives, {show_number(course.slopes.workers)} at a time"
        effect += " until the worker is restarted; each restart starts the same climb anew"
        died = len(case.events_of("worker_died", "process_died", component=tier.name))
        text = f"restarts hide it: {died} processes ended, and each life climbed from the same size again"
        more.append(Evidence(text, EventSource(tier.name, "worker_died", died)))
    else:
        effect += f", {course.shown(course.a_request * rate)} a second at {show_number(rate)}/s"
        if math.isfinite(left_s):
            effect += (
                f"; {course.limit_text} ({course.shown(course.limit)}) is reached in {show_duration(left_s)}"
            )
    place = _place(case, tier)
    if place is not None and is_memory:
        more.append(place[1])
    signs = [
        Sign(True, f"{grew}: {a_request} a request (95 % {low} to {high})", course.source, STRONG),
        Sign(
            True,
            f"it rose in {show_share(growth.rises)} of the readings, at the end {show_share(growth.lasting)}"
            " as fast as at the beginning; a straight line fits it better than a curve that fills up (BIC"
            f" {show_number(growth.bic)} lower)",
            course.source,
            STRONG,
        ),
    ]
    if not course.is_sure:
        how = "its pprof pages" if tier.runtime == "go" else "its inspector (node --inspect)"
        text = f"what its collector may yet free was not seen: {how} would tell, or a longer run"
        signs.append(Sign(None, text, course.source))
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=tuple(more),
        effect=effect,
        mend=_mend(course, place[0] if place is not None else ""),
        decides="twice the rate, then a pause without load: as much a request, and nothing of it given back",
        detail=course.kind,
    )


def _place(case: Case, tier: Tier) -> tuple[str, Evidence] | None:
    """Return the line of code at which most of the growth stands, and evidence of it; None without one."""
    events = case.events_of("memory_sites", component=tier.name)
    sites: Sequence[Mapping[str, Any]] = events[-1].facts.get("sites") or () if events else ()
    grown = sum(max(0, int(site["growth_bytes"])) for site in sites)
    if not grown or int(sites[0]["growth_bytes"]) < ONE_PLACE * grown:
        return None
    place, here = str(sites[0]["place"]), int(sites[0]["growth_bytes"])
    text = (
        f"{place} holds {show_size(here)} more than at the first look, in {int(sites[0]['growth_blocks']):,}"
        f" blocks: {show_share(here / grown)} of the growth that was traced"
    )
    return place, Evidence(text, SeriesSource(tier.name, "python.site_growth_bytes", place), STRONG)


def _mend(course: Course, place: str) -> str:
    if course.kind != "memory":
        return (
            f"close what each request opens ({course.what}), also where it fails (with, defer,"
            " try-with-resources)"
        )
    where = f"look at {place}" if place else "find the line that allocates it (python: {memory_sites: true})"
    bounds = "bounds" if course.slopes.lives else "would bound"
    return f"{where} and let go of it there; max_requests {bounds} the leak, and does not cure it"


def _levels_off(course: Course) -> Iterator[Hypothesis]:
    """Yield the hypothesis of memory in which a person would suspect a leak, with the sign of why not."""
    shape = course.slopes.shape
    if course.kind != "memory" or shape is None:
        return
    growth, (t_s, level) = shape.growth, course.together
    if growth.grown < OF_MEMORY.least or growth.p > SURE:
        return
    of_level = growth.grown / level[0]
    if growth.lasting < LASTING:
        how = f"at the end {show_share(max(0.0, growth.lasting))} as fast as at the beginning: it fills up"
    elif growth.largest > MOST_IN_ONE:
        how = f"{show_share(min(1.0, growth.largest))} of it at once: something was made"
    elif growth.bic < BETTER_BIC:
        how = f"a curve that fills up fits as well as a line (BIC {show_number(growth.bic)})"
    elif growth.rises < FEWEST_RISES:
        how = f"it rose in {show_share(growth.rises)} of the readings only"
    elif t_s[-1] - t_s[0] < SHORT_S and of_level < OF_MEMORY_AT_FIRST.of_level:
        how = f"by {show_share(of_level)} of what it held, as a cache that fills does in so short a time"
    else:
        how = f"{course.shown(growth.slope)} a request are too little to tell from a beginning"
    why = f"{course.what} grew by {course.shown(growth.grown)}, but {how}"
    yield Hypothesis(
        component=course.component,
        signs=(Sign(False, why, course.source),),
        effect=why,
        mend="nothing to mend; a longer run would show it if it did leak",
        decides="a longer run: what fills up stops",
        detail=course.kind,
    )
