"""Time of failed requests that 95 in 100 of them keep.

## What it is

Of the requests that did not end well, 95 % had ended within this time from when they were due. Fast
refusals and slow time-outs are different illnesses; this tells them apart.

## Unit

s

## How it is computed

The histograms of response times of all outcomes but `ok` in the frames of the measured window are
added up, and the quantile is read from the sum. Requests that were never sent are not in it.

## Interval

As that of `p95`.

## When it misleads

A mix of refusals (microseconds) and time-outs (seconds) has no typical value: see the outcomes.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._quantile import quantile
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.1
CLAIM = "tails"
QUANTILE = 0.95


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the 95th percentile of the response times of failed requests; None if none failed."""
    return quantile(recording, 0.95, "failed_p95", route=route, outcome="failed", counted="failures")
