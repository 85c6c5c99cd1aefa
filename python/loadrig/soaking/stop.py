"""Whether a soak is sure enough to end before its time is up.

It is over early when every level is either a leak whose size is known well, or shown not to leak by as much
as matters. It is looked at seldom, each time half as long again after the last, and each look may err with a
part of what may go wrong in all: 5 % altogether, however many looks there are. As what fills a cache is
straight for a while, a leak must be seen at two looks in turn; that takes half as long again, in which what
fills bends.
Source: alpha spending, Lan & DeMets 1983, Biometrika 70, 659-663 (stats.stopping).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

# Named here so that it is imported before the load: scipy imports a part of itself when it is first used.
import scipy.stats  # noqa: F401

from loadrig.base.units import show_duration, show_share
from loadrig.soaking.forecast import DAY_S, Limit
from loadrig.soaking.slopes import Slopes
from loadrig.stats.slope import Slope
from loadrig.stats.stopping import is_look_due, look_confidence

Word = Literal["leaks", "harmless", "open"]

KNOWN = 0.10
"""Half the interval of a leak's size over it, from which on it is known well enough."""

STRAIGHT = 0.9
"""Slope of the last third over that of the first, that a leak must have to end a soak: what is called a leak
at the end of a soak although it bends a little may be a large cache at the begin of one."""

LEAST_SHARE = 0.3
"""Of the length that was asked for, before which no leak ends a soak: what fills within that length is
straight at its begin, and bends by then."""

FIRST_S = 600.0
"""The first look: methods ask for ten minutes or 100,000 requests before anything is called a leak."""

FEWEST_REQUESTS = 20_000.0
"""Before so many requests nothing is bounded: a table that is filled once is of that size."""


@dataclass(frozen=True, slots=True)
class Stakes:
    """What would matter. a_request: growth with a request from which on it does, whatever the limit is.

    limit: what it may grow to; within_s: a limit that is not reached within that time does not matter.
    """

    a_request: float = 100.0
    limit: Limit | None = None
    within_s: float = 7 * DAY_S

    def most(self, level: float, rate: float) -> float:
        """The growth with a request that just matters, at a level and a rate of requests a second."""
        if self.limit is None or rate <= 0:
            return self.a_request
        room = max(0.0, self.limit.amount - level)
        return min(self.a_request, room / (rate * self.within_s)) if room else 0.0


@dataclass(frozen=True, slots=True)
class Standing:
    """What one level says at a look.

    size: growth with a request, at the confidence of the look; most: that just matters.
    """

    word: Word
    size: Slope | None
    most: float
    why: str


@dataclass(frozen=True, slots=True)
class Decision:
    """What a look says. is_over: whether to end. levels: by name. confidence: at which."""

    is_over: bool
    t_s: float
    look: int
    confidence: float
    levels: Mapping[str, Standing] = field(default_factory=dict)

    @property
    def why(self) -> str:
        """One sentence, for the manifest."""
        if not self.is_over:
            return "not yet sure"
        leaking = [name for name, one in self.levels.items() if one.word == "leaks"]
        if leaking:
            return f"{', '.join(leaking)}: a leak, its size known to {show_share(KNOWN)}"
        return f"no leak that matters, shown at {show_share(self.confidence)} after {show_duration(self.t_s)}"


class Stopping:
    """Asks the levels of a soak whether it is sure. Made at its begin, asked at any time.

    stakes: of each level by name, and for all others under "". first_s: of the first look. length_s: that
    was asked for.
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
        self._seen: dict[str, float] = {}

    def is_due(self, t_s: float) -> bool:
        """Whether it is time for the next look."""
        return is_look_due(t_s, first_s=self._first_s, looks_done=self._looks)

    def look(
        self,
        t_s: float,
        levels: Mapping[str, Slopes],
        requests: float,
        stakes: Mapping[str, Stakes] | None = None,
    ) -> Decision:
        """Look now. levels: what each says so far; requests: that were served.

        stakes: of levels that were not known at the begin.
        """
        self._looks += 1
        self._stakes |= stakes or {}
        # Several levels share what may go wrong.
        confidence = 1 - (1 - look_confidence(self._looks, self._confidence)) / max(1, len(levels))
        rate = requests / t_s if t_s > 0 else 0.0
        found = {name: self._standing(name, one, confidence, rate, requests) for name, one in levels.items()}
        if t_s < LEAST_SHARE * self._length_s:
            found = {name: _not_yet(one) for name, one in found.items()}
        self._seen = {
            name: one.a_request.value
            for name, one in levels.items()
            if one.is_leak and one.a_request is not None
        }
        words = [one.word for one in found.values()]
        return Decision(
            is_over=bool(words) and "open" not in words,
            t_s=t_s,
            look=self._looks,
            confidence=confidence,
            levels=found,
        )

    def _standing(self, name: str, one: Slopes, confidence: float, rate: float, requests: float) -> Standing:
        stakes = self._stakes.get(name) or self._stakes.get("") or Stakes()
        most = stakes.most(one.level, rate)
        if one.a_request is None:
            return Standing("open", None, most, "too few readings")
        size = _wider(one.a_request, confidence)
        if one.is_leak:
            before = self._seen.get(name)
            if one.shape is not None and one.shape.growth.lasting < STRAIGHT:
                return Standing("open", size, most, "it bends, and may be something that fills")
            if size.relative_half_width > KNOWN:
                return Standing(
                    "open", size, most, f"its size is known to {show_share(size.relative_half_width)}"
                )
            if before is None or abs(before / size.value - 1) > 2 * KNOWN:
                return Standing("open", size, most, "seen once: what fills bends until the next look")
            return Standing("leaks", size, most, "seen at two looks, of the same size")
        if requests < FEWEST_REQUESTS:
            return Standing("open", size, most, "too few requests")
        late = _wider(one.late, confidence) if one.late is not None else size
        if min(size.high, late.high) <= most:
            return Standing("harmless", size, most, "whatever grows is less than what matters")
        return Standing("open", size, most, "it may yet grow by more than what matters")


def _not_yet(one: Standing) -> Standing:
    """The same, where a leak would be called one too early."""
    if one.word != "leaks":
        return one
    return Standing("open", one.size, one.most, "it is early: what fills slowly looks the same")


def _wider(size: Slope, confidence: float) -> Slope:
    """The interval at a higher confidence: wider by as much as t is, to each side by itself."""
    inner, outer = size.at(size.confidence), size.at(confidence)
    factor = (outer.high - outer.value) / (inner.high - inner.value) if inner.high > inner.value else 1.0
    if not math.isfinite(factor):
        return outer
    return Slope(
        size.value,
        size.value - (size.value - size.low) * factor,
        size.value + (size.high - size.value) * factor,
        size.error * factor, confidence, size.alike, size.n,
    )  # fmt: skip
