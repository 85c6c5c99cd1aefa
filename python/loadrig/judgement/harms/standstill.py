"""Standstill: from some instant on a server answered no request well, and requests waited.

What it is about shows in that stretch alone: means over the whole trial are mostly of the time in which all
went well. So everything here is read in the steps of the standstill.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_duration, show_number
from loadrig.judgement.constants import FULL_SHARE, THREE_READINGS_S
from loadrig.judgement.evidence import STRONG, Sign
from loadrig.judgement.facts.case import Case, once_a_case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsStandstillTexts
from loadrig.recording.event_facts import StatedFacts, facts_of
from loadrig.recording.steps import Bools

TEXTS = texts_of(JudgementHarmsStandstillTexts)

TIMES_AS_LONG = 10.0
"""Its length over the p99 of what was answered, from which on it is no slow answer."""

LEAST_WAIT_S = 1.0
"""Mean time in seconds that requests wait in a standstill before they fail, if they do, from which on they
were stuck: what fails for another reason mostly fails at once."""

IDLE_STANDSTILL = 0.02
"""Share of the cores in use, 0 to 1, up to which a program does nothing but keep time."""

PILED_UP = 0.2
"""Share of a pool, 0 to 1, by which connections without a call must have become more before a standstill:
with users at random the number of free ones varies by a tenth."""

FEWEST_BEFORE_STANDSTILL = 4
"""Readings before a standstill from which on a rise can be told."""

STUCK = 0.9
"""Requests, or connections of a pool, over all there are, from which on all of them count."""


IN_VAIN = ("timed_out", "exhausted", "not_given", "queue_full")
"""Ends of a wait for a connection of a pool that came to nothing (probes._logs, known.toml)."""

FEWEST_STUCK = 10.0
"""Requests of an open load that are left without an answer, from which on the server stands still: one or two
may have been lost on their way."""


@dataclass(frozen=True, eq=False)
class Standstill:
    """Steps, at the end of the measured part and after the load, in which no request was answered well.

    waiting: requests in flight then.
    """

    case: Case
    steps: Bools
    seconds: float
    waiting: float

    @property
    def is_from_start(self) -> bool:
        """Whether no request of the measured part was answered: nothing seen is of a better time."""
        return not self.case.load.ok[self.case.load.is_inside].any()

    @property
    def answered_s(self) -> float:
        """Seconds of the measured part before it."""
        load = self.case.load
        return float(load.seconds[load.is_inside & ~self.steps].sum())

    def mean(self, track: Track | None) -> float:
        """Return the mean of a series within the standstill; NaN where nothing was read then."""
        readings = () if track is None else track.values[self.steps & np.isfinite(track.values)]
        return float(np.mean(readings)) if len(readings) else math.nan


@dataclass(frozen=True, slots=True)
class Calls:
    """Connections from the loaded server to a dependency in a standstill.

    open: their number. peak: the most that were open in the measured part. awaiting: those with a call that
    was not answered. idle: those with none. piled_up: by how many more of these there were at the end of the
    time with answers than in its first half, over those open. sockets: series of their number.
    """

    standing: Standstill
    to: Tier
    open: float
    peak: float
    awaiting: float
    idle: float
    piled_up: float
    sockets: Track

    def signs(self, text: str) -> tuple[Sign, Sign]:
        """Return the signs of a standstill: what these connections show, and that nothing was answered."""
        case = self.standing.case
        stopped = Sign(True, case.harms["stopped"], case.load.source("load.in_flight"))
        return Sign(True, text, self.sockets.source, STRONG), stopped


@once_a_case
def of(case: Case) -> Standstill | None:
    """Return the standstill that a trial ended in, or was in from its start; None where answers came.

    Requests that run into a time-out meanwhile end it for themselves alone.
    """
    load = case.load
    inside = np.flatnonzero(load.is_inside)
    answered = np.flatnonzero(load.ok[inside] > 0)
    steps = np.zeros(load.is_inside.size, dtype=np.bool_)
    steps[inside[int(answered[-1]) + 1 if answered.size else 0 :]] = True
    steps |= _left_without_answer(case)
    seconds = float(load.seconds[steps].sum())
    late_s = load.latency(0.99)
    if seconds < max(THREE_READINGS_S, TIMES_AS_LONG * late_s if math.isfinite(late_s) else 0.0):
        return None
    waiting, failed_rps = float(load.in_flight[steps].mean()), float(load.failed[steps].mean())
    is_stuck = waiting >= 1 and waiting >= LEAST_WAIT_S * failed_rps
    return Standstill(case, steps, seconds, waiting) if is_stuck else None


def _left_without_answer(case: Case) -> Bools:
    """Return the steps after the load in which all that was asked last waited for an answer in vain.

    What is in flight when a load ends belongs to it: a server that stopped just then has answered nothing of
    it.
    """
    load = case.load
    inside = np.flatnonzero(load.is_inside)
    steps = (load.in_flight > 0) & (load.offered <= 0)
    steps[: int(inside[-1]) + 1 if inside.size else None] = False
    if not steps.any() or load.ok[steps].any():
        return np.zeros_like(steps)
    left, usual = float(load.in_flight[steps].mean()), float(np.median(load.in_flight[inside]))
    users = load.mean(load.users)
    are_all = left >= (max(FEWEST_STUCK, TIMES_AS_LONG * usual) if load.is_open else STUCK * users)
    return steps if are_all and left > 0 else np.zeros_like(steps)


def harm(case: Case) -> str | None:
    """Return the harm "stopped" as a sentence; None without a standstill."""
    standing = of(case)
    if standing is None:
        return None
    return TEXTS.no_request_answered(show_duration(standing.seconds), show_number(standing.waiting))


def calls(standing: Standstill) -> Iterator[Calls]:
    """Yield the calls of the loaded server to each dependency whose connections were seen."""
    case = standing.case
    for edge in case.edges:
        to = case.tiers.get(edge.to)
        sockets = case.track(edge.source, "socket_stages.sockets", edge.role)
        number = standing.mean(sockets)
        if edge.source != case.server.name or to is None or sockets is None or not number > 0:
            continue
        awaiting, connecting, idle = (
            case.track(edge.source, f"socket_stages.{stage}", edge.role)
            for stage in ("awaiting", "connecting", "idle")
        )
        waits = np.nansum([standing.mean(awaiting), standing.mean(connecting)])
        idle_number = np.nan_to_num(standing.mean(idle))
        piled_up = _rise(idle, standing) / number
        yield Calls(standing, to, number, sockets.peak, float(waits), float(idle_number), piled_up, sockets)


def _rise(track: Track | None, standing: Standstill) -> float:
    """Return how much a level rose before a standstill, last quarter less first half; 0 where unknown."""
    if track is None:
        return 0.0
    before = track.values[: int(np.argmax(standing.steps))]
    before = before[np.isfinite(before)]
    if before.size < FEWEST_BEFORE_STANDSTILL:
        return 0.0
    return float(np.median(before[-(before.size // 4) :]) - np.median(before[: before.size // 2]))


def never_given_back(case: Case) -> Calls | None:
    """Return the pool of which all connections stand idle while requests wait inside the server.

    None without a standstill or such a pool, or where something else is waited for. A connection on which
    nothing is asked and which nobody can have has been lent and was not given back. Connections that are
    merely free look alike once a server stands still for another reason: those that are lent became more
    before that, or the server says that it waits for one in vain.
    """
    standing = of(case)
    if standing is None or does_not_answer(case) is not None:
        return None
    is_told = _waits_in_vain(case, standing)
    if not is_told and not _is_inside(case, standing):
        return None
    lent = [
        pool
        for pool in calls(standing)
        if pool.idle >= STUCK * pool.open
        and pool.open >= STUCK * pool.peak
        and (is_told or pool.piled_up >= PILED_UP)
    ]
    return max(lent, key=lambda pool: pool.open, default=None)


def _waits_in_vain(case: Case, standing: Standstill) -> bool:
    """Return whether the server, which has cores left, says that no connection of a pool became free."""
    facts = (
        facts_of(event, StatedFacts)
        for event in case.events_of("server_fact", is_measured=False)
        if event.component == case.server.name
    )
    is_said = any(fact.resource == "pool" and fact.what in IN_VAIN for fact in facts)
    return is_said and not standing.mean(case.server.cpu) >= FULL_SHARE * case.server.cores


def is_deadlocked(case: Case, standing: Standstill) -> bool:
    """Return whether requests stand inside the server, which does nothing and waits for no other program."""
    cpu = standing.mean(case.server.cpu)
    is_idle = math.isfinite(cpu) and cpu <= IDLE_STANDSTILL * case.server.cores
    return (
        is_idle
        and _is_inside(case, standing)
        and does_not_answer(case) is None
        and never_given_back(case) is None
    )


def does_not_answer(case: Case) -> Calls | None:
    """Return the dependency that requests wait for in a standstill; None where none is waited for.

    A call that is never answered holds up whoever has taken up the requests. Where these lie untouched, and
    other connections to the dependency are free, it does not.
    """
    standing = of(case)
    if standing is None:
        return None
    unanswered = [to for to in calls(standing) if to.awaiting >= 1]
    if not _is_inside(case, standing):
        unanswered = [to for to in unanswered if to.idle < STUCK * to.open]
    return max(unanswered, key=lambda to: to.awaiting, default=None)


def _is_inside(case: Case, standing: Standstill) -> bool:
    """Return whether the server has taken up most of the requests that wait.

    Of connections that are used again at once it is not always known whether a request is on them; where
    requests lie that nobody has taken up is.
    """
    name = case.server.name
    if not any(standing.mean(track) > 0 for track in case.subjects(name, "socket_stages.sockets").values()):
        return False
    left = sum(
        number
        for stage in ("not_accepted", "unread")
        for subject, track in case.subjects(name, f"socket_stages.{stage}").items()
        if subject.startswith("in:") and math.isfinite(number := standing.mean(track))
    )
    return left <= (1 - STUCK) * standing.waiting
