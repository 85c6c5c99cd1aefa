"""Something grows with every request and is never given back."""

import math
from collections.abc import Sequence

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import About, OwnWords, Proof
from loadrig.judgement.evidence import CLEAR, STRONG, Claims, EventSource, Evidence, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.courses import Course
from loadrig.judgement.facts.memory import growing_line
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.harms import drift, leaks, standstill
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.leak import LeakTexts

TEXTS = texts_of(LeakTexts)

ABOUT = About("growth", "signs", harms=frozenset({"stopped", "growth", "drift"}))

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


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each program of which something leaks, or rises and was suspected."""
    for component in dict.fromkeys(course.component for course in leaks.of(case)):
        courses = [course for course in leaks.of(case) if course.component == component]
        leaking = [course for course in courses if course.is_leak or course is leaks.gone_through(case)]
        if leaking:
            yield _leak(case, case.tiers[component], leaking)
        else:
            yield from (_no_leak(course) for course in courses if course.why_no_leak)
    if (pool := standstill.never_given_back(case)) is not None:
        yield _used_up(case, pool)


def _used_up(case: Case, pool: standstill.Calls) -> Hypothesis:
    """Return the hypothesis of a pool whose connections were lent one after the other and never came back."""
    number, to, standing = show_number(round(pool.open)), pool.to.name, pool.standing
    effect = TEXTS.connections_taken(number, to, show_duration(standing.answered_s))
    return Hypothesis(
        case.server.name, pool.signs(TEXTS.stood_idle(number, to, show_number(standing.waiting))), effect,
        mend=TEXTS.mend_pool, decides=TEXTS.decides_pool, detail="connections",
    )  # fmt: skip


def _leak(case: Case, tier: Tier, leaking: Sequence[Course]) -> Hypothesis:
    course, *others = sorted(leaking, key=lambda course: ROOTS.index(course.kind))
    shape, lives, rate = course.slopes.shape, course.slopes.lives, case.load.ended_rps
    assert shape is not None  # without it nothing is known to leak
    what, a_request = course.what, course.shown(course.a_request)
    grown = (what, course.shown(course.slopes.grown), show_number(shape.growth.span))
    verb = TEXTS.it_grows if course.kind == "memory" else TEXTS.they_grow
    more = [Evidence(TEXTS.grew_too(also.what, also.shown(also.a_request)), also.source) for also in others]
    if lives:
        grew = TEXTS.grew_in_lives(*grown, str(lives), show_number(course.slopes.workers))
        effect = TEXTS.grows_until_restarted(what, verb, a_request)
        died = len(case.events_of("worker_died", "process_died", component=tier.name))
        source = EventSource(tier.name, "worker_died", died)
        more.append(Evidence(TEXTS.restarts_hide_it(str(died)), source))
    else:
        grew, left_s = TEXTS.grew(*grown), course.to_limit_s(rate)
        a_second = course.shown(course.a_request * rate)
        effect = TEXTS.grows(what, verb, a_request, a_second, show_number(rate))
        if math.isfinite(left_s):
            limit = course.shown(course.limit)
            effect += TEXTS.reaches_limit(course.limit_text, limit, show_duration(left_s))
    mend = TEXTS.close_what_is_opened(what)
    if course.kind == "memory":
        line = growing_line(case, tier)
        more += [] if line is None else [line[1]]
        where = TEXTS.find_line(tier.runtime) if line is None else TEXTS.look_at(line[0])
        mend = TEXTS.mend_memory(where, is_bounded=bool(lives))
    (low, high), growth = map(course.shown, course.interval), shape.growth
    straight = (show_share(growth.rises), show_share(growth.lasting), show_number(growth.bic))
    signs = [Sign(True, TEXTS.growth_a_request(grew, a_request, low, high), course.source, STRONG)]
    if course.is_leak:
        signs.append(Sign(True, TEXTS.rose_like_a_line(*straight), course.source, STRONG))
    rise = drift.rise_of(case) if course is leaks.gone_through(case) else None
    if rise is not None:
        text = TEXTS.each_goes_through_it(drift.rise_in_words(rise))
        signs.append(Sign(True, text, case.load.source("load.successful_rps"), CLEAR))
    elif not course.is_sure:
        how = TEXTS.by_pprof if tier.runtime == "go" else TEXTS.by_inspector
        signs.append(Sign(None, TEXTS.collector_unseen(how), course.source))
    return Hypothesis(tier.name, tuple(signs), effect, mend, more=tuple(more), detail=course.kind)


def _no_leak(course: Course) -> Hypothesis:
    """Return the hypothesis of memory in which a person would suspect a leak, with the sign of why not."""
    assert course.slopes.shape is not None  # without it nothing is known to grow
    grown = course.shown(course.slopes.shape.growth.grown)
    why = TEXTS.grew_but(course.what, grown, course.why_no_leak)
    return Hypothesis(
        course.component, (Sign(False, why, course.source),), effect=why,
        mend=TEXTS.mend_if_it_stops, decides=TEXTS.decides_if_it_stops, detail=course.kind,
    )  # fmt: skip
