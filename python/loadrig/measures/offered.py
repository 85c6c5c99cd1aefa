"""Requests that were due, per second.

## What it is

How much was asked of the server, whether it was sent and answered or not.

## Unit

1/s

## How it is computed

Requests that became due in the frames of the measured window, of all routes and logins together,
divided by their length. Of one route it is not known: a request that was never sent is counted
before its route shows.

## Interval

95 %, as that of `throughput`. It is the spread of the arrivals, not of the server.

## When it misleads

In a closed model the server itself sets it: users ask again when they are answered.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._steps import few, rate, steps
from loadrig.recording.reader import Recording

UNIT = "1/s"
BETTER = "higher"
EQUAL_WITHIN = 0.03
CLAIM = "load"


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the requests due per second; None for one route, and where nothing was due."""
    counts = steps(recording)
    due = int(counts.due.sum())
    if route is not None or not due:
        return None
    value, low, high = rate(counts.due, counts.seconds)
    return Estimate(value, UNIT, low, high, n=due, warnings=few(counts.n))
