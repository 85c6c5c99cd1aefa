"""The mean response time of good answers.

## What it is

All response times of good answers, added up, over their number; from when a request was due.

## Unit

s

## How it is computed

The histograms of response times of the good answers of the service in the frames of the measured
window are added up; the mean of the sum counts each time at the middle of its bucket, so it is right
to about 0.05 %.

## Interval

95 %, by batch means over the frames, for a ratio of sums (times over counts). None is given where the
answers lie in fewer than three frames.

## When it misleads

A few slow answers move it and do not show in it: give `p50` and `p99` beside it. Its use is
arithmetic: by Little's law requests in flight are throughput times this.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures import _quantile
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.05
CLAIM = "times"


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the mean response time of good answers, in seconds; None without any."""
    return _quantile.mean(recording, route=route)
