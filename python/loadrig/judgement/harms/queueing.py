"""Requests that queue: in an open load more and more of them, or each for long, or some for good."""

import numpy as np

from loadrig.account.trial_account import ComponentAccount
from loadrig.base.component import SERVER
from loadrig.base.units import show_duration, show_number
from loadrig.judgement.constants import (
    FEWEST_STEPS,
    FULL_OF_TIME,
    HELD_BACK_A_REQUEST,
    MOSTLY,
    NOTICED_S,
    STRETCHED,
    STRETCHED_S,
    USED_UP_SHARE,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import alone
from loadrig.judgement.facts.cores import use_of
from loadrig.judgement.facts.legs import delayed_acks
from loadrig.judgement.facts.observed import figure
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsQueueingTexts

TEXTS = texts_of(JudgementHarmsQueueingTexts)

STARVING, FEWEST_STARVING = 2.0, 2.0
"""Requests in flight, as a factor of those that there are while a slow one (p99) is answered, and beyond
them. Above both some wait that are never taken up: the slowest hundredth would have to take a hundred times
as long."""

NOT_WORKED_ON = ("connecting", "accept_queue", "unread", "answer_unread", "runnable", "throttled")
"""States of a request in which it waits for a worker, a loop or a core of the server."""


def harm(case: Case) -> str | None:
    """Return the harm "queueing" as a sentence; None where none queues, or a closed load cannot tell."""
    if not case.load.is_open:
        return None
    return _piling_up(case) or _queueing(case) or _held_back(case) or _starving(case) or None


def _piling_up(case: Case) -> str:
    """Return how requests in flight grew through the measured part; "" where they did not double."""
    waiting = case.load.in_flight[case.is_inside]
    if waiting.size < FEWEST_STEPS:
        return ""
    third = waiting.size // 3
    first, last = float(np.median(waiting[:third])), float(np.median(waiting[-third:]))
    if last < 2 * first + 5:
        return ""
    return TEXTS.requests_flight_grew(show_number(first), show_number(last))


def _queueing(case: Case) -> str:
    """Return how long requests waited for the loaded server to work on them; "" where that is little.

    An open load queues, however steadily, where nobody works on a request for most of its time: a server that
    lets so much of it pass, and so long that a person notices, has more to do than it can.
    """
    component = case.account_of(SERVER)
    if component is None or component.total_ms <= 0:
        return ""
    total_s, waited_s = component.total_ms / 1e3, component.ms_in(*NOT_WORKED_ON) / 1e3
    with_inside_s = waited_s + component.ms_in("inside") / 1e3
    is_stretched = _is_stretched(case, total_s)
    if _is_queue_inside(case, component) or (is_stretched and with_inside_s >= NOTICED_S):
        waited_s = with_inside_s
    least_s = STRETCHED_S if is_stretched or _is_pool_full(component) else NOTICED_S
    if waited_s < max(least_s, MOSTLY * total_s):
        return ""
    waited_s = min(waited_s, total_s)  # looks at sockets and the generator's clock are of different samples
    return TEXTS.waited_to_be_worked_on(show_duration(waited_s), show_duration(total_s))


def _held_back(case: Case) -> str:
    """Return how long answers waited for acknowledgements that were held back; "" where that is little.

    It needs no load: where an answer goes out in two parts, the second one waits each time.
    """
    component = case.account_of(SERVER)
    if component is None or component.total_ms <= 0:
        return ""
    held = figure(delayed_acks(case))
    sending_s, total_s = component.ms_in("sending") / 1e3, component.total_ms / 1e3
    is_often = held >= HELD_BACK_A_REQUEST * case.load.ended_rps > 0
    if not is_often or sending_s < max(STRETCHED_S, MOSTLY * total_s):
        return ""
    return TEXTS.waited_for_acknowledgement(show_duration(sending_s), show_duration(total_s))


def _starving(case: Case) -> str:
    """Return how many requests are in flight that others overtake for good; "" where that is little.

    Where all are answered, few are in flight: as many as come while a slow one is answered.
    """
    load, p99 = case.load, case.load.latency(0.99)
    usual = load.ended_rps * p99
    if not p99 > 0 or load.waiting < max(STARVING * usual, usual + FEWEST_STARVING):
        return ""
    return TEXTS.overtaken(show_number(load.waiting), show_duration(p99), show_number(usual))


def _is_queue_inside(case: Case, component: ComponentAccount) -> bool:
    """Return whether requests that stand inside a server wait for their turn there: for a core, or a pool."""
    use = use_of(case, case.server)
    # Where the cores are full, a routine that waits for nothing else waits for its turn on one.
    return (use is not None and use.full_share >= USED_UP_SHARE) or _is_pool_full(component)


def _is_pool_full(component: ComponentAccount) -> bool:
    """Return whether hardly ever a connection of a pool was free."""
    return any((slot.full_share or 0.0) >= FULL_OF_TIME for slot in component.slots.kind("connections"))


def _is_stretched(case: Case, total_s: float) -> bool:
    """Return whether a request takes many times as long as one that met no other, and so does half of them.

    A few that are slow by themselves make the mean long, and not the median.
    """
    served, rps = alone(case), case.load.ok_rps
    if served is None or rps <= 0:
        return False
    return min(total_s, 2 * case.load.latency(0.5)) * rps >= STRETCHED * served.at_once
