"""The response time that nine in ten good answers keep.

## What it is

Of the good answers, 90 % came within this time, counted from when their request was due.

## Unit

s

## How it is computed

The histograms of response times (from when a request was due to the last byte of its answer) of
all good answers of the service in the frames of the measured window are added up; the least time
that 90 % of them do not exceed is read from the sum, to three digits. Quantiles of parts are never
averaged. Failed requests are not in it (see `failed_p95`), logins only if their route is named.

## Interval

95 %: between which shares of the answers the true quantile lies, from resampled blocks of frames at
least twice the autocorrelation time long, never narrower than independent answers would give; the
two shares are looked up in the same sum. With fewer than eight frames answers count as independent,
and a warning says so.

## When it misleads

A user who makes ten requests sees a slower one in two visits of three. With a mix of fast and slow
routes it may lie in the gap between them, and jump when the mix shifts: name the route.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._quantile import quantile
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.05
CLAIM = "tails"
QUANTILE = 0.9


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the 90th percentile of the response times of good answers, in seconds."""
    return quantile(recording, 0.9, "p90", route=route)
