"""The knee, where more load stops to pay, and queues that grow without end."""

import math
from typing import Annotated

import numpy as np
import scipy
from numpy.typing import ArrayLike

from loadrig.base.documents import Document, Says
from loadrig.stats.arrays import as_floats
from loadrig.stats.distributions import normal_quantile
from loadrig.stats.sen import sen_line

FEWEST = 4
"""Least number of loads: a bend needs points on both sides of it."""

SURE = 0.01
LEAST_ANSWERED = 0.99
FEWEST_STEPS = 6
"""Least number of steps: all of six readings above the one before have p = 0.003."""


class Knee(Document, frozen=True):
    """Load at which throughput over response time is highest."""

    at: Annotated[float, Says("the load")]
    throughput: Annotated[float, Says("throughput at that load")]
    response_s: Annotated[float, Says("response time at that load, in seconds")]
    bend: Annotated[
        float | None, Says("load at which the curve bends by Kneedle; null where it does not bend")
    ]


def knee(loads: ArrayLike, throughput: ArrayLike, response_s: ArrayLike) -> Knee | None:
    """Return the knee of measured points; None for fewer than four loads, or where power rises at the last.

    All arrays are [n], above 0, in any order. Power is throughput over response time: below the knee
    throughput grows faster, above it response time.
    Source: Kleinrock 1979, ICC, 43.1.1-43.1.10 (power).
    """
    n, x, r = as_floats(loads), as_floats(throughput), as_floats(response_s)
    if not n.size == x.size == r.size:
        raise ValueError("loads, throughput and response times come together")
    if np.any(n <= 0) or np.any(x < 0) or np.any(r <= 0):
        raise ValueError("loads and response times are above 0")
    order = np.argsort(n, kind="stable")
    n, x, r = n[order], x[order], r[order]
    if np.unique(n).size < FEWEST:
        return None
    place = int(np.argmax(x / r))
    if place == n.size - 1:
        return None
    return Knee(float(n[place]), float(x[place]), float(r[place]), kneedle(n, x))


def kneedle(loads: ArrayLike, throughput: ArrayLike, sensitivity: float = 1.0) -> float | None:
    """Return the load at which a concave, rising curve bends; None where no bend stands out.

    loads: increasing. Both axes are scaled to 0…1; the knee is where the curve is farthest above the diagonal
    and then falls below it by `sensitivity` mean steps of the loads.
    Source: Satopää, Albrecht, Irwin & Raghavan 2011, ICDCS Workshops, 166-171.
    """
    n, x = as_floats(loads), as_floats(throughput)
    if n.size < FEWEST or np.ptp(n) == 0 or np.ptp(x) == 0:
        return None
    across, up = (n - n[0]) / np.ptp(n), (x - x.min()) / np.ptp(x)
    above = up - across
    highest = [
        place
        for place in range(1, n.size - 1)
        if above[place] >= above[place - 1] and above[place] > above[place + 1]
    ]
    step = sensitivity * float(np.mean(np.diff(across)))
    for position, place in enumerate(highest):
        until = highest[position + 1] if position + 1 < len(highest) else n.size
        if np.any(above[place + 1 : until] < above[place] - step) and above[place] > 0:
            return float(n[place])
    return None


def diverges(in_flight: ArrayLike, due: ArrayLike, done: ArrayLike, seconds: ArrayLike) -> bool:
    """Return whether a queue surely grows without end, from what is in flight at the end of each step.

    in_flight, due, done, seconds: [n] steps in a row. Both must hold: the slope of what is in flight is above
    0 with p < 0.01 (Theil-Sen, Mann-Kendall), and surely less than 99 % of what was due has ended. The first
    alone is no proof: a queue is a random walk, in which any short stretch has a trend. Its steps are
    independent, which the second rests on: what a step adds scatters as the steps show, and by no less than
    Poisson's law.
    """
    level, came, went = as_floats(in_flight), as_floats(due), as_floats(done)
    length = np.broadcast_to(as_floats(seconds), level.shape)
    if not level.size == came.size == went.size:
        raise ValueError("what is in flight, due and done comes together")
    total, ended = float(came.sum()), float(went.sum())
    if level.size < FEWEST_STEPS or total <= 0:
        return False
    # The spread of the difference between what came and what went, which is the growth of the queue.
    gain = came - went
    variance = max(float(gain.var(ddof=1)) * gain.size, total)
    at_most = ended / total - normal_quantile(SURE) * math.sqrt(variance) / total
    if at_most >= LEAST_ANSWERED:
        return False
    at = np.cumsum(length)
    slope = sen_line(at, level).slope
    return slope > 0 and float(scipy.stats.kendalltau(at, level).pvalue) < SURE
