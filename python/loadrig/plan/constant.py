"""The same plan under another load: constant, for trials that are compared with each other."""

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from loadrig.base.unavailable import Unavailable
from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.plan_load import PlanConstantErrors
from loadrig.plan.arrivals import Arrivals, Rate, Replay, Sessions, Users
from loadrig.plan.model import Plan, WarmUp
from loadrig.plan.replayed import read_replay

ERRORS = texts_of(PlanConstantErrors)

PEAK_S = 10.0
"""Length of the busiest part of a replayed list, in seconds: a shorter part would take chance for a peak."""

DRAIN_S = 3.0
"""Longest wait for answers after a load that is compared with others, in seconds: what counts is measured
by then, and where clients wait for a connection the whole time-out would pass after each trial."""


def constant(plan: Plan, warm_up_s: float, measure_s: float) -> Plan:
    """Return the plan under its highest load, held: warmed up and measured for exactly these times.

    A constant load stays as it is; ramps and steps are held at the highest rate or the most users, a replayed
    list becomes random arrivals at the rate of its busiest ten seconds. Limits that would end the load early
    (numbers of requests, of loops) are left out, answers at its end are awaited for a moment, and nothing is
    profiled. Raises Unavailable where the plan has no such load.
    """
    arrivals = _held(plan, plan.workload.arrivals)
    workload = replace(plan.workload, arrivals=arrivals, requests_limit=None, loops_per_user=None)
    warm, drain = Seconds(warm_up_s), Seconds(DRAIN_S)
    lasting = plan.lasting(measure_s, WarmUp(warm, warm))
    awaited = plan.trial.drain if plan.trial.drain is not None else workload.timeout
    trial = replace(lasting.trial, drain=min(awaited, drain))
    return replace(lasting, workload=workload, profile=None, trial=trial)


def _held(plan: Plan, arrivals: Arrivals) -> Arrivals:
    if arrivals.is_unpaced or arrivals.level:
        return arrivals
    match arrivals:
        case Users():
            return Users(count=Count(int(_highest(arrivals, 1.0))))
        case Rate():
            highest = PerSecond(_highest(arrivals))
            return Rate(per_second=highest, arrivals=arrivals.arrivals, identities=arrivals.identities)
        case Sessions():
            return replace(arrivals, per_second=PerSecond(_highest(arrivals)), stages=())
        case Replay():
            return Rate(per_second=PerSecond(_peak(plan, arrivals)))


def _highest(arrivals: Users | Rate | Sessions, least: float = 0.0) -> float:
    highest = max(level for _, level in arrivals.line)
    if highest <= 0 or highest < least:
        raise Unavailable.of(ERRORS.no_load, code="prove.no-constant")
    return highest


def _peak(plan: Plan, replay: Replay) -> float:
    """Return the requests per second in the busiest part of a list of times."""
    try:
        times = read_replay(replay, Path(plan.path).parent if plan.path else Path()).times_s
    except (OSError, ValueError, csv.Error) as error:
        wording = ERRORS.unreadable_times(str(error), replay.times)
        raise Unavailable.of(wording, code="prove.no-constant") from None
    length_s = times[-1] - times[0] if times else 0.0
    if length_s <= 0:
        raise Unavailable.of(ERRORS.no_rate, code="prove.no-constant")
    if length_s <= PEAK_S:
        return (len(times) - 1) / length_s
    return _most_within(times, PEAK_S) / PEAK_S


def _most_within(times: Sequence[float], length_s: float) -> int:
    """Return the largest number of these moments, which do not decrease, within so many seconds."""
    most = after = 0
    for first, time in enumerate(times):
        while after < len(times) and times[after] < time + length_s:
            after += 1
        most = max(most, after - first)
    return most
