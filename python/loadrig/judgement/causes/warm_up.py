"""The server was not yet warm: code not compiled, connections and caches not yet made."""

from collections.abc import Iterator

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import About
from loadrig.judgement.constants import FAILING, FULL
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Claims, Evidence, Hypothesis, LoadSource, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.load import CLOSED, TIMES_IN_FLIGHT
from loadrig.judgement.harms import drift
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.warm_up import WarmUpTexts
from loadrig.language.labels import label

TEXTS = texts_of(WarmUpTexts)

ABOUT = About("lifetime", "signs", harms=frozenset({"failing", "missed", "drift"}))

SLOWER = 2.0
"""Latency of the first seconds over the later, from which on a user notices a cold start."""

SAME_LOAD = 1.3
"""Requests due a second, the greater of both parts over the smaller. Above it the load has changed, too."""

COMPILING = 3.0
"""Time of compiling a second in the beginning over that after it, from which on compiling explains it."""

COMPILED = {
    "jvm.compilation_s": TEXTS.compiler_worked_times, "jvm.classes_loaded": TEXTS.loaded_times_many,
}  # fmt: skip
"""Sentences on what a JVM compiled and loaded more of at first, by the series that tells."""

MOST_TIMES = 1_000.0
"""Ratio above which a figure of how much more was compiled says nothing more."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for the server, where its requests cost more at first."""
    dear, slow = drift.beginning_of(drift.cpu_a_request(case)), drift.beginning_of(drift.latency(case))
    if dear is not None and dear.ratio >= drift.DEARER:
        yield _hypothesis(case, dear, slow, is_dear=True)
    elif slow is not None and slow.ratio >= SLOWER:
        yield _hypothesis(case, slow, slow, is_dear=False)


def _hypothesis(
    case: Case, first: drift.Beginning, slow: drift.Beginning | None, *, is_dear: bool
) -> Hypothesis:
    load, cpu, parts = case.load, case.server.cpu, drift.parted(case, first)
    length, share = show_duration(parts.first_s), parts.harm_share(slow)
    word = TEXTS.cpu_time if is_dear else label("time")
    cost = TEXTS.request_took_first(show_duration(first.head), word, length, show_duration(first.level))
    source = cpu.source if cpu is not None and is_dear else LoadSource("latency_ms")
    asked = parts.means(load.offered if load.is_open else load.users)
    same = TEXTS.load_first_later(*map(show_number, asked))
    lasts = first.steps >= drift.LEAST_BEGINNING_SHARE * int(case.is_inside.sum())
    lasted = TEXTS.that_lasted(length, show_duration(case.measured_s))
    cost_s = np.full(case.is_inside.size, np.nan)
    cost_s[case.is_inside] = drift.cpu_a_request(case)
    was_dear, is_dear_later = parts.means(cost_s)
    falls = was_dear >= drift.DEARER * is_dear_later > 0
    waited, waits = parts.means(load.in_flight)
    # A queue that goes when requests become cheaper was made by their cost.
    is_crowd_gone = waited >= TIMES_IN_FLIGHT * max(waits, 1.0) and load.fails_in_crowds
    is_queue_gone = is_crowd_gone or (falls and waited >= SLOWER * waits)
    goes_on = ("queueing" in case.harms and not is_queue_gone) or ("short" in case.harms and share < 0.5)
    is_well = parts.failed_later_share <= FAILING and not goes_on
    later = TEXTS.after_requests_failed(show_share(parts.failed_later_share))
    later = TEXTS.they_piled_up(later) if goes_on else later
    signs = (
        Sign(True, cost, source, STRONG if is_dear else CLEAR),
        Sign(max(asked) <= SAME_LOAD * min(asked), same, LoadSource("load.offered_rps"), SLIGHT),
        Sign(lasts or is_crowd_gone, lasted, LoadSource("load.duration_s"), 0.0),
        Sign(is_well, later, LoadSource("load.failed"), SLIGHT),
        *(() if is_dear else _not_of_a_queue(case, parts)),
        *_not_of_slowness(case),
        *(() if falls or not is_crowd_gone else (Sign(None, TEXTS.may_be_another, source),)),
    )
    bound_text = TEXTS.what_went_wrong(show_share(share), length)
    return Hypothesis(
        "server", signs, cost, more=tuple(_runtime_evidence(case, parts)), bound=share, bound_text=bound_text
    )


def _not_of_a_queue(case: Case, parts: drift.Parted) -> Iterator[Sign]:
    """Yield the sign that a full CPU made the beginning slow: it is as full later, and its queue is gone.

    Whoever asks for nearly all that there is waits in a queue that one slow second made for many more.
    """
    tier = case.server
    if tier.cpu is None:
        return
    used, used_later = (share / tier.cores for share in parts.means(tier.cpu.values))
    if min(used, used_later) >= FULL:
        yield Sign(False, TEXTS.as_full_later(show_share(used_later)), tier.cpu.source)


def _not_of_slowness(case: Case) -> Iterator[Sign]:
    """Yield the sign that requests failed in a way that slowness does not explain, where that is the harm."""
    load, is_of_failures = case.load, set(case.harms) & ABOUT.harms == {"failing"}
    # A server that is only slow at first closes no connection, unless more requests wait than it holds.
    if is_of_failures and load.fails_by_closing and not load.fails_in_crowds:
        closed, failed = f"{load.count(*CLOSED):,}", f"{load.total(load.failed):,.0f}"
        yield Sign(False, TEXTS.were_closed(closed, failed), load.source("outcomes"))


def _runtime_evidence(case: Case, parts: drift.Parted) -> Iterator[Evidence]:
    for name, text in COMPILED.items():
        track = case.server.track(name)
        if track is not None:
            early, late = parts.means(track.values)
            times = min(early / max(late, 1e-9), MOST_TIMES)
            if times >= COMPILING:
                yield Evidence(text.replace("{}", show_number(times)), track.source)
