"""Harms: what is wrong with a trial, if anything, before anybody asks why.

A cause is only accused of a harm that is there: a counter that rises while the server does all that it is
asked to do accuses nothing.
"""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from loadrig.base.claims import Claim
from loadrig.base.component import SERVER
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.constants import (
    FULL_OF_TIME,
    HELD_BACK_A_REQUEST,
    NO_CHANCE,
    STRETCHED,
    STRETCHED_S,
    WAITS,
)
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsTableTexts
from loadrig.language.labels import label

if TYPE_CHECKING:
    from loadrig.account.trial_account import ComponentAccount
    from loadrig.judgement.facts.case import Case

TEXTS = texts_of(JudgementHarmsTableTexts)

NAMES: Mapping[str, str] = {
    "short": TEXTS.name_short,
    "failing": TEXTS.name_failing,
    "rejected": TEXTS.name_rejected,
    "stopped": TEXTS.name_stopped,
    "queueing": TEXTS.name_queueing,
    "saturated": TEXTS.name_saturated,
    "tail": TEXTS.name_tail,
    "missed": TEXTS.name_missed,
    "dips": TEXTS.name_dips,
    "growth": TEXTS.name_growth,
    "drift": TEXTS.name_drift,
}

RESTS_ON: Mapping[str, Claim] = {
    "short": "rates",
    "failing": "facts",
    "rejected": "facts",
    "stopped": "facts",
    "queueing": "rates",
    "saturated": "ratios",
    "tail": "tails",
    "missed": "times",
    "dips": "rates",
    "growth": "facts",
    "drift": "times",
}
"""Kind of claim that each harm rests on. Goals mostly rest on times; a goal that a disturbance may account
for does not count as missed."""

WEAK_ABOVE = 0.05
"""Share by which a figure may be off, 0 to 1. Above it a harm that rests on such figures alone is not sure:
it is half of the least share that a cause has to explain (LEAST_BOUND of the engine)."""

SHORT_SHARE = 0.97
"""Good answers over requests due, 0 to 1. Below it the server does not keep up: a count of 1,000 has 3 %
noise."""

FAILING_SHARE = 0.002
"""Share of requests that failed, 0 to 1. Above it that is a harm: twice what a goal of 99.9 % allows."""

UNSENT_SHARE = 0.005
"""Share of requests that were never sent, 0 to 1. Above it that is a harm; it is that of the check of the
load: below it the load was the one that was asked for."""

WAITING_SHARE = 0.5
"""Share of the users that wait for an answer, 0 to 1. Below it think time dominates, so the users limit the
load, not the server."""

USED_UP_SHARE = 0.95
"""Share of the cores that a program may use, 0 to 1, from which on users with long pauses are held up: at
less a healthy server may keep up with them as well."""

TAIL_RATIO, TAIL_S = 8.0, 0.1
"""p99 over p50, and p99 in seconds. Above both the tail is a harm: service times of a healthy mix of routes
spread by a factor of two or three."""


QUEUED_SHARE, QUEUED_S = 0.5, 0.1
"""Share of a request's time in which nobody works on it, 0 to 1, and that time in seconds. Above both an open
load queues, however steadily: a tenth of a second is what a person notices, and a server that lets most of it
pass has more to do than it can."""

STARVING, FEWEST_STARVING = 2.0, 2.0
"""Requests in flight, as a factor of those that there are while a slow one (p99) is answered, and beyond
them. Above both some wait that are never taken up: the slowest hundredth would have to take a hundred times
as long."""

NOT_WORKED_ON = ("connecting", "accept_queue", "unread", "answer_unread", "runnable", "throttled")
"""States of a request in which it waits for a worker, a loop or a core of the server."""


def harms_of(case: "Case") -> dict[str, str]:
    """Return the harms of a case by name, each as a sentence with figures; empty without a harm."""
    from loadrig.judgement.facts.concurrency import are_kept_busy
    from loadrig.judgement.harms import (  # these modules import the case, which imports this one
        dips,
        drift,
        leaks,
        standstill,
    )

    load, harms = case.load, dict[str, str]()
    if (text := standstill.harm(case)) is not None:
        harms["stopped"] = text
    # Requests that the generator did not send are no fault of the server, so they are left out.
    unsent = sum(load.unsent.values()) if case.has_load else 0
    offered_rps = load.offered_rps if case.has_load else min(load.offered_rps, load.mean(load.sent))
    # What the server has no such thing of, or does not allow, it would reject at any load.
    rejected, finished = load.total(load.rejected), f"{load.finished:,.0f}"
    answered_rps, failed_share = load.ok_rps, load.failed_share - load.rejected_share
    answered_rps += load.mean(load.rejected)
    if load.is_open and offered_rps and answered_rps < SHORT_SHARE * offered_rps:
        harms["short"] = TEXTS.s_answered_well(
            show_number(load.ok_rps), show_number(offered_rps), case.has_load
        )
    if failed_share > FAILING_SHARE and load.total(load.failed) - rejected >= NO_CHANCE:
        harms["failing"] = TEXTS.requests_failed(show_share(failed_share), finished)
    if load.rejected_share > FAILING_SHARE and rejected >= NO_CHANCE:
        harms["rejected"] = TEXTS.requests_rejected(show_share(load.rejected_share), finished)
    if unsent > UNSENT_SHARE * max(1.0, load.total(load.offered)):
        why = ", ".join(name.replace("_", " ") for name, count in load.unsent.items() if count)
        harms["short"] = TEXTS.requests_never_sent(f"{unsent:,}", why)
    if load.is_open and (text := _piling_up(case) or _queueing(case) or _held_back(case) or _starving(case)):
        harms["queueing"] = text
    kept_back = load.unsent.get("no_connection", 0)
    is_kept_back = not case.has_load and kept_back > UNSENT_SHARE * max(1.0, load.total(load.offered))
    if load.is_open and not is_kept_back and are_kept_busy(case):
        is_kept_back, kept_back = True, round(load.capped_share * load.total(load.offered))
    if is_kept_back:
        # An open load at its cap on connections is a closed one: every connection waits for its answer.
        harms["saturated"] = TEXTS.every_connection_waiting(f"{kept_back:,}", show_number(load.ok_rps))
    # The users of the last step are those whom the end of the load has left.
    users = float(np.median(load.users[case.is_inside])) if case.is_inside.any() else 0.0
    if not load.is_open and (load.model == "saturate" or (users and load.waiting > WAITING_SHARE * users)):
        harms["saturated"] = TEXTS.users_waiting_answer(
            show_number(load.waiting), show_number(users or load.waiting), show_number(load.ok_rps)
        )
    full = next((tier for tier in case.programs if tier.cpu_share >= USED_UP_SHARE), None)
    if not load.is_open and full is not None and "saturated" not in harms:
        # Users with a long think time wait little, however full the server is.
        harms["saturated"] = TEXTS.used_cpu_may(full.name, show_share(full.cpu_share))
    p50, p99 = load.latency(0.5), load.latency(0.99)
    if p99 > TAIL_S and p99 > TAIL_RATIO * p50:
        harms["tail"] = TEXTS.p99_times_median(show_duration(p99), f"{p99 / p50:.0f}", show_duration(p50))
    elif load.is_open and (text := _crowded_out(case)):
        harms["tail"] = text
    missed = [goal.text for goal in case.goals if goal.is_met is False]
    if missed:
        harms["missed"] = f"{label('missed')}: {'; '.join(missed)}"
    for name, text_of in (("dips", dips.harm), ("growth", leaks.harm), ("drift", drift.harm)):
        if (sentence := text_of(case)) is not None:
            harms[name] = sentence
    return harms


def unsure(case: "Case", names: Iterable[str]) -> str:
    """Return why harms are not sure where all rest on what a disturbance moved; "" where one stands.

    A harm that is larger than what the disturbance may have taken stands, however sure its size is. Of
    disturbances that weaken alike the first is told, by the name of the harm.
    """
    weak = [(name, case.weak(RESTS_ON[name])) for name in sorted(names)]
    by = [
        weakened.by
        for name, weakened in weak
        if weakened is not None and weakened.by is not None and not _outlasts(case, name, weakened.by)
    ]
    if not by or len(by) < len(weak) or min(by) <= WEAK_ABOVE:
        return ""
    least = next(weakened for _, weakened in weak if weakened is not None and weakened.by == min(by))
    return TEXTS.what_wrong_measured(show_share(min(by)), least.why)


def _outlasts(case: "Case", name: str, by: float) -> bool:
    """Return whether a harm would be one without the share of answers that a disturbance may have taken."""
    from loadrig.judgement.harms import dips

    if name == "short":
        offered_rps = case.load.offered_rps
        return offered_rps > 0 and case.load.ok_rps / offered_rps + by < SHORT_SHARE
    dipped = dips.of(case) if name == "dips" else None
    return dipped is not None and dipped.is_harm and dipped.lost_share - by >= dips.LEAST_LOST_IRREGULAR


def _piling_up(case: "Case") -> str:
    """Return how requests in flight grew through the measured part; "" where they did not double."""
    waiting = case.load.in_flight[case.is_inside]
    if waiting.size < 6:
        return ""
    third = waiting.size // 3
    first, last = float(np.median(waiting[:third])), float(np.median(waiting[-third:]))
    if last < 2 * first + 5:
        return ""
    return TEXTS.requests_flight_grew(show_number(first), show_number(last))


def _queueing(case: "Case") -> str:
    """Return how long requests waited for the loaded server to work on them; "" where that is little."""
    component = case.account_of(SERVER)
    if component is None or component.total_ms <= 0:
        return ""
    total_s, waited_s = component.total_ms / 1e3, _seconds(component, *NOT_WORKED_ON)
    with_inside_s = waited_s + _seconds(component, "inside")
    is_stretched = _is_stretched(case, total_s)
    if _is_queue_inside(case, component) or (is_stretched and with_inside_s >= QUEUED_S):
        waited_s = with_inside_s
    least_s = STRETCHED_S if is_stretched or _is_pool_full(component) else QUEUED_S
    if waited_s < max(least_s, QUEUED_SHARE * total_s):
        return ""
    waited_s = min(waited_s, total_s)  # looks at sockets and the generator's clock are of different samples
    return TEXTS.waited_to_be_worked_on(show_duration(waited_s), show_duration(total_s))


def _held_back(case: "Case") -> str:
    """Return how long answers waited for acknowledgements that were held back; "" where that is little.

    It needs no load: where an answer goes out in two parts, the second one waits each time.
    """
    from loadrig.judgement.facts.legs import namespaces

    component = case.account_of(SERVER)
    if component is None or component.total_ms <= 0:
        return ""
    held = [track.mean for space in namespaces(case) if (track := space.track("delayed_acks")) is not None]
    sending_s, total_s = _seconds(component, "sending"), component.total_ms / 1e3
    is_often = max(held, default=0.0) >= HELD_BACK_A_REQUEST * case.load.ended_rps > 0
    if not is_often or sending_s < max(STRETCHED_S, QUEUED_SHARE * total_s):
        return ""
    return TEXTS.waited_for_acknowledgement(show_duration(sending_s), show_duration(total_s))


def _starving(case: "Case") -> str:
    """Return how many requests are in flight that others overtake for good; "" where that is little.

    Where all are answered, few are in flight: as many as come while a slow one is answered.
    """
    load, p99 = case.load, case.load.latency(0.99)
    usual = load.ended_rps * p99
    if not p99 > 0 or load.waiting < max(STARVING * usual, usual + FEWEST_STARVING):
        return ""
    return TEXTS.overtaken(show_number(load.waiting), show_duration(p99), show_number(usual))


def _crowded_out(case: "Case") -> str:
    """Return how long requests wait for a core while other programs have it; "" where that is little.

    It needs no full server. What waits for a core that somebody else has waits until its slice is over, some
    milliseconds: few requests meet that, several times each, and only the slow ones show it. Both the account
    and the kernel must say so: requests that nobody works on, and threads that wait for a core.
    """
    from loadrig.judgement.facts.cores import use_of

    use, account, load = use_of(case, case.server), case.account, case.load
    server = account.server if account is not None else None
    if use is None or account is None or server is None or server.total_ms <= 0 or not load.ended_rps > 0:
        return ""
    others, p99_s = use.seen_of_others, load.latency(0.99)
    if others <= 0 or use.yielded > 0 or not p99_s >= STRETCHED_S:
        return ""
    waited_s = min(
        sum(_seconds(part, *NOT_WORKED_ON) for tier in use.sharers if (part := account.component(tier.name))),
        use.waited / load.ended_rps,
    )
    # They wait for each other, too: each for whoever has the core, in proportion to how long he has it.
    by_others_s, total_s = waited_s * others / (use.ours + others), server.total_ms / 1e3
    if by_others_s < WAITS * total_s:
        return ""
    return TEXTS.waited_for_others_core(
        show_duration(by_others_s), show_duration(total_s), show_duration(p99_s)
    )


def _seconds(component: "ComponentAccount", *states: str) -> float:
    """Return the seconds of a request in these states."""
    return sum(line.ms for line in component.lines if line.state in states) / 1e3


def _is_queue_inside(case: "Case", component: "ComponentAccount") -> bool:
    """Return whether requests that stand inside a server wait for their turn there: for a core, or a pool."""
    from loadrig.judgement.facts.cores import use_of

    use = use_of(case, case.server)
    # Where the cores are full, a routine that waits for nothing else waits for its turn on one.
    return (use is not None and use.full_share >= USED_UP_SHARE) or _is_pool_full(component)


def _is_pool_full(component: "ComponentAccount") -> bool:
    """Return whether hardly ever a connection of a pool was free."""
    return any(
        slot.slot == "connections" and (slot.full_share or 0.0) >= FULL_OF_TIME
        for slot in component.slots.slots
    )


def _is_stretched(case: "Case", total_s: float) -> bool:
    """Return whether a request takes many times as long as one that met no other, and so does half of them.

    A few that are slow by themselves make the mean long, and not the median.
    """
    from loadrig.judgement.facts.concurrency import alone

    served, rps = alone(case), case.load.ok_rps
    if served is None or rps <= 0:
        return False
    return min(total_s, 2 * case.load.latency(0.5)) * rps >= STRETCHED * served.at_once
