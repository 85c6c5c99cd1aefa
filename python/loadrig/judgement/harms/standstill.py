"""Standstill: from some instant on a server answered no request well, and requests waited.

What it is about shows in that stretch alone: means over the whole trial are mostly of the time in which all
went well. So everything here is read in the steps of the standstill.
"""

import math
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_duration, show_number
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.track import Track
from loadrig.recording.steps import Bools

LEAST_STANDSTILL_S = 3.0
"""Length, in seconds, from which on a stretch without an answer is a standstill: three readings of probes
that read once a second, and longer than any collector's or checkpoint's pause should be."""

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


@dataclass(frozen=True, eq=False)
class Standstill:
    """Steps, at the end of the measured part, in which no request was answered well.

    waiting: requests in flight then.
    """

    steps: Bools
    seconds: float
    waiting: float

    def mean(self, track: Track | None) -> float:
        """Return the mean of a series within the standstill; NaN where nothing was read then."""
        known = () if track is None else track.values[self.steps & np.isfinite(track.values)]
        return float(np.mean(known)) if len(known) else math.nan


@dataclass(frozen=True, slots=True)
class Calls:
    """Connections from a program to a dependency in a standstill.

    open: their number. peak: the most that were open in the measured part. awaiting: those with a call that
    was not answered. idle: those with none. piled_up: by how many more of these there were at the end of the
    time with answers than in its first half, over those open. sockets: series of their number.
    """

    to: Tier
    open: float
    peak: float
    awaiting: float
    idle: float
    piled_up: float
    sockets: Track


def of(case: Case) -> Standstill | None:
    """Return the standstill that a trial ended in; None where answers came to its end, or never came.

    Requests that run into a time-out meanwhile end it for themselves alone.
    """
    if "standstill" not in case.remembered:
        case.remembered["standstill"] = _of(case)
    kept: Standstill | None = case.remembered["standstill"]
    return kept


def _of(case: Case) -> Standstill | None:
    load = case.load
    inside = np.flatnonzero(load.is_inside)
    answered = np.flatnonzero(load.ok[inside] > 0)
    if not answered.size:
        return None
    steps = np.zeros(load.is_inside.size, dtype=np.bool_)
    steps[inside[int(answered[-1]) + 1 :]] = True
    seconds = float(load.seconds[steps].sum())
    late_s = load.latency(0.99)
    if seconds < max(LEAST_STANDSTILL_S, TIMES_AS_LONG * late_s if math.isfinite(late_s) else 0.0):
        return None
    waiting, failed_rps = float(load.in_flight[steps].mean()), float(load.failed[steps].mean())
    is_stuck = waiting >= 1 and waiting >= LEAST_WAIT_S * failed_rps
    return Standstill(steps, seconds, waiting) if is_stuck else None


def harm(case: Case) -> str | None:
    """Return the harm "stopped" as a sentence; None without a standstill."""
    standing = of(case)
    if standing is None:
        return None
    return (
        f"no request was answered well in the last {show_duration(standing.seconds)}, while"
        f" {show_number(standing.waiting)} waited"
    )


def calls(case: Case, standing: Standstill) -> list[Calls]:
    """Return the calls of the loaded server to each dependency whose connections were seen."""
    seen = []
    for edge in case.edges:
        to = case.tiers.get(edge.to)
        if edge.source != case.server.name or to is None:
            continue
        tracks = {
            stage: case.track(edge.source, f"socket_stages.{stage}", edge.role)
            for stage in ("sockets", "awaiting", "answer_unread", "connecting", "idle")
        }
        sockets, number = tracks["sockets"], standing.mean(tracks["sockets"])
        if sockets is None or not number > 0:
            continue
        stages = {stage: standing.mean(track) for stage, track in tracks.items()}
        waits = sum(stages[stage] for stage in ("awaiting", "connecting") if math.isfinite(stages[stage]))
        idle = stages["idle"] if math.isfinite(stages["idle"]) else 0.0
        piled_up = _rise(tracks["idle"], standing) / number
        seen.append(Calls(to, number, sockets.peak, waits, idle, piled_up, sockets))
    return seen


def _rise(track: Track | None, standing: Standstill) -> float:
    """Return how much a level rose before a standstill, last quarter less first half; 0 where unknown."""
    if track is None:
        return 0.0
    before = track.values[: int(np.argmax(standing.steps))]
    known = before[np.isfinite(before)]
    if known.size < FEWEST_BEFORE_STANDSTILL:
        return 0.0
    return float(np.median(known[-(known.size // 4) :]) - np.median(known[: known.size // 2]))


def never_given_back(case: Case, standing: Standstill) -> Calls | None:
    """Return the pool of which all connections stand idle while requests wait inside the server.

    None where there is none, or where something else is waited for. A connection on which nothing is asked
    and which nobody can have has been lent and was not given back. Connections that are merely free look
    alike once a server stands still for another reason: those that are lent became more before that.
    """
    seen = calls(case, standing)
    if any(call.awaiting >= 1 for call in seen):
        return None
    lent = [
        call
        for call in seen
        if call.idle >= STUCK * call.open and call.open >= STUCK * call.peak and call.piled_up >= PILED_UP
    ]
    return max(lent, key=lambda call: call.open, default=None) if _is_inside(case, standing) else None


def is_deadlocked(case: Case, standing: Standstill) -> bool:
    """Return whether requests stand inside the server, which does nothing and waits for no other program."""
    cpu = standing.mean(case.server.cpu)
    is_idle = math.isfinite(cpu) and cpu <= IDLE_STANDSTILL * case.server.cores
    return (
        is_idle
        and _is_inside(case, standing)
        and does_not_answer(case, standing) is None
        and never_given_back(case, standing) is None
    )


def does_not_answer(case: Case, standing: Standstill) -> Calls | None:
    """Return the dependency that requests wait for in a standstill; None where none is waited for."""
    seen = [call for call in calls(case, standing) if call.awaiting >= 1]
    return max(seen, key=lambda call: call.awaiting, default=None)


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
