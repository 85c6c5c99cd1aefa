"""The most memory that the server held.

## What it is

The greatest memory of the server's process tree in the measured window, pages that processes share
counted once.

## Unit

B

## How it is computed

The maximum of the probe `process`, metric `pss_bytes` of the subject `tree`, over its readings in the
window. Where the memory of another user's processes may not be read, `rss_bytes` stands in and a
warning says so. There is none for a single route.

## Interval

None: it is a maximum over readings.

## When it misleads

Peaks between two readings are not seen. A server that keeps growing has no peak, only a last value:
see the series over time. Memory of the server's database or cache is not in it.
"""

from loadrig.base.estimate import Estimate
from loadrig.measures._observed import in_window
from loadrig.recording.reader import Recording

UNIT = "B"
BETTER = "lower"
EQUAL_WITHIN = 0.05

RSS_WARNING = "RSS, not PSS: pages that processes share are counted once for each of them"


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Peak memory of the server's tree in bytes; None where it was not observed, or for one route."""
    if route is not None:
        return None
    for metric, warnings in (("pss_bytes", ()), ("rss_bytes", (RSS_WARNING,))):
        readings = in_window(recording, "process", metric, "tree")
        if readings.size:
            peak = float(readings.max())
            return Estimate(peak, UNIT, n=readings.size, of="readings", warnings=warnings)
    return None
