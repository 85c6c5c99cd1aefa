"""Intervals of a disturbed trial: wider by what was measured of the disturbance.

Where a share d of the time was taken away, a figure that counts seconds would without that lie between
(1 - d) times and 1 / (1 - d) times what was measured: the server did the same work in less time, or a
generator that never stood still would have asked more of it. So the lower end of an interval is multiplied
by 1 - d, and the upper one divided by it.

Single times need more. Requests that met a stand-still are among the slowest, and where nothing ran for a
share s of the time about that share of them waited for its end. Without it the quantile q lies at or above
the quantile q - s of what was measured, and the mean at or above what the others alone add up to: leaving
any s of the requests out lowers neither further. The lower end is lowered in that ratio too.

The two together hold for stand-stills of any length, also where nearly every request meets several short
ones: tests/trial/test_widening.py lets requests run through such, from a millisecond to a second.
"""

from dataclasses import dataclass, replace

from loadrig._native import Histogram
from loadrig.base.claims import Claim
from loadrig.base.estimate import Estimate
from loadrig.recording.reader import Recording
from loadrig.trial.validity import Validity
from loadrig.trial.weakening import stalled_share

MOST_BY = 0.99
"""Largest share by which a figure is widened, 0 to 1: an interval needs a finite upper end."""

PLACES = 200
"""Number of quantiles that a mean is added up from: the sum is right to half a percent, and only ever
widens."""

CLAIM_OF_UNIT = {"s": "times", "1/s": "rates", "cores": "rates"}
"""Claims, by unit, for measures of other packages that do not name theirs; with another unit nothing is
widened."""


@dataclass(frozen=True, slots=True)
class Factors:
    """Factors by which the ends of an interval are multiplied: low at most 1, high at least 1."""

    low: float = 1.0
    high: float = 1.0

    def around(self, interval: tuple[float, float]) -> tuple[float, float]:
        """Return a wider interval. An end below zero, as of a difference, is not drawn nearer to zero."""
        low, high = interval
        return min(low, low * self.low), max(high, high * self.high)

    def on(self, estimate: Estimate) -> Estimate:
        """Return an estimate with its wider interval; an estimate without an interval as it is."""
        if estimate.low is None or estimate.high is None:
            return estimate
        low, high = self.around((estimate.low, estimate.high))
        return replace(estimate, low=low, high=high)


def factors_of(recording: Recording, validity: Validity, measure: object) -> Factors:
    """Return by how much the interval of a measure is wider. measure: module of the measure."""
    claim: Claim | None = getattr(measure, "CLAIM", None) or CLAIM_OF_UNIT.get(getattr(measure, "UNIT", ""))  # type: ignore[assignment]
    weakened = validity.of(claim) if claim else None
    if weakened is None or not weakened.by or claim == "load":
        return Factors()
    kept_share = 1.0 - min(MOST_BY, weakened.by)
    low = kept_share
    stalled = stalled_share(validity.reasons)
    if stalled and getattr(measure, "UNIT", "") == "s":
        low *= fallen(_times(recording), getattr(measure, "QUANTILE", None), stalled)
    return Factors(low, 1.0 / kept_share)


def fallen(times: Histogram, quantile: float | None, share: float) -> float:
    """Return the ratio of a quantile without the slowest share of times to the quantile of all times.

    quantile: 0 to 1; None means the mean.
    """
    if not times.count or not times.mean_ns:
        return 1.0
    if quantile is not None:
        before = times.quantile_ns(quantile)
        return times.quantile_ns(max(0.0, quantile - share)) / before if before else 1.0
    # The mean is the quantiles' average. Requests that are left out count as zero: they may have taken no
    # time.
    kept_share = 1.0 - share
    others = sum(times.quantile_ns(kept_share * (place + 0.5) / PLACES) for place in range(PLACES)) / PLACES
    return min(1.0, kept_share * others / times.mean_ns)


def _times(recording: Recording) -> Histogram:
    """Return the response times of good answers in the measured window."""
    window = recording.measured
    return recording.histogram(
        kind=recording.times_kind, outcome="ok", from_ns=window.from_ns, to_ns=window.to_ns
    )
