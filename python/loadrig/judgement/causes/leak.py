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
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.leak import LeakTexts
from loadrig.stats.limits import BETTER_BIC, FEWEST_RISES, LASTING, MOST_IN_ONE, SURE

TEXTS = texts_of(LeakTexts)

TITLE = TEXTS.title
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
    text, after_s = TEXTS.stood_idle(number, pool.to.name, waiting), case.measured_s - standing.seconds
    return Hypothesis(
        component=case.server.name,
        signs=(
            Sign(True, text, pool.sockets.source, STRONG),
            Sign(True, case.harms["stopped"], case.load.source("load.in_flight")),
        ),
        effect=TEXTS.connections_taken(number, pool.to.name, show_duration(after_s)),
        mend=TEXTS.mend_pool,
        decides=TEXTS.decides_pool,
        detail="connections",
    )


def _leak(case: Case, tier: Tier, leaking: Sequence[Course]) -> Hypothesis:
    course = leaking[0]
    assert course.slopes.shape is not None
    growth, lives, rate = course.slopes.shape.growth, course.slopes.lives, case.load.ended_rps
    low, high = (course.shown(value) for value in course.interval)
    what, a_request, is_memory = course.what, course.shown(course.a_request), course.kind == "memory"
    grown, requests = course.shown(course.slopes.grown), show_number(growth.span)
    verb, left_s = TEXTS.it_grows if is_memory else TEXTS.they_grow, course.to_limit_s(rate)
    more = [
        Evidence(TEXTS.grew_too(level.what, level.shown(level.a_request)), level.source)
        for level in leaking[1:]
    ]
    if lives:
        grew = TEXTS.grew_in_lives(what, grown, requests, str(lives), show_number(course.slopes.workers))
        effect = TEXTS.grows_until_restarted(what, verb, a_request)
        died = len(case.events_of("worker_died", "process_died", component=tier.name))
        source = EventSource(tier.name, "worker_died", died)
        more.append(Evidence(TEXTS.restarts_hide_it(str(died)), source))
    else:
        grew, a_second = TEXTS.grew(what, grown, requests), course.shown(course.a_request * rate)
        effect = TEXTS.grows(what, verb, a_request, a_second, show_number(rate))
        if math.isfinite(left_s):
            limit = course.shown(course.limit)
            effect += TEXTS.reaches_limit(course.limit_text, limit, show_duration(left_s))
    place = _place(case, tier)
    if place is not None and is_memory:
        more.append(place[1])
    rises, lasting = show_share(growth.rises), show_share(growth.lasting)
    signs = [
        Sign(True, TEXTS.growth_a_request(grew, a_request, low, high), course.source, STRONG),
        Sign(True, TEXTS.rose_like_a_line(rises, lasting, show_number(growth.bic)), course.source, STRONG),
    ]
    if not course.is_sure:
        how = TEXTS.by_pprof if tier.runtime == "go" else TEXTS.by_inspector
        signs.append(Sign(None, TEXTS.collector_unseen(how), course.source))
    return Hypothesis(
        component=tier.name,
        signs=tuple(signs),
        more=tuple(more),
        effect=effect,
        mend=_mend(course, place[0] if place is not None else ""),
        decides=TEXTS.decides,
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
    blocks = f"{int(sites[0]['growth_blocks']):,}"
    text = TEXTS.place_holds(place, show_size(here), blocks, show_share(here / grown))
    return place, Evidence(text, SeriesSource(tier.name, "python.site_growth_bytes", place), STRONG)


def _mend(course: Course, place: str) -> str:
    if course.kind != "memory":
        return TEXTS.close_what_is_opened(course.what)
    where = TEXTS.look_at(place) if place else TEXTS.find_line
    return TEXTS.mend_memory(where, is_bounded=bool(course.slopes.lives))


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
        how = TEXTS.fills_up(show_share(max(0.0, growth.lasting)))
    elif growth.largest > MOST_IN_ONE:
        how = TEXTS.came_at_once(show_share(min(1.0, growth.largest)))
    elif growth.bic < BETTER_BIC:
        how = TEXTS.curve_fits(show_number(growth.bic))
    elif growth.rises < FEWEST_RISES:
        how = TEXTS.rose_seldom(show_share(growth.rises))
    elif t_s[-1] - t_s[0] < SHORT_S and of_level < OF_MEMORY_AT_FIRST.of_level:
        how = TEXTS.like_a_cache(show_share(of_level))
    else:
        how = TEXTS.too_little(course.shown(growth.slope))
    why = TEXTS.grew_but(course.what, course.shown(growth.grown), how)
    yield Hypothesis(
        component=course.component,
        signs=(Sign(False, why, course.source),),
        effect=why,
        mend=TEXTS.mend_if_it_stops,
        decides=TEXTS.decides_if_it_stops,
        detail=course.kind,
    )
