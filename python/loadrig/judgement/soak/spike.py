"""Effect of a sudden load on a server, and the time until the server is as before.

Before the spike stands the base line: what the server did at its usual load, and in which band. From the
begin of the spike on it is measured how fast requests pile up, how many fail, and when each measure is back
in its band and stays there. A server that stays out of its band although the load is what it was before is
metastable: it keeps itself down, by retries or by work that nobody waits for any more. Source: Bronson et al.
2021, Metastable Failures in Distributed Systems, HotOS.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from msgspec import structs

from loadrig.base.documents import finite
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.soak.document import Bounds, Counted, RecoveryDocument, SpikeVerdict, SpikeWord
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.soak import JudgementSoakSpikeTexts
from loadrig.language.labels import label
from loadrig.stats.arrays import Bools, Floats
from loadrig.stats.intervals import wilson_share
from loadrig.stats.limits import BAND_DEVIATIONS, BAND_SHARE, MAD_TO_SD
from loadrig.stats.slope import slope

TEXTS = texts_of(JudgementSoakSpikeTexts)

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


def spike(steps: SpikeSteps, from_s: float, to_s: float, times: float = 0.0) -> SpikeVerdict:
    """Return what a spike from one instant to another did. times: load asked for over the usual load.

    Raises ValueError if the spike has no length or begins before the run.
    """
    t = steps.t_s
    if not t.size or to_s <= from_s or from_s < steps.from_s:
        raise ValueError("a spike lies within the run and has a length")
    before, during = t <= from_s, (t > from_s) & (t <= to_s)
    rows = {
        "latency": _recovery(steps, steps.latency_s, BAND_S, to_s, before),
        "in flight": _recovery(steps, steps.in_flight, BAND_COUNT, to_s, before),
        "failures": _recovery(steps, _failed_share(steps), BAND_FAILED, to_s, before),
    }
    measures = {name: row for name, row in rows.items() if row is not None}
    harmed = [recovery for recovery in measures.values() if recovery.harmed]
    back_s, low_s, high_s = (
        _longest(getattr(recovery, name) for recovery in harmed) for name in ("back_s", "low_s", "high_s")
    )
    watched_s = float(t[-1] - to_s)
    is_in = ~before & (t <= to_s + (back_s if back_s is not None else math.inf))
    errors, usual = _errors(steps, is_in), _errors(steps, before)
    ended = float((steps.ok + steps.failed)[is_in].sum())
    line = slope(t[during], steps.in_flight[during])
    verdict = SpikeVerdict(
        verdict=_word(measures, bool(before.sum() >= FEWEST_BEFORE), watched_s, to_s - from_s),
        text="",
        from_s=from_s,
        to_s=to_s,
        times=times,
        usual_rate=_rate(steps.offered, steps.lengths_s, before),
        rate=_rate(steps.offered, steps.lengths_s, during),
        piled_up_a_second=None if line is None else Bounds(*map(finite, (line.value, line.low, line.high))),
        most_in_flight=float(steps.in_flight[~before].max(initial=0.0)),
        errors=errors,
        usual_errors=usual,
        lost=max(0.0, ((errors.value or 0.0) - (usual.value or 0.0)) * ended),
        back_s=Bounds(back_s, low_s, high_s),
        measures=measures,
        watched_s=max(0.0, watched_s),
    )
    return structs.replace(verdict, text=_text(verdict))


def _longest(seconds: Iterable[float | None]) -> float | None:
    """Return the longest of some times; None where one has no end, 0 where there are none."""
    times = [math.inf if length is None else length for length in seconds]
    return finite(max(times, default=0.0))


def _word(
    measures: Mapping[str, RecoveryDocument], has_base: bool, watched_s: float, length_s: float
) -> SpikeWord:
    if not has_base or not measures:
        return "unknown"
    harmed = [recovery for recovery in measures.values() if recovery.harmed]
    if not harmed:
        return "unharmed"
    out = [recovery for recovery in harmed if recovery.back_s is None]
    if not out:
        return "recovered"
    if any(recovery.falling for recovery in out):
        return "recovering"
    return "metastable" if watched_s >= max(PATIENCE_S, PATIENCE * length_s) else "unknown"


def _text(answer: SpikeVerdict) -> str:
    """Return the answer in up to three sentences."""
    factor = answer.times or (answer.rate / answer.usual_rate if answer.usual_rate else 0.0)
    times = TEXTS.times_usual_load(show_number(factor)) if factor else label("a spike")
    text = TEXTS.for_text(times, show_duration(answer.to_s - answer.from_s), _outcome_text(answer))
    growth, share = answer.piled_up_a_second, answer.errors.value
    if growth is not None and growth.low is not None and growth.value is not None and growth.low > 0:
        text += TEXTS.meanwhile_requests_second(show_number(growth.value))
    if answer.lost >= 1 and share is not None:
        of_ended = TEXTS.those_that_ended(show_share(share))
        text += TEXTS.requests_failed(show_number(answer.lost), of_ended)
    return text


def _outcome_text(answer: SpikeVerdict) -> str:
    match answer.verdict:
        case "unharmed":
            return TEXTS.server_took_nothing
        case "recovered":
            back, low, high = (
                show_duration(round(end or 0.0, 1))
                for end in (answer.back_s.value, answer.back_s.low, answer.back_s.high)
            )
            return TEXTS.back_usual_band(back, low, high)
        case "recovering":
            return TEXTS.not_back_after(show_duration(answer.watched_s))
        case "metastable":
            return TEXTS.not_back_after_though(show_duration(answer.watched_s))
        case _:
            return TEXTS.too_little_watched


def _recovery(
    steps: SpikeSteps, values: Floats, least: float, to_s: float, before: Bools
) -> RecoveryDocument | None:
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
    return RecoveryDocument(
        level=level,
        band=band,
        peak=finite(peak),
        harmed=is_harmed,
        back_s=finite(back[1]),
        low_s=finite(min(low[0], back[0])),
        high_s=finite(max(high[1], back[1])),
        falling=_is_falling(t, filled, level + band, to_s),
    )


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
    return line.high < 0 and -line.value >= FALLING * max(above, 0.0)


def _failed_share(steps: SpikeSteps) -> Floats:
    ended = steps.ok + steps.failed
    shares: Floats = np.divide(steps.failed, ended, out=np.zeros(ended.size), where=ended > 0)
    return shares


def _errors(steps: SpikeSteps, part: Bools) -> Counted:
    failed = round(float(steps.failed[part].sum()))
    share = wilson_share(failed, failed + round(float(steps.ok[part].sum())))
    return Counted(finite(share.value), finite(share.low), finite(share.high), share.n)


def _rate(counts: Floats, lengths: Floats, part: Bools) -> float:
    total = float(lengths[part].sum())
    return float(counts[part].sum()) / total if total > 0 else 0.0
