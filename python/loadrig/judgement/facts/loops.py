"""Event loops that do not come round: known by their delay, by routes, or by requests that lie unread."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.constants import BRIM, FULL_SHARE, IN_OTHER_THREADS, MOSTLY, OFTEN
from loadrig.judgement.evidence import CLEAR, STRONG, FormulaSource, SeriesSource, Sign
from loadrig.judgement.facts.carriers import full_dependency
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import ONE_BY_ONE, Alone, works_one_by_one
from loadrig.judgement.facts.cores import CORES_ROOM_SHARE, free_share, use_of
from loadrig.judgement.facts.slots import is_loop, serving, unread_each
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsLoopsTexts
from loadrig.language.labels import joined, label

TEXTS = texts_of(JudgementFactsLoopsTexts)

LATE_S = 0.03
"""Delay of an event loop in seconds that a user feels: an idle loop is late by 1 ms, a busy healthy one by a
few. Short calls add up to it only where dozens of requests are ready at once."""

SLOW_TO_WAKE_S = LATE_S / 2
"""Delay in seconds up to which a loop may only be slow to wake up: of an idle machine, or one that others
use."""

APART = 4.0
"""Time alone of the slowest route over that of the quickest. Below it the two cannot be told apart."""

SPREAD_SHARE = 0.3
"""Delay of the quickest route as a share of the slowest route's time alone, 0 to 1, from which on one waits
for the other."""

LOOP_CROWDED = 2.0
"""Ratio from which on requests queue: requests in flight, and waits, over those that computing alone causes,
and latency over the time alone."""

MOST_USED = 0.95
"""Most that is counted of one core in use, 0 to 1: beyond it the formula of a queue has no end."""

UNREAD_BYTES_OF_LOOP = 6.0
"""Unread bytes of each request in flight, which has some 100, from which on a loop is blocked. Loops that
await read at once (below 3 was seen); with blocked loops 14 to 57 were seen."""

LONG_CALL_S = 0.05
"""Time of a call in seconds from which on users notice that it blocks, also where a full loop serves nothing
else."""

UNREAD = ("unread", "answer_unread")
"""States of a request in which it waits for the loop that is to read it, or an answer to it."""

AWAITS_SHARE = 0.3
"""Share of its time, 0 to 1, that a loop waits for events from which on no call holds it up while requests
are in flight: one that is held up comes round, finds them, and is held up again."""


CALLS = ("reading", "writing", "connecting", "disk", "sleeping")
"""States of a thread that sleeps in a call: what a loop awaits, it waits for by polling."""

HELD_UP_SHARE = 0.25
"""Share of its time that a loop which is a program's only thread sleeps in calls, 0 to 1, from which on these
hold up requests: whoever comes then waits for half a call. A loop whose calls are awaited sleeps in none (0
was seen); one request of ten that blocked for 20 ms took 0.57, and cost 45 % of the throughput."""


@dataclass(frozen=True, slots=True)
class Delayed:
    """Sign that a loop comes round late. is_asleep: whether the length of its sleeps tells of a call."""

    sign: Sign
    is_asleep: bool = False


def delayed(case: Case, tier: Tier, served: Alone | None) -> Delayed | None:
    """Return the sign that a loop comes round late, or not late enough; None where nothing speaks of it."""
    own = _own_delay(tier, served)
    if own is not None:
        return Delayed(own)
    routes = _by_routes(case, tier, served) if served is not None else None
    if routes is not None and routes.holds:
        return Delayed(routes)
    tail = lain_unread(case, tier) if "tail" in case.harms else None
    if tail is not None:
        return Delayed(tail)
    if (asleep := _by_states(case, tier)) is not None:
        return Delayed(asleep, is_asleep=True)
    if is_full(tier):
        assert tier.busiest is not None
        text = TEXTS.loop_used_core(show_number(tier.busiest.mean))
        return Delayed(Sign(True, text, tier.busiest.source, CLEAR)) if served is not None else None
    unread = unread_each(case, tier)
    is_unread = unread >= UNREAD_BYTES_OF_LOOP
    # Where requests lie unread, those that were seen to wait for events are other threads than the loop's.
    if is_crowded(case, tier, served) and (is_unread or not awaits_events(tier)):
        if is_unread and (slept := _sleep(tier)) is not None:
            return Delayed(slept, is_asleep=True)
        text = TEXTS.requests_flight(show_number(case.load.waiting))
        if served is not None:
            p50 = show_duration(case.load.latency(0.5))
            text = TEXTS.requests_take_alone(p50, show_duration(served.fastest_s))
        if is_unread and (
            served is None or are_held(case, tier) or served.at_once <= ONE_BY_ONE * serving(tier)
        ):
            text += TEXTS.bytes_each_lie(show_number(unread))
            source = SeriesSource(tier.host, "tcp_sockets.receive_queue_bytes", f"in:{tier.port}")
            return Delayed(Sign(True, text, source, STRONG))
        if served is not None and works_one_by_one(served, serving(tier)):
            return Delayed(Sign(True, TEXTS.they_served(text), at_once_formula(served), CLEAR))
    return None if routes is None else Delayed(routes)


def awaits_events(tier: Tier) -> bool:
    """Return whether a program's loops were seen to wait for events: what is one by one then is a pool."""
    polling = tier.track("thread_states.threads", "state:polling")
    return polling is not None and polling.mean >= AWAITS_SHARE * serving(tier)


def are_held(case: Case, tier: Tier) -> bool:
    """Return whether a program's loops have a steady number of requests in hand while others lie unread."""
    return is_loop(tier) and any(held.component == tier.name for held in case.held)


def _own_delay(tier: Tier, served: Alone | None) -> Sign | None:
    """Return the sign by the loop's own delay, where a probe reads that; else None."""
    delays = tier.parts("node.delay_max_s")
    if not delays:
        return None
    worst = max(delays.values(), key=lambda track: track.mean)
    often = worst.share_above(LATE_S)
    if worst.peak < LATE_S:
        if served is None or worst.peak < SLOW_TO_WAKE_S:
            return None
        return Sign(False, TEXTS.loop_late_most(show_duration(worst.peak)), worst.source)
    text = TEXTS.loop_late_average(show_duration(worst.mean), show_duration(worst.peak))
    return Sign(often >= OFTEN, text, worst.source, STRONG)


def _by_routes(case: Case, tier: Tier, served: Alone) -> Sign | None:
    pair = quick_and_slow(served)
    if pair is None:
        return None
    quick, slow = pair
    of_route = case.load.latency_of_route
    # Not all requests of the quick route meet the slow one: a tenth does.
    delay = of_route(quick, 0.9) - served.by_route[quick] if of_route is not None else math.nan
    if not delay > 0:
        return None
    text = TEXTS.takes_alone_beside(
        quick,
        show_duration(served.by_route[quick]),
        show_duration(served.by_route[quick] + delay),
        slow,
        show_duration(served.by_route[slow]),
    )
    # A loop that only computes delays requests, too: a tenth by 2.3 times their mean time / (1 - use), M/M/1.
    used = _used(tier)
    queueing_s = math.log(10) * used * serving(tier) / case.load.ended_rps / (1 - used)
    least = SPREAD_SHARE * served.by_route[slow]
    is_held_up = delay >= (least if is_full(tier) else max(least, LOOP_CROWDED * queueing_s))
    return Sign(is_held_up, text, case.load.source("load.routes"), STRONG)


def lain_unread(case: Case, tier: Tier) -> Sign | None:
    """Return the sign that the slow requests lay unread; None where there are none, or they lay elsewhere.

    A loop reads what has come as soon as it comes round, so what lies unread tells how long it was held.
    """
    component = case.account_of(tier.name)
    if component is None or case.load.ended_rps <= 0:
        return None
    unread_s = unread_share(case, tier) * component.total_ms / 1e3
    median_s = case.load.latency(0.5)
    slower_s = component.total_ms / 1e3 - median_s
    used = _used(tier)
    # Short calls alone let requests lie for use / (1 - use) times as long as they compute, M/M/1.
    queueing_s = used / (1 - used) * used * serving(tier) / case.load.ended_rps
    if not slower_s > 0 or unread_s < SPREAD_SHARE * slower_s or unread_s < LOOP_CROWDED**2 * queueing_s:
        return None
    text = TEXTS.tail_lay_unread(show_duration(slower_s), show_duration(unread_s), show_duration(queueing_s))
    return Sign(True, text, FormulaSource(TEXTS.mean_less_median), CLEAR)


def unread_share(case: Case, tier: Tier) -> float:
    """Return the share of a request's time in a program that it lies unread, 0 to 1; 0 where not known."""
    component = case.account_of(tier.name)
    if component is None or component.total_ms <= 0:
        return 0.0
    return component.ms_in(*UNREAD) / component.total_ms


def _by_states(case: Case, tier: Tier) -> Sign | None:
    """Return the sign that a loop's thread sleeps in calls while requests lie unread; None where not."""
    if (held_up := held_up_share(tier)) >= HELD_UP_SHARE:
        source = SeriesSource(tier.name, "thread_states.threads", "state:reading")
        return Sign(True, TEXTS.sleeps_alone_in_calls(show_share(held_up)), source, STRONG)
    asleep, polling = sum(_in_turn(tier, state) for state in CALLS), _in_turn(tier, "polling")
    threads = asleep + polling + sum(_in_turn(tier, state) for state in ("running", "runnable"))
    unread = unread_each(case, tier)
    if not (threads > 0 and unread >= UNREAD_BYTES_OF_LOOP):
        return None
    if asleep < MOSTLY * threads or polling > AWAITS_SHARE * threads:
        return None
    shares = show_share(asleep / threads), show_share(polling / threads)
    source = SeriesSource(tier.name, "thread_states.threads", "state:reading")
    return Sign(True, TEXTS.sleeps_in_calls(*shares, show_number(unread)), source, STRONG)


def held_up_share(tier: Tier) -> float:
    """Return the share of its time that a loop sleeps in calls, 0 to 1; 0 of a program with other threads.

    Which of several threads sleeps in a call is not told.
    """
    states = tier.parts("thread_states.threads")
    numbers = {
        subject.removeprefix("state:"): track.mean for subject, track in states.items() if track.is_known
    }
    if not is_loop(tier) or not 0 < sum(numbers.values()) <= serving(tier) + IN_OTHER_THREADS:
        return 0.0
    return sum(numbers.get(state, 0.0) for state in CALLS) / serving(tier)


def computes_in_calls(tier: Tier) -> bool:
    """Return whether calls that hold up a loop compute: it fills a core, or hardly ever sleeps in a call."""
    computing, asleep = (
        sum(_in_turn(tier, state) for state in states) for states in (("running", "runnable"), CALLS)
    )
    return is_full(tier) or computing > asleep


def _in_turn(tier: Tier, state: str) -> float:
    """Return the mean number of threads in a state, less those that never leave it: these serve nothing."""
    track = tier.track("thread_states.threads", f"state:{state}")
    return track.mean - math.floor(track.inside.min()) if track is not None and track.is_known else 0.0


def _sleep(tier: Tier) -> Sign | None:
    """Return the sign by its sleeps' length: a loop with something to read sleeps only in a call."""
    switches, waited = (
        tier.track("process.voluntary_switches", "tree"),
        tier.track("process.run_delay_s", "tree"),
    )
    if switches is None or tier.cpu is None or not switches.mean > 0:
        return None
    idle = serving(tier) - tier.cpu.mean - (waited.mean if waited is not None else 0.0)
    sleep_s = idle / switches.mean
    if sleep_s < LATE_S:
        return None
    return Sign(True, TEXTS.slept_time_though(show_duration(sleep_s)), switches.source, STRONG)


def _used(tier: Tier) -> float:
    """Return the share of one core that a loop used, 0 to 1; 0 where that was not read."""
    return min(tier.busiest.mean, MOST_USED) if tier.busiest is not None else 0.0


def blocking_call(case: Case, tier: Tier, served: Alone | None) -> Sign:
    """Return the sign that a call blocks, rather than many short ones."""
    if tier.busiest is None:
        return Sign(None, TEXTS.whether_waits_or(tier.name), FormulaSource(TEXTS.no_process_cpu))
    source, used = tier.busiest.source, tier.busiest.mean
    if used < FULL_SHARE:
        text = TEXTS.used_core_computing if computes_in_calls(tier) else TEXTS.used_core_held
        return Sign(True, text(show_number(used)), source)
    cpu_s = serving(tier) / case.load.ended_rps if case.load.ended_rps else 0.0
    longest_s, what = cpu_s, TEXTS.a_request
    pair = quick_and_slow(served) if served is not None else None
    if served is not None and pair is not None and served.at_once <= ONE_BY_ONE * serving(tier):
        longest_s, what = max((cpu_s, what), (served.by_route[pair[1]], pair[1]))
    if longest_s >= LONG_CALL_S:
        return Sign(True, TEXTS.computes_without_pause(what, show_duration(longest_s)), source)
    if free_share(case, tier) >= CORES_ROOM_SHARE:
        return Sign(True, TEXTS.loop_full_calls(show_duration(cpu_s)), source)
    return Sign(False, TEXTS.calls_short_request(show_duration(cpu_s)), source)


def quick_and_slow(served: Alone) -> tuple[str, str] | None:
    """Return the quickest and the slowest route, where they differ enough; else None."""
    quick = min(served.by_route, key=lambda route: served.by_route[route])
    slow = max(served.by_route, key=lambda route: served.by_route[route])
    apart = served.by_route[slow] >= max(APART * served.by_route[quick], LATE_S / 2)
    return (quick, slow) if apart else None


def is_full(tier: Tier) -> bool:
    """Return whether one process of a program uses a core without a pause."""
    return tier.busiest is not None and tier.busiest.mean >= FULL_SHARE


def is_crowded(case: Case, tier: Tier, served: Alone | None) -> bool:
    """Return whether more requests queue, and for longer, than computing alone makes queue."""
    is_slower = served is None or case.load.latency(0.5) >= LOOP_CROWDED * served.fastest_s
    return is_slower and case.load.waiting >= LOOP_CROWDED * serving(tier) / (1 - _used(tier))


def at_once_formula(served: Alone) -> FormulaSource:
    """Return the arithmetic of the requests that are worked on at once, as a source."""
    return FormulaSource(TEXTS.throughput_time_request(show_number(served.at_once)))


def stopped_by(case: Case, tier: Tier) -> Iterator[Sign]:
    """Yield the signs against a blocked loop: what else stops it, or the requests in it."""
    full, use = full_dependency(case, tier), use_of(case, tier)
    if full is not None:
        yield Sign(False, full.text, full.source)
    if tier.cpu is not None and tier.quota < 1 and tier.cpu.mean >= FULL_SHARE * tier.quota:
        text, cores = TEXTS.quota_stops(show_cores(tier.quota)), show_cores(tier.quota)
        yield Sign(False, text, FormulaSource(TEXTS.mean_of(show_number(tier.cpu.mean), cores)))
    for track in tier.parts("node.gc_pause_s").values():
        if track.mean >= OFTEN:
            yield Sign(False, TEXTS.collections_garbage_stop(show_share(track.mean)), track.source)
    component = case.account_of(tier.name)
    if component is not None and component.ms_in("sending") >= MOSTLY * component.total_ms > 0:
        sending_s, total_s = component.ms_in("sending") / 1e3, component.total_ms / 1e3
        text = TEXTS.on_their_way_back(show_duration(sending_s), show_duration(total_s))
        yield Sign(False, text, SeriesSource(tier.name, "socket_stages.sending", f"in:{tier.port}"))
    if is_full(tier) or tier.cpu is None:
        return
    waited = tier.track("process.run_delay_s", "tree")
    waited_each = waited.mean / serving(tier) if waited is not None else 0.0
    if waited is not None and waited_each >= OFTEN and tier.cpu.mean + waited.mean >= FULL_SHARE:
        yield Sign(False, TEXTS.threads_waited_core(show_share(waited_each)), waited.source)
    # While loops are held up they do not compute, and their dependencies have nothing to do.
    if use is not None and use.ours >= BRIM * tier.places:
        users = joined([label("it"), *(sharer.name for sharer in use.sharers if sharer is not tier)])
        text = TEXTS.used_may_use(users, show_number(use.ours), show_cores(tier.places))
        yield Sign(False, TEXTS.lacks_cpu(text), FormulaSource(use.formula))
