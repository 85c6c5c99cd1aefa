"""CPU time of the server for each request.

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

from loadrig.base.estimate import Estimate
from loadrig.measures._observed import cpu_by_step, per_answer
from loadrig.measures._steps import no_interval, steps
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.03
CLAIM = "ratios"


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the CPU seconds of an answered request; None where not observed, or for one route."""
    use = cpu_by_step(recording) if route is None else None
    if use is None:
        return None
    cpu_s, covered = use
    answered = steps(recording).answered[covered]
    n = int(answered.sum())
    if not n:
        return None
    value, low, high = per_answer(cpu_s, answered)
    warnings = () if low is not None else (no_interval("answers"),)
    return Estimate(value, UNIT, low, high, n=n, of="answers", warnings=warnings)
