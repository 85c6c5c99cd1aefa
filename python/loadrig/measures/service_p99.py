"""The service time that 99 in 100 good answers keep.

## What it is

Of the good answers, 99 % took no longer than this from the first byte sent to the last byte
received. What a request waited before it could be sent is not in it.

## Unit

s

## How it is computed

The histograms of service times of all good answers of the service in the frames of the measured
window are added up; the least time that 99 % of them do not exceed is read from the sum.

## Interval

As that of `p99`.

## When it misleads

It leaves out the wait for a free connection, which is the server's doing when the server is slow: a
stall holds back requests that then report only their own short time. Users feel `p99`; the gap
between the two is the queue.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._quantile import quantile
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.1
CLAIM = "tails"
QUANTILE = 0.99


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the 99th percentile of the service times of good answers, in seconds."""
    return quantile(recording, 0.99, "service_p99", route=route, kind="service")
