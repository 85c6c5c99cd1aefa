"""Time of whole sessions that 95 in 100 of them keep.

## What it is

Of the sessions that ended in the measured window, 95 % had taken no longer than this, from the
arrival of their user to the last answer, think times included.

## Unit

s

## How it is computed

The generator's histograms of sessions' own times in the frames of the measured window are added up,
and the quantile is read from the sum. There is none for a single route.

## Interval

As that of `p95`.

## When it misleads

Only sessions that ended are in it: in a window shorter than a session the short ones are
over-represented. Think times are the users' own and may be most of it.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._quantile import quantile
from loadrig.recording.reader import Recording

UNIT = "s"
BETTER = "lower"
EQUAL_WITHIN = 0.05
CLAIM = "tails"
QUANTILE = 0.95


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Estimate the 95th percentile of sessions' own times; None without sessions, or for one route."""
    if route is not None:
        return None
    return quantile(recording, 0.95, "sessions_p95", route=None, kind="session", counted="sessions")
