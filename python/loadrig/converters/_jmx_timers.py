"""Timers of JMeter as pauses of a plan, and those that set a rate.

A timer of JMeter pauses before each sampler in its scope; a plan's `think` is the pause after a request. So
the pause before a request stands after the one before it, and that before the first after the last.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.base.units import Count, PerSecond, Seconds
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import TreeElement
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.arrivals import Rate, RateStage
from loadrig.plan.requests import Think

TEXTS = texts_of(ConvertersJmeterTexts)

RATES = ("ConstantThroughputTimer", "PreciseThroughputTimer", "VariableThroughputTimer")
"""Timers that pace samplers to a rate."""

TIMERS = ("ConstantTimer", "UniformRandomTimer", "GaussianRandomTimer", "PoissonRandomTimer", *RATES)
"""Timers that a plan can say in some way."""

_A_MINUTE_S = 60.0


@dataclass(frozen=True, slots=True)
class TimerPause:
    """A pause between two lengths, in seconds, all equally likely. element: the timer, for notes."""

    low_s: float = 0.0
    high_s: float = 0.0

    def __add__(self, other: "TimerPause") -> "TimerPause":
        """Return a pause as long as both: exact where at most one of them is random."""
        return TimerPause(self.low_s + other.low_s, self.high_s + other.high_s)

    def think(self) -> Think | None:
        """Return the pause as a plan has it; None for none."""
        if self.high_s <= 0:
            return None
        if self.low_s == self.high_s:
            return Think(constant=Seconds(self.low_s))
        return Think(uniform=(Seconds(self.low_s), Seconds(self.high_s)))


def pause_of(timer: TreeElement, variables: Variables, report: JmxReport) -> TimerPause:
    """Return the pause that a timer makes."""
    delay_s = max(0.0, variables.number(timer.get("ConstantTimer.delay"), timer)) / 1000
    range_s = max(0.0, variables.number(timer.get("RandomTimer.range"), timer)) / 1000
    report.carry(timer)
    match timer.kind:
        case "UniformRandomTimer":
            return TimerPause(_rounded(delay_s), _rounded(delay_s + range_s))
        case "GaussianRandomTimer":
            report.alter(timer, TEXTS.as_uniform)
            return _like(delay_s, range_s)
        case "PoissonRandomTimer":
            # Poisson's law has the mean as its variance; JMeter counts it in milliseconds.
            report.alter(timer, TEXTS.as_uniform)
            return _like(delay_s + range_s, math.sqrt(range_s * 1000) / 1000)
        case _:
            return TimerPause(delay_s, delay_s)


def _like(mean_s: float, deviation_s: float) -> TimerPause:
    """Return the pause with a mean and a standard deviation, as far as none is below zero."""
    half_s = min(deviation_s * math.sqrt(3), mean_s)
    return TimerPause(_rounded(mean_s - half_s), _rounded(mean_s + half_s))


def _rounded(seconds: float) -> float:
    return round(seconds, 4)


@dataclass(frozen=True, slots=True)
class TimerPace:
    """A rate that a timer sets. per_second: a constant one; stages: one that changes.

    line: where the timer stands, as two timers may set the same rate.
    """

    per_second: float = 0.0
    stages: tuple[RateStage, ...] = ()
    line: int = 0

    def arrivals(self, users: int) -> Rate:
        """Return the rate as a plan has it, with the cookies and rows of some users."""
        if self.stages:
            return Rate(stages=self.stages, identities=Count(users))
        return Rate(per_second=PerSecond(round(self.per_second, 9)), identities=Count(users))


def pace_in(
    scopes: Sequence[Sequence[TreeElement]], once: Sequence[Sequence[TreeElement]], users: int,
    variables: Variables, report: JmxReport,
) -> TimerPace | None:  # fmt: skip
    """Return the rate that a timer sets for every request of a group; None where none does.

    scopes: the timers that set a rate, for each request. once: the same of requests that a user makes once.
    A plan has one rate: a timer for only some of the requests, or a second one, is noted as left out.
    """
    timers = {id(timer): timer for scope in (*scopes, *once) for timer in scope}
    pace = None
    for key, timer in timers.items():
        if not all(any(id(held) == key for held in scope) for scope in scopes):
            report.drop(timer, TEXTS.rate_of_part)
        elif pace is not None:
            report.drop(timer, TEXTS.second_rate)
        else:
            pace = pace_of(timer, users, variables, report)
    return pace


def pace_of(timer: TreeElement, users: int, variables: Variables, report: JmxReport) -> TimerPace | None:
    """Return the rate that a timer sets for all users together; None where it sets none."""
    if timer.kind == "VariableThroughputTimer":
        stages = []
        for row in timer.items("load_profile"):
            first, last, length_s = (
                (variables.number(part.text, timer) for part in (*row.parts[:3], *row.parts[:0]))
                if len(row.parts) >= 3
                else (0.0, 0.0, 0.0)
            )
            if length_s <= 0:
                continue
            if first != last:
                stages.append(RateStage(to=PerSecond(first)))
                stages.append(RateStage(to=PerSecond(last), over=Seconds(length_s)))
            else:
                stages.append(RateStage(to=PerSecond(first), hold=Seconds(length_s)))
        pace = TimerPace(stages=tuple(stages), line=timer.line) if stages else None
    elif timer.kind == "PreciseThroughputTimer":
        period_s = variables.number(timer.get("throughputPeriod"), timer, 3600.0)
        throughput = variables.number(timer.get("throughput"), timer)
        pace = TimerPace(throughput / period_s, line=timer.line) if throughput > 0 and period_s > 0 else None
    else:
        throughput = variables.number(
            timer.get("throughput") or timer.get("ConstantThroughputTimer.throughput"), timer
        )
        each = timer.get("calcMode") in ("", "0", "calcMode.1") and timer.get("calcMode") != "1"
        per_second = throughput / _A_MINUTE_S * (users if each else 1)
        pace = TimerPace(per_second, line=timer.line) if per_second > 0 else None
    if pace is None:
        report.drop(timer, TEXTS.no_rate)
    else:
        report.carry(timer)
        report.alter(timer, TEXTS.rate_of_requests)
    return pace
