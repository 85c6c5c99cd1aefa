"""A machine on which nothing is quite as it was: days, drift, starts, neighbours.

A trial is thirty seconds of throughput, and from it what a trial's result says. The log of what the server
can do at second t of a trial is the sum of

    the day        drawn once a day: another host, another kernel, another neighbour
    the wander     an Ornstein-Uhlenbeck process within the day, minutes long
    the drift      linear over a day: caches that fill, a processor that warms
    the start      drawn for each start of the server: memory layout, placement of processes
    a neighbour    now and then, for half a minute or so, a tenth is gone
    the seconds    an autoregression: one second resembles the next
"""

import math
from dataclasses import dataclass

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.comparing.side import Measured
from loadrig.stats.intervals import rate_interval
from loadrig.trial.document import (
    LatencyDocument,
    LoadDocument,
    MeasuredPart,
    RouteTotals,
    TimesDocument,
    TrialDocument,
)
from loadrig.trial.validity import Validity

TRIAL_S, AROUND_S = 30, 3.0
RATE = 600.0
"""Requests a second that the server can do in an average second of an average day."""

ROUTES = {"search": (0.7, 0.7), "order": (0.2, 1.4), "login page": (0.1, 2.2)}
"""Share of the requests, and response time as against the mean."""

QUANTILES = {"p50": (0.85, 1.0), "p95": (2.2, 1.6), "p99": (3.5, 2.5)}
"""As against the mean response time, and how much more they scatter than throughput."""

USERS = 30


@dataclass(frozen=True)
class Simulated(Measured):
    """Trial of a simulated machine. per_second: good answers in each second."""

    per_second: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class PairWeather:
    """Standard deviations of logs, but for drift (at most, over a day) and neighbours (chance a trial)."""

    name: str
    day: float
    wander: float
    drift: float
    start: float
    second: float
    neighbour: float
    errors: float = 0.0005


WEATHERS = (
    PairWeather("quiet", day=0.004, wander=0.003, drift=0.01, start=0.005, second=0.015, neighbour=0.0),
    PairWeather("usual", day=0.015, wander=0.010, drift=0.03, start=0.010, second=0.03, neighbour=0.02),
    PairWeather("noisy", day=0.040, wander=0.025, drift=0.06, start=0.030, second=0.10, neighbour=0.06),
)
"""Trials vary by less than 1, about 2 and about 5 %, as studies of cloud machines find. What they come
to here stands in the table."""

DISPERSION = 0.3
"""Dispersion of counts within a second: a server that always has something to do answers more evenly than by
lot."""

WANDER_S = 300.0
INHERITS = 0.6
DAY_S = 86_400.0
WORKED_S = 7_200.0
"""Over which the drift of a day is spread."""


class Day:
    """One day of a machine. Made for trials at rising times within it."""

    def __init__(self, weather: PairWeather, rng: np.random.Generator, number: int = 0) -> None:
        self.weather, self.began_s, self._rng = weather, 1e9 + number * DAY_S, rng
        self._level = rng.normal(0, weather.day)
        self._drift = rng.uniform(-weather.drift, weather.drift)
        self._wander = rng.normal(0, weather.wander)
        self._at_s = 0.0

    def trial(self, run: int, block: int, index: int, *, ratio: float = 1.0, errors: float = 1.0) -> Measured:
        """Return the next trial of the day.

        ratio: of what is loaded, as against A; errors: of their share.
        """
        rng, weather = self._rng, self.weather
        keeps = math.exp(-(TRIAL_S + AROUND_S) / WANDER_S)
        self._wander = keeps * self._wander + math.sqrt(1 - keeps**2) * rng.normal(0, weather.wander)
        self._at_s += TRIAL_S + AROUND_S
        level = (
            math.log(RATE * ratio) + self._level + self._wander + self._drift * self._at_s / WORKED_S
            + rng.normal(0, weather.start)
        )  # fmt: skip
        if rng.random() < weather.neighbour:
            level += math.log(0.9)
        seconds = np.empty(TRIAL_S)
        seconds[0] = rng.normal(0, weather.second)
        new = rng.normal(0, weather.second * math.sqrt(1 - INHERITS**2), TRIAL_S)
        for t in range(1, TRIAL_S):
            seconds[t] = INHERITS * seconds[t - 1] + new[t]
        per_second = np.exp(level + seconds - weather.second**2 / 2)
        counts = np.round(rng.normal(per_second, np.sqrt(DISPERSION * per_second)))
        share = min(0.5, weather.errors * errors * rng.gamma(2.0, 0.5))
        result = _result(counts, share, weather, rng)
        return Simulated(
            run, block, index, self.began_s + self._at_s, TRIAL_S + AROUND_S, "valid", (),
            result.estimates, result, per_second=tuple(map(float, counts)),
        )  # fmt: skip


def _result(
    counts: "np.ndarray[tuple[int], np.dtype[np.float64]]", share: float, weather: PairWeather,
    rng: np.random.Generator,
) -> TrialDocument:  # fmt: skip
    """Return what a trial's result says of these seconds, as far as a comparison reads it."""
    interval = rate_interval(counts, np.ones(counts.size))
    mean_s = USERS / interval.value
    answers = int(counts.sum())
    failed = int(rng.binomial(answers, share))
    estimates = {
        "throughput": Estimate(interval.value, "1/s", interval.low, interval.high, answers),
        "errors": Estimate(failed / (answers + failed), "1", n=answers + failed),
        "memory": Estimate(60e6 * math.exp(rng.normal(0, weather.start)), "B", n=30),
        "cpu_per_request": Estimate(
            0.0016 * RATE / interval.value * math.exp(rng.normal(0, weather.start / 2)), "s", n=30
        ),
    }
    for name, (factor, scatter) in QUANTILES.items():
        value = mean_s * factor * math.exp(rng.normal(0, weather.start * (scatter - 0.8)))
        estimates[name] = Estimate(value, "s", 0.97 * value, 1.03 * value, answers)
    routes = {}
    for name, (part, slower) in ROUTES.items():
        ok, lost = round(answers * part), int(rng.binomial(round(answers * part), share))
        p50, p95, p99 = (
            1e3 * mean_s * slower * factor * math.exp(rng.normal(0, weather.start * scatter))
            for factor, scatter in QUANTILES.values()
        )
        times = TimesDocument(ok, mean=p50, p50=p50, p90=p95, p95=p95, p99=p99, p99_9=p99, max=p99)
        outcomes = {"ok": ok, "http_5xx": lost} if lost else {"ok": ok}
        routes[name] = RouteTotals(
            ok + lost, (ok + lost) / TRIAL_S, outcomes, None, LatencyDocument(times, None, None)
        )
    load = LoadDocument(
        model="saturate", offered_rps=interval.value, achieved_rps=interval.value,
        successful_rps=interval.value,
        requests=answers, sent=answers, unsent=0, users=USERS, in_flight=float(USERS), seconds=float(TRIAL_S),
    )  # fmt: skip
    return TrialDocument(
        schema="loadrig.trial/2", loadrig="", name="", index=1, setting={}, seed=None, address=None,
        validity=Validity("valid"), measured=MeasuredPart(0.0, float(TRIAL_S), ""), warm_up=None, load=load,
        outcomes={"ok": answers}, status={}, latency_ms=LatencyDocument(None, None, None), routes=routes,
        goals=(), generator=None, connections=None, resources={}, series={}, estimates=estimates, examples=(),
        observer=None, surroundings=None, target=None, machine=None, ended=None, findings=(), diagnosis=None,
    )  # fmt: skip
