"""The median service time of good answers.

## What it is

Half of the good answers took no longer than this from the first byte sent to the last byte received.
What a request waited before it could be sent is not in it.

## Unit

s

## How it is computed

The histograms of service times of all good answers of the service in the frames of the measured
window are added up; the least time that half of them do not exceed is read from the sum.

## Interval

As that of `p50`.

## When it misleads

It leaves out the wait for a free connection, which is the server's doing when the server is slow: a
stall holds back requests that then report only their own short time. Users feel `p50`; the gap
between the two is the queue.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._quantile import quantile
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.05
CLAIM = "times"
QUANTILE = 0.5


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the median of the service times of good answers, in seconds."""
    return quantile(recording, 0.5, "service_p50", route=route, kind="service")
