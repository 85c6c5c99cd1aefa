"""Occupancy: when times passed that were counted at their ends, such as a wait that ends in this step.

A histogram of a step has what ended in it. For Little's law it must be known how many were under way in each
step, else a long wait that ended in a step that was seen counts as if it had passed there.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from loadrig.base.later import Later
from loadrig.recording.steps import NS, Edges, Floats

if TYPE_CHECKING:
    import numpy as np

    from loadrig._native import Histogram
else:
    np = Later("numpy")

PER_DECADE = 10
"""Number of classes of length in a decade: spreading a class errs by an eighth of its length at most, and the
sum of a step's times is kept exactly."""


def occupied_s(ended: "Iterable[Histogram]", edges_ns: Edges) -> Floats:
    """Return the seconds that passed in each step, of times that ended in it or in a later step: float64[n].

    ended: for each step the lengths of what ended in it, taken to have ended evenly within it. What passed
    before the first edge is left out.
    """
    edges_s = (edges_ns - edges_ns[0]) / NS
    total = np.zeros(edges_s.size - 1)
    for step, histogram in enumerate(ended):
        if not histogram.count:
            continue
        classes = histogram.buckets(PER_DECADE)
        lengths_s = np.array([(low + high) / 2 / NS for low, high, _ in classes])
        counts = np.array([count for *_, count in classes], dtype=np.float64)
        rough_s = float(lengths_s @ counts)
        lengths_s = lengths_s * (histogram.mean_ns * histogram.count / NS / rough_s if rough_s else 0.0)
        total += counts @ _spread(lengths_s, edges_s, edges_s[step], edges_s[step + 1])
    return total


def _spread(lengths_s: Floats, edges_s: Floats, from_s: float, to_s: float) -> Floats:
    """Return the seconds in each step of times of each length that end between two instants: float64[k, n].

    At the instant u such a time is under way if it ends between u and u + length, so the share of its ends is
    an overlap of two intervals, and the integral of that a sum of squares.
    """
    after = lengths_s[:, np.newaxis] + edges_s

    def area(instants_s: Floats) -> Floats:
        areas: Floats = np.maximum(0.0, instants_s) ** 2 / 2
        return areas

    passed = area(after - from_s) - area(after - to_s) - area(edges_s - from_s) + area(edges_s - to_s)
    seconds: Floats = np.diff(passed, axis=1) / (to_s - from_s)
    return seconds
