"""What a request costs the server in CPU time.

## What it is

CPU time of the server's process tree in the measured window, dead workers included, for each request
that was answered there. It is the service demand of queueing theory: cores over it is the most throughput
that the server's CPU allows.

## Unit

s

## How it is computed

The growth of the counter `cpu_s` of the probe `process`, subject `tree`, over the frames of the
window that lie between its readings, divided by the requests of the service that were answered in
them, well or not. There is none for a single route: CPU time bears no route.

## Interval

95 %, by batch means over the frames, for a ratio of sums.

## When it misleads

Where much of the time goes to what is not a request (a background job, logins, garbage collection
between requests), few requests look dear. Time in the kernel for other processes is not in it.
"""

from typing import TYPE_CHECKING

from loadrig.base.estimate import Estimate
from loadrig.base.later import Later
from loadrig.measures._observed import cpu_by_step
from loadrig.measures._steps import no_interval, rate, steps
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.03


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """CPU seconds an answered request; None where it was not observed, or for one route."""
    found = cpu_by_step(recording) if route is None else None
    if found is None:
        return None
    cpu_s, covered = found
    answered = steps(recording).answered[covered]
    n = int(answered.sum())
    if not n:
        return None
    starts = np.flatnonzero(answered)
    if starts.size < 3:
        return Estimate(float(cpu_s.sum() / n), UNIT, n=n, of="answers", warnings=(no_interval("answers"),))
    # CPU time of frames without an answer belongs to the answers before them, of the first to those after.
    starts[0] = 0
    value, low, high = rate(np.add.reduceat(cpu_s, starts), answered[answered > 0])
    return Estimate(value, UNIT, low, high, n=n, of="answers")
