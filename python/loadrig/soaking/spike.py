"""Effect of a sudden load on a server, and the time until the server is as before.

Before the spike stands the base line: what the server did at its usual load, and in which band. From the
begin of the spike on it is measured how fast requests pile up, how many fail, and when each measure is back
in its band and stays there. A server that stays out of its band although the load is what it was before is
metastable: it keeps itself down, by retries or by work that nobody waits for any more. Source: Bronson et al.
2021, Metastable Failures in Distributed Systems, HotOS.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.soaking.document import SpikeWord
from loadrig.stats.arrays import Floats
from loadrig.stats.intervals import Interval, wilson_share
from loadrig.stats.limits import BAND_DEVIATIONS, BAND_SHARE, MAD_TO_SD
from loadrig.stats.slope import Slope, slope

FEWEST_BEFORE = 10
"""Least number of steps before the spike."""
BAND_S, BAND_COUNT, BAND_FAILED = 0.002, 3.0, 0.005
"""Least of half the band of a measure beside its usual scatter: seconds of latency, requests in flight, and
share of failures, 0 to 1."""

HOLD_S = 5.0
"""Time in its band after which a measure is back, in seconds: a queue that drains passes through the band
once."""

PATIENCE_S, PATIENCE = 20.0, 2.0
"""A server is called metastable only after PATIENCE_S seconds, and PATIENCE times the length of the spike,
were watched after it."""

FALLING = 0.002
"""Least fall a second that counts, as a share of what a measure is above its band."""


@dataclass(frozen=True, eq=False)
class SpikeSteps:
    """A run, one value a step.

    from_s: begin of the first step in seconds. t_s: ends of the steps, increasing. offered, ok, failed:
    requests in the step. in_flight: requests in flight at the step's end. latency_s: a quantile of the step's
    good answers, nan where there were none.
    """

    from_s: float
    t_s: Floats
    offered: Floats
    ok: Floats
    failed: Floats
    in_flight: Floats
    latency_s: Floats

    @property
    def lengths_s(self) -> Floats:
        """Lengths of the steps in seconds."""
        lengths: Floats = np.diff(self.t_s, prepend=self.from_s)
        return lengths


@dataclass(frozen=True, slots=True)
class Recovery:
    """Recovery of one measure.

    level, band: level of the base line, and half of its band. peak: value furthest from the base line.
    back_s: from the end of the spike until the measure was back for good, between low_s and high_s; infinite
    where it was not. is_harmed: whether it left its band. is_falling: whether it was on its way back at the
    end.
    """

    level: float
    band: float
    peak: float
    back_s: float
    low_s: float
    high_s: float
    is_harmed: bool
    is_falling: bool


@dataclass(frozen=True, slots=True)
class Spike:
    """Effect of a spike on a server.

    usual_rate, rate: offered requests a second before and during the spike. growth: increase of requests in
    flight a second during it. errors: share of failures among requests that ended from its begin to the
    recovery. usual_errors: that share before. lost: requests that failed beyond the usual share. watched_s:
    time watched after the spike. times: load that was asked for over the usual load; 0 where that is not
    known.
    """

    word: SpikeWord
    from_s: float
    to_s: float
    usual_rate: float
    rate: float
    growth: Slope | None
    most_in_flight: float
    errors: Interval
    usual_errors: Interval
    lost: float
    measures: Mapping[str, Recovery]
    watched_s: float
    times: float = 0.0

    @property
    def back_s(self) -> tuple[float, float, float]:
        """Return the seconds from the end of the spike until every measure was back, with their bounds."""
        rows = [recovery for recovery in self.measures.values() if recovery.is_harmed]
        if not rows:
            return 0.0, 0.0, 0.0
        return max(r.back_s for r in rows), max(r.low_s for r in rows), max(r.high_s for r in rows)

    @property
    def text(self) -> str:
        """Return the answer in up to three sentences."""
        factor = self.times or (self.rate / self.usual_rate if self.usual_rate else 0.0)
        times = f"{show_number(factor)} times the usual load" if factor else "a spike"
        text = f"{times} for {show_duration(self.to_s - self.from_s)}: {self._outcome_text()}."
        if self.growth is not None and self.growth.low > 0:
            text += f" Meanwhile {show_number(self.growth.value)} requests a second piled up."
        if self.lost >= 1:
            share = f"{show_share(self.errors.value)} of those that ended"
            text += f" {show_number(self.lost)} requests failed by it ({share})."
        return text

    def _outcome_text(self) -> str:
        back, low, high = self.back_s
        match self.word:
            case "unharmed":
                return "the server took it, nothing left its usual band"
            case "recovered":
                return (
                    f"back in the usual band {show_duration(round(back, 1))} after it"
                    f" (between {show_duration(round(low, 1))} and {show_duration(round(high, 1))})"
                )
            case "recovering":
                return f"not back {show_duration(self.watched_s)} after it, but on the way"
            case "metastable":
                return (
                    f"not back {show_duration(self.watched_s)} after it, though the load is as before: the"
                    " server keeps itself down"
                )
            case _:
                return "too little was watched to say whether it is back"


def spike(steps: SpikeSteps, from_s: float, to_s: float, times: float = 0.0) -> Spike:
    """Return what a spike from one instant to another did. times: load asked for over the usual load.

    Raises ValueError if the spike has no length or begins before the run.
    """
    t = steps.t_s
    if not t.size or to_s <= from_s or from_s < steps.from_s:
        raise ValueError("a spike lies within the run and has a length")
    before, during, after = t <= from_s, (t > from_s) & (t <= to_s), t > to_s
    rows = {
        "latency": _recovery(steps, steps.latency_s, BAND_S, to_s, before),
        "in flight": _recovery(steps, steps.in_flight, BAND_COUNT, to_s, before),
        "failures": _recovery(steps, _failed_share(steps), BAND_FAILED, to_s, before),
    }
    measures = {name: row for name, row in rows.items() if row is not None}
    watched = float(t[-1] - to_s)
    back_s = max((r.back_s for r in measures.values() if r.is_harmed), default=0.0)
    is_in = ~before & (t <= to_s + (back_s if math.isfinite(back_s) else math.inf))
    errors, usual = _errors(steps, is_in), _errors(steps, before)
    ended = float((steps.ok + steps.failed)[is_in].sum())
    return Spike(
        word=_word(measures, bool(before.sum() >= FEWEST_BEFORE), watched, to_s - from_s),
        from_s=from_s,
        to_s=to_s,
        usual_rate=_rate(steps.offered, steps.lengths_s, before),
        rate=_rate(steps.offered, steps.lengths_s, during),
        growth=slope(t[during], steps.in_flight[during]),
        most_in_flight=float(steps.in_flight[~before].max()) if (~before).any() else 0.0,
        errors=errors,
        usual_errors=usual,
        lost=max(0.0, (errors.value - usual.value) * ended),
        measures=measures,
        watched_s=watched if after.any() else 0.0,
        times=times,
    )


def _word(measures: Mapping[str, Recovery], has_base: bool, watched_s: float, length_s: float) -> SpikeWord:
    if not has_base or not measures:
        return "unknown"
    harmed = [recovery for recovery in measures.values() if recovery.is_harmed]
    if not harmed:
        return "unharmed"
    out = [recovery for recovery in harmed if not math.isfinite(recovery.back_s)]
    if not out:
        return "recovered"
    if any(recovery.is_falling for recovery in out):
        return "recovering"
    return "metastable" if watched_s >= max(PATIENCE_S, PATIENCE * length_s) else "unknown"


def _recovery(
    steps: SpikeSteps,
    values: Floats,
    least: float,
    to_s: float,
    before: "np.ndarray[tuple[int], np.dtype[np.bool_]]",
) -> Recovery | None:
    """Return when a measure was back in its band, where higher is worse; None for too few steps before."""
    t, base = steps.t_s, values[before]
    base = base[np.isfinite(base)]
    if base.size < FEWEST_BEFORE:
        return None
    level = float(np.median(base))
    noise = MAD_TO_SD * float(np.median(np.abs(base - level)))
    band = max(BAND_DEVIATIONS * noise, BAND_SHARE * level, least)
    # A step without a good answer is out of the band of latency: nobody was served.
    filled = np.where(np.isfinite(values), values, np.where(steps.offered > 0, np.inf, level))
    peak = float(np.max(filled[~before], initial=level))
    is_harmed = bool(_is_out(filled[~before], level + band))
    back, low, high = (_back(t, filled, level + size * band, to_s) for size in (1.0, 1.5, 0.67))
    return Recovery(
        level, band, peak, back[1], min(low[0], back[0]), max(high[1], back[1]), is_harmed,
        is_falling=_is_falling(t, filled, level + band, to_s),
    )  # fmt: skip


def _is_out(values: Floats, limit: float) -> bool:
    """Return whether a measure was out of its band for two steps in a row, as single ones are chance."""
    out = values > limit
    return bool(np.any(out[1:] & out[:-1]))


def _back(t: Floats, values: Floats, limit: float, to_s: float) -> tuple[float, float]:
    """Return the last step out of the band and the first one back for good, in seconds after the spike."""
    out = (values > limit) & (t > to_s)
    # Single steps out of the band are chance.
    alone = out.copy()
    alone[1:] &= ~out[:-1]
    alone[:-1] &= ~out[1:]
    places = np.flatnonzero(out & ~alone)
    if not places.size:
        return 0.0, 0.0
    last = int(places[-1])
    if t[-1] - t[last] < HOLD_S:
        return math.inf, math.inf
    return float(t[last] - to_s), float(t[last + 1] - to_s)


def _is_falling(t: Floats, values: Floats, limit: float, to_s: float) -> bool:
    """Return whether a measure falls towards its band in the last half of what was watched."""
    late = (t > (to_s + t[-1]) / 2) & np.isfinite(values)
    line = slope(t[late], values[late])
    if line is None:
        return False
    above = float(np.median(values[late])) - limit
    return line.high < 0 and -line.value >= FALLING * max(above, 1e-9)


def _failed_share(steps: SpikeSteps) -> Floats:
    ended = steps.ok + steps.failed
    shares: Floats = np.divide(steps.failed, ended, out=np.zeros(ended.size), where=ended > 0)
    return shares


def _errors(steps: SpikeSteps, part: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> Interval:
    failed = round(float(steps.failed[part].sum()))
    return wilson_share(failed, failed + round(float(steps.ok[part].sum())))


def _rate(counts: Floats, lengths: Floats, part: "np.ndarray[tuple[int], np.dtype[np.bool_]]") -> float:
    total = float(lengths[part].sum())
    return float(counts[part].sum()) / total if total > 0 else 0.0
