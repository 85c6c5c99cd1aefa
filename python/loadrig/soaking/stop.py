"""Rule by which a soak ends early: once it is sure enough before its time is up.

It is over early when every level is either a leak whose size is known well, or shown not to leak by as much
as matters. Looks are seldom, each half as long again after the last, and each look may err with a part of the
error that all looks may have: 5 % altogether, however many there are. As what fills a cache is straight for a
while, a leak must be seen at two looks in turn; that takes half as long again, in which what fills bends.
Source: alpha spending, Lan & DeMets 1983, Biometrika 70, 659-663 (stats.stopping).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

# Named here so that it is imported before the load: scipy imports a part of itself when it is first used.
import scipy.stats  # noqa: F401

from loadrig.base.units import show_duration, show_share
from loadrig.judgement.facts.slopes import Slopes
from loadrig.judgement.soak.forecast import DAY_S, GrowthLimit
from loadrig.language.choice import texts_of
from loadrig.language.en.proving import SoakingStopTexts
from loadrig.stats.slope import Slope
from loadrig.stats.stopping import is_look_due, look_confidence

TEXTS = texts_of(SoakingStopTexts)

Word = Literal["leaks", "harmless", "open"]
"""Answer for a level: a leak, harmless, or not yet sure."""

SURE_HALF_WIDTH = 0.10
"""Half the interval of a leak's size over that size, below which it is known well enough."""

STRAIGHT_ENOUGH_TO_STOP = 0.9
"""Slope of the last third over that of the first, from which on a leak may end a soak. A level that bends
a little may be called a leak at the end of a soak; at its begin it may be a large cache."""

LEAST_SOAKED_SHARE = 0.3
"""Share of the length that was asked for, before which no leak ends a soak: what fills within that length
is straight at its begin, and bends by then."""

FIRST_S = 600.0
"""Time of the first look, in seconds: methods ask for ten minutes or 100,000 requests before anything is
called a leak."""

FEWEST_REQUESTS = 20_000.0
"""Number of requests before which no growth is bounded: a table that is filled once is of that size."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """Growth of a level that would matter.

    a_request: growth with a request from which on it matters, whatever the limit is. limit: what the level
    may grow to. within_s: a limit that is not reached within that time, in seconds, does not matter.
    """

    a_request: float = 100.0
    limit: GrowthLimit | None = None
    within_s: float = 7 * DAY_S

    def most(self, level: float, rate: float) -> float:
        """Return the growth with a request that just matters, at a level and a rate of requests a second."""
        if self.limit is None or rate <= 0:
            return self.a_request
        room = max(0.0, self.limit.amount - level)
        return min(self.a_request, room / (rate * self.within_s)) if room else 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """Answer of one level at a look.

    size: growth with a request, at the confidence of the look. most: growth with a request that just matters.
    """

    word: Word
    size: Slope | None
    most: float
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Answer of a look.

    is_over: whether to end the soak. levels: answers of the levels by name. confidence: confidence of the
    look.
    """

    is_over: bool
    t_s: float
    look: int
    confidence: float
    levels: Mapping[str, Standing] = field(default_factory=dict)

    @property
    def why(self) -> str:
        """Return why the soak ends or goes on, as one sentence for the manifest."""
        if not self.is_over:
            return TEXTS.not_yet_sure
        leaking = [name for name, standing in self.levels.items() if standing.word == "leaks"]
        if leaking:
            return TEXTS.leak_size(", ".join(leaking), show_share(SURE_HALF_WIDTH))
        return TEXTS.no_leak_matters(show_share(self.confidence), show_duration(self.t_s))


class Stopping:
    """Rule that ends a soak once all its levels are sure; made at the soak's begin and asked at any time.

    stakes: what matters for each level by name, and for all others under "". first_s: time of the first look
    in seconds. length_s: length that was asked for, in seconds.
    """

    def __init__(
        self,
        stakes: Mapping[str, Stakes] | None = None,
        *,
        first_s: float = FIRST_S,
        length_s: float = 0.0,
        confidence: float = 0.95,
    ) -> None:
        self._stakes = dict(stakes or {})
        self._first_s = first_s
        self._length_s = length_s
        self._confidence = confidence
        self._looks = 0
        self._last_leaks: dict[str, float] = {}

    def is_due(self, t_s: float) -> bool:
        """Return whether it is time for the next look."""
        return is_look_due(t_s, first_s=self._first_s, looks_done=self._looks)

    def look(
        self,
        t_s: float,
        levels: Mapping[str, Slopes],
        requests: float,
        stakes: Mapping[str, Stakes] | None = None,
    ) -> Decision:
        """Look at the levels, and return whether the soak may end.

        levels: growth of each level so far. requests: requests that were served. stakes: what matters for
        levels that were not known at the begin.
        """
        self._looks += 1
        self._stakes |= stakes or {}
        # The levels share the error that the look may have.
        confidence = 1 - (1 - look_confidence(self._looks, self._confidence)) / max(1, len(levels))
        rate = requests / t_s if t_s > 0 else 0.0
        standings = {
            name: self._standing(name, growth, confidence, rate, requests) for name, growth in levels.items()
        }
        if t_s < LEAST_SOAKED_SHARE * self._length_s:
            standings = {name: _with_leak_open(standing) for name, standing in standings.items()}
        self._last_leaks = {
            name: growth.a_request.value
            for name, growth in levels.items()
            if growth.is_leak and growth.a_request is not None
        }
        words = [standing.word for standing in standings.values()]
        return Decision(
            is_over=bool(words) and "open" not in words,
            t_s=t_s,
            look=self._looks,
            confidence=confidence,
            levels=standings,
        )

    def _standing(
        self, name: str, growth: Slopes, confidence: float, rate: float, requests: float
    ) -> Standing:
        stakes = self._stakes.get(name) or self._stakes.get("") or Stakes()
        most = stakes.most(growth.level, rate)
        if growth.a_request is None:
            return Standing("open", None, most, TEXTS.too_few_readings)
        size = _wider(growth.a_request, confidence)
        if growth.is_leak:
            before = self._last_leaks.get(name)
            if growth.shape is not None and growth.shape.growth.lasting < STRAIGHT_ENOUGH_TO_STOP:
                return Standing("open", size, most, TEXTS.bends_may_something)
            if size.relative_half_width > SURE_HALF_WIDTH:
                return Standing("open", size, most, TEXTS.its_size_is(show_share(size.relative_half_width)))
            if before is None or abs(before / size.value - 1) > 2 * SURE_HALF_WIDTH:
                return Standing("open", size, most, TEXTS.seen_once_what)
            return Standing("leaks", size, most, TEXTS.seen_two_looks)
        if requests < FEWEST_REQUESTS:
            return Standing("open", size, most, TEXTS.too_few_requests)
        late = _wider(growth.late, confidence) if growth.late is not None else size
        if min(size.high, late.high) <= most:
            return Standing("harmless", size, most, TEXTS.whatever_grows_less)
        return Standing("open", size, most, TEXTS.may_yet_grow)


def _with_leak_open(standing: Standing) -> Standing:
    """Return a standing, with a leak left open where it would be called one too early."""
    if standing.word != "leaks":
        return standing
    return Standing("open", standing.size, standing.most, TEXTS.early_what_fills)


def _wider(size: Slope, confidence: float) -> Slope:
    """Return a slope with its interval at a higher confidence: wider by as much as t is, on either side."""
    inner, outer = size.at(size.confidence), size.at(confidence)
    factor = (outer.high - outer.value) / (inner.high - inner.value) if inner.high > inner.value else 1.0
    if not math.isfinite(factor):
        return outer
    return replace(
        outer,
        low=size.value - (size.value - size.low) * factor,
        high=size.value + (size.high - size.value) * factor,
        error=size.error * factor,
    )
