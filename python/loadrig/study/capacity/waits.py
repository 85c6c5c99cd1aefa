"""The level at which a response time reaches its goal, from how many requests wait at lower levels.

Late answers are rare events that come in clusters, and two minutes near the limit hold a handful of them. How
many requests stand in line is known each moment, and near saturation the one follows from the other.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from loadrig.stats import special
from loadrig.stats.arrays import Floats
from loadrig.stats.intervals import Interval
from loadrig.stats.threshold import log_spaced
from loadrig.study.capacity.goals import ShareGoal
from loadrig.study.capacity.probe import DoneProbe

COARSE_LEVELS, RATES = 160, 25
FARTHEST_BELOW, FARTHEST_ABOVE = 0.5, 1.02
"""Range of limits that the law is asked for, as shares of saturation."""

K, K_SD = 0.75, 0.6
"""Factor of the queue's length, and the standard deviation of the factor's logarithm.
It is 1 in M/M/1, less where service is steady, more where it varies."""

SPEED_SD = 0.01
"""Standard deviation of the logarithm of saturation, from one stretch of time to another."""

BASE_SD = 0.25
"""Relative standard deviation of what is in flight without waiting."""

EXTRAPOLATED_SD, LEAST_SD = 0.1, 0.05
"""Relative standard deviations of a mean queue beside the law.
The first is for each factor e between the room to saturation at the level that was seen and at the limit; the
second in any case."""

TAIL_SD, TAIL_BASE_SD, TAIL_VARIED_SD, TAIL_LEAST_SD = 0.15, 0.8, 0.3, 0.008
"""Standard deviations of the logarithm of the limit beside the law of the tail.
The first is over the room that is left to saturation. The second is that times the share of the response time
without waiting in the limit, the third that times what k is above 1 (service so varied that a few requests
make the tail). The last is in any case. Errors of simulated servers are as large (bench/capacity)."""

MORE_ROOM, MORE_ROOM_BASE = 0.08, 0.6
"""Shares by which the limit needs more room than by the law, as service varies as well as waits.
The first is in any case, the second times the share of the response time without waiting in the limit.
Both were measured as the errors were."""

WRONG, ROUGHLY, ROUGH_SD = 0.03, 0.1, 0.1
"""Probabilities that the queue has nothing to do with what is late, and that it tells the limit only roughly.
Late answers may be of another tier's timeouts, or of one slow request in fifty. The last number
is the standard deviation of the limit's logarithm where the queue tells it roughly."""

NARROWEST_ROOM = 0.003
LEAST_S = 0.9
"""Least length of a probe in seconds, so short that probes which overflowed at once count too.
Without these only short queues would be counted."""
LEAST_USE = 0.7
FAILED_MOST = 0.02
"""Share of failures above which a queue is not that of the law: who fails stands in no line."""

TICK_S = 0.25


@dataclass(frozen=True, slots=True)
class QueueLine:
    """Queue as it was seen. saturation: each measurement of it; base_s: response time without waiting."""

    saturation: tuple[Interval, ...]
    base_s: float
    probes: tuple[DoneProbe, ...]

    def foreseen(self, levels: Floats, goal: ShareGoal) -> Floats | None:
        """Estimate how probable each level is as the limit of this goal; None where the queue tells nothing.

        Of m places the mean line at use u is k u^√(2 (m + 1)) / (1 - u), k of the server; who waits does so
        for an exponential time of mean k / (mu (1 - u)), so that where a share p is just late (limit - base)
        is ln(1 / p) times that. The rate mu at saturation and k are summed over: mu as it was measured, k as
        the lengths of the line tell at each level that was offered. The square of the relative error of a
        mean over T seconds of such a line is 4 k / (mu (1 - u)² T) near saturation.
        Sources: Sakasegawa 1977, Ann. Inst. Stat. Math. 29, 67-75 (lines of m places); Kingman 1962, J. R.
        Stat. Soc. B 24, 383-392 (heavy traffic: waits are exponential); Whitt 1989, Manage. Sci. 35,
        1341-1366 (how long a queue must be watched).
        """
        if goal.limit_s is None or goal.route is not None or not self.saturation:
            return None
        if goal.limit_s <= self.base_s:
            return None
        wait_s = (goal.limit_s - self.base_s) / math.log(1 / goal.most)
        rates, rate_logs = self._rates()
        middle = float(rates[RATES // 2])
        coarse = log_spaced(FARTHEST_BELOW * middle, FARTHEST_ABOVE * middle, COARSE_LEVELS)
        # [levels, rates]; no limit lies above saturation.
        room = 1 - coarse[:, None] / rates[None, :]
        is_there = room > NARROWEST_ROOM
        room = np.maximum(room, NARROWEST_ROOM)
        more = 1 + MORE_ROOM + MORE_ROOM_BASE * self.base_s / goal.limit_s
        factor = rates[None, :] * wait_s * room / more
        logs = rate_logs[None, :] - (np.log(factor) - math.log(K)) ** 2 / (2 * K_SD**2)
        for probe in self.probes:
            logs += self._likelihood(probe, factor, room, rates)
        logs = np.where(is_there, logs, -np.inf)
        if not np.isfinite(logs).any():
            return None
        weights = np.exp(logs - logs.max())
        varied = max(float((weights * factor).sum() / weights.sum()) - 1, 0.0)
        share = TAIL_SD + TAIL_BASE_SD * self.base_s / goal.limit_s + TAIL_VARIED_SD * varied
        smoothed = _smoothed(coarse, weights.sum(axis=1), share * np.maximum(1 - coarse / middle, 0.01))
        at = np.log(levels)
        whole = np.interp(at, np.log(coarse), smoothed, right=0.0)
        roughly = np.exp(-(((at - float(np.average(np.log(coarse), weights=smoothed))) / ROUGH_SD) ** 2) / 2)
        mixed: Floats = np.full(levels.size, WRONG / levels.size)
        for part, share in ((whole, 1 - ROUGHLY - WRONG), (roughly, ROUGHLY)):
            mixed += share * part / max(float(part.sum()), 1e-300)
        return mixed

    def _rates(self) -> tuple[Floats, Floats]:
        """Return rates at saturation that may be true, and the logarithm of how well each fits."""
        middles = np.array([math.log(interval.value) for interval in self.saturation])
        sds = np.array(
            [
                math.hypot((interval.high - interval.low) / 2 / 1.96 / interval.value, SPEED_SD)
                for interval in self.saturation
            ]
        )
        sd = 1 / math.sqrt(float((1 / sds**2).sum()))
        middle = float((middles / sds**2).sum()) * sd**2
        away = np.linspace(-3.5, 3.5, RATES)
        # Where the measurements differ more than they should, the rate is known so much less well.
        chi = float((((middles - middle) / sds) ** 2).sum()) / max(middles.size - 1, 1)
        sd *= math.sqrt(max(chi, 1.0)) if middles.size > 1 else 1.0
        return np.exp(middle + sd * away), -(away**2) / 2

    def _likelihood(self, probe: DoneProbe, factor: Floats, room: Floats, rates: Floats) -> Floats:
        """Return the log likelihood of a probe's queue: gamma about the mean by the law."""
        window = probe.window
        use = np.minimum(probe.level / rates, 1 - NARROWEST_ROOM)[None, :]
        served = self.base_s * window.done / window.seconds
        waiting = max(window.in_flight - served, 0.1)
        places = max(self.base_s * float(rates[RATES // 2]), 1.0)
        mean = factor * use ** math.sqrt(2 * (places + 1)) / (1 - use)
        forgets_s = 4 * mean / (rates[None, :] * (1 - use))
        # The queue began shorter than it would become: half of the way takes about a quarter of forgets_s.
        mean = np.maximum(mean / (1 + forgets_s / (4 * window.seconds)), 0.1)
        ratio = np.log((1 - use) / room)
        variance = (
            np.maximum(forgets_s, TICK_S) / window.seconds
            + (BASE_SD * served / mean) ** 2
            + (EXTRAPOLATED_SD * ratio) ** 2
            + LEAST_SD**2
        )
        shape = 1 / variance
        log_likelihood: Floats = (
            shape * np.log(shape / mean)
            + (shape - 1) * math.log(waiting)
            - shape * waiting / mean
            - special.gammaln(shape)
        )
        return log_likelihood


def line_of(probes: Sequence[DoneProbe], saturation: Sequence[Interval], base_s: float) -> QueueLine | None:
    """Return the queue seen by the probes near saturation; None where the server was never saturated."""
    if not saturation:
        return None
    most = max(interval.value for interval in saturation)
    near = tuple(
        probe
        for probe in probes
        if probe.kind in ("search", "confirm_below", "confirm_above")
        and probe.window.seconds >= LEAST_S
        and probe.window.failed <= FAILED_MOST * probe.window.done
        and probe.level > LEAST_USE * most
    )
    return QueueLine(tuple(saturation), base_s, near)


def _smoothed(levels: Floats, weights: Floats, sds: Floats) -> Floats:
    """Return weights spread by the error of the law itself: a normal one in ln(level)."""
    logs = np.log(levels)
    sds = np.hypot(sds, TAIL_LEAST_SD)
    away = (logs[:, None] - logs[None, :]) / sds[None, :]
    smoothed: Floats = (np.exp(-(away**2) / 2) / sds[None, :] * weights[None, :]).sum(axis=1)
    return smoothed
