"""The slowest good answer.

## What it is

The longest response time of a good answer in the measured window, from when its request was due.

## Unit

s

## How it is computed

The greatest value in the sum of the histograms of response times of good answers of the service, to
three digits upwards.

## Interval

None: a maximum of what was seen says nothing of what was not.

## When it misleads

It grows with the length of the run, so two runs of different length cannot be compared by it, and
one answer decides it. Use it to see whether anything ever stalled.
"""

from loadrig.base.clock import NS
from loadrig.base.estimate import Estimate
from loadrig.measures._quantile import times
from loadrig.measures._steps import is_known
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.10
CLAIM = "tails"
QUANTILE = 1.0


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Return the longest response time of a good answer, in seconds; None without any."""
    if not is_known(recording, route):
        return None
    merged = times(recording, "response", "ok", route).merged
    if not merged.count:
        return None
    return Estimate(merged.max_ns / NS, UNIT, n=merged.count, of="answers")
