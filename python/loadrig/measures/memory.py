"""The most memory that the server held.

## What it is

The greatest memory of the server's process tree in the measured window, pages that processes share
counted once.

## Unit

B

## How it is computed

The maximum of the probe `process`, metric `pss_bytes` of the subject `tree`, over its readings in the
window. PSS costs the server time to tell, so a short window may have no reading of it: then it is the
greatest `rss_bytes` in the window less what processes shared at the reading of both nearest to it.
Where the memory of another user's processes may not be read, `rss_bytes` itself stands in. A warning says
which of these it is. There is none for a single route.

## Interval

None: it is a maximum over readings.

## When it misleads

Peaks between two readings are not seen. A server that keeps growing has no peak, only a last value:
see the series over time. Memory of the server's database or cache is not in it.
"""

from typing import TYPE_CHECKING

from loadrig.base.estimate import Estimate
from loadrig.base.later import Later
from loadrig.language.choice import texts_of
from loadrig.language.en.measures import MeasuresMemoryTexts
from loadrig.measures._observed import in_window, one_series
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

TEXTS = texts_of(MeasuresMemoryTexts)

UNIT = "B"
BETTER = "lower"
EQUAL_WITHIN = 0.05
CLAIM = "facts"

PROBE, PSS, RSS = "process", "pss_bytes", "rss_bytes"

RSS_WARNING = TEXTS.rss_warning
SHARED_WARNING = TEXTS.shared_warning


def estimate(recording: Recording, *, route: str | None = None) -> Estimate | None:
    """Return the peak memory of the server's tree in bytes; None where not observed, or for one route."""
    if route is not None:
        return None
    readings = in_window(recording, PROBE, PSS, "tree")
    if readings.size:
        return Estimate(float(readings.max()), UNIT, n=readings.size, of="readings")
    readings = in_window(recording, PROBE, RSS, "tree")
    if not readings.size:
        return None
    shared_bytes, warning = 0.0, RSS_WARNING
    if (nearest := _shared(recording)) is not None:
        shared_bytes, away_s = nearest
        warning = SHARED_WARNING.format(away=away_s)
    peak = float(readings.max()) - shared_bytes
    return Estimate(peak, UNIT, n=readings.size, of="readings", warnings=(warning,))


def _shared(recording: Recording) -> tuple[float, float] | None:
    """Return the bytes that RSS counts twice at the reading of PSS nearest to the window, and its distance.

    The distance is in seconds. None where no instant has readings of both PSS and RSS.
    """
    pss, rss = (one_series(recording, PROBE, metric, "tree") for metric in (PSS, RSS))
    if pss is None or rss is None:
        return None
    t_ns, at_pss, at_rss = np.intersect1d(pss.t_ns, rss.t_ns, return_indices=True)
    if not t_ns.size:
        return None
    window = recording.measured
    away_ns = np.maximum(window.from_ns - t_ns, t_ns - window.to_ns)
    nearest = int(np.argmin(away_ns))
    twice = rss.value[at_rss[nearest]] - pss.value[at_pss[nearest]]
    return float(twice), float(away_ns[nearest]) / 1e9
