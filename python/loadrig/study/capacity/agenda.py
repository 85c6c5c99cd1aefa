"""The agenda of a search: which level tells most next, when to confirm, and when to overload the server."""

import math
import random

from loadrig.study.capacity.answer import CONFIRMS_ABOVE, CONFIRMS_BELOW, Confirmed
from loadrig.study.capacity.beyond import OVERLOAD_S, Overload
from loadrig.study.capacity.knowledge import Knowledge
from loadrig.study.capacity.locate import Located
from loadrig.study.capacity.probe import Kind, Probe
from loadrig.study.capacity.ramp import SATURATION_S
from loadrig.study.capacity.saturation import AGAIN_AT, AGAIN_BUDGET_S, AGAIN_OVERLOAD

COARSE = 0.10
"""Half of the interval, in ln(level), above which the next level is the median: only its side is wanted."""

COARSE_S, FINE_S = 5.0, 10.0
"""Most seconds of a probe, far from the limit and near it.
The nearer to the limit, the more requests it takes to tell one side from the other."""

SHARE_ABOVE, SHARE_BELOW = 3.0, 1.5
"""Factors of the goal's odds of a late answer, at levels alternately above and below the limit.
Above it the odds are that much higher, below it that much lower: more is learned where more is late."""

NARROWEST, WIDEST = 0.004, 0.05
"""Range of the steps from the limit, in ln(level)."""

CONFIRM_S, CONFIRM_ABOVE_S = 20.0, 8.0
SETTLES_S = 2.0
OVERLOAD_NEEDS_S = OVERLOAD_S + 8.0
ROUNDS = 3
"""Most rounds of confirmation: each that fails moves the capacity."""


class Agenda:
    """Choice of what is offered next, by what is known and the time that is left.

    least, most, budget_s, width, skip_overload: as of a search. seed: of the steps from the limit.
    overload: the one on purpose, once it was chosen.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        *,
        least: float,
        most: float,
        budget_s: float,
        width: float,
        seed: int,
        skip_overload: bool,
    ) -> None:
        self._knowledge = knowledge
        self._least, self._most, self._budget_s, self._width = least, most, budget_s, width
        self._random = random.Random(seed)
        self._skips_overload = skip_overload
        self._is_above = False
        self.overload: Overload | None = None

    def next(self, at_s: float) -> Probe | Overload | None:
        """Return what is offered next; None where all is known, or too little time is left.

        at_s: since the search began. The capacity must have been located.
        """
        located = self._knowledge.located
        assert located is not None
        left_s = self._budget_s - at_s
        full = self._knowledge.full
        if full is not None and self._is_to_saturate(at_s):
            return self.saturation_probe(AGAIN_OVERLOAD * full, at_s)
        wanted_s = 0.0 if self._skips_overload or self.overload is not None else OVERLOAD_NEEDS_S
        # A probe settles first, which its own time does not count.
        probe_s = left_s - wanted_s - SETTLES_S
        kind = self._to_confirm()
        if kind is not None and probe_s > 0 and self._is_time_to_confirm(left_s - wanted_s):
            factor, most_s = (
                (CONFIRMS_BELOW, CONFIRM_S) if kind == "confirm_below" else (CONFIRMS_ABOVE, CONFIRM_ABOVE_S)
            )
            return self.probe(kind, factor * located.median, at_s, min(most_s, probe_s))
        if not self._knowledge.is_within(self._width) and probe_s > 2:
            return self._search_probe(located, at_s, probe_s)
        if wanted_s and left_s > OVERLOAD_S + 3:
            self.overload = self._new_overload(located, at_s)
            return self.overload
        return None

    def probe(self, kind: Kind, level: float, at_s: float, most_s: float) -> Probe:
        """Return a probe of the level that is nearest among those that may be offered."""
        level = min(max(level, self._least), self._most)
        if self._knowledge.is_closed:
            level = max(float(round(level)), 1.0)
        return Probe(
            kind, level, self._knowledge.goals, self._knowledge.clusters, at_s=at_s, most_s=max(most_s, 1.0),
            cuts=kind == "confirm_above" or most_s <= COARSE_S,
        )  # fmt: skip

    def saturation_probe(self, level: float, at_s: float) -> Probe:
        """Return a probe of the most that the server answers. level: more than that."""
        return Probe(
            "saturation", min(level, self._most), self._knowledge.goals, self._knowledge.clusters, at_s=at_s,
            most_s=SATURATION_S, settles=False, stops_early=False,
        )  # fmt: skip

    def _is_to_saturate(self, at_s: float) -> bool:
        """Return whether saturation is to be measured once more: it is in doubt, or it is time for it."""
        saturation = self._knowledge.saturation
        if self._budget_s - at_s < 3 * SATURATION_S:
            return False
        if saturation.is_doubtful(self._knowledge.probes, self._knowledge.clusters):
            return True
        return (
            not self._skips_overload
            and saturation.measured == 1
            and self._budget_s >= AGAIN_BUDGET_S
            and at_s >= AGAIN_AT * self._budget_s
        )

    def _is_time_to_confirm(self, left_s: float) -> bool:
        """Return whether the capacity is known well enough, or the time just suffices to confirm it."""
        confirm_s = 0.0
        if not self._knowledge.of_kind("confirm_below"):
            confirm_s += CONFIRM_S + SETTLES_S
        if not self._knowledge.of_kind("confirm_above"):
            confirm_s += CONFIRM_ABOVE_S + SETTLES_S
        return self._knowledge.is_within(self._width) or left_s <= confirm_s + FINE_S

    def _to_confirm(self) -> Kind | None:
        confirmed = self._knowledge.confirmed()
        below = len(self._knowledge.of_kind("confirm_below"))
        if confirmed == Confirmed(True, True) or below >= ROUNDS:
            return None
        if confirmed.below is None:
            return "confirm_below"
        if confirmed.above is None and len(self._knowledge.of_kind("confirm_above")) < ROUNDS:
            return "confirm_above"
        return None

    def _search_probe(self, located: Located, at_s: float, most_s: float) -> Probe:
        middle = located.median
        self._is_above = not self._is_above
        if located.half_width > COARSE:
            return self.probe("search", middle, at_s, min(COARSE_S, most_s))
        step = math.log(SHARE_ABOVE if self._is_above else SHARE_BELOW) / located.steepness
        step = min(max(step * self._random.uniform(0.7, 1.3), NARROWEST), WIDEST)
        level = middle * math.exp(step if self._is_above else -step)
        full = self._knowledge.full
        if self._is_above and full is not None:
            # Above saturation nothing is learned but that it is above.
            level = min(level, max(middle, middle + 0.5 * (full - middle)))
        return self.probe("search", level, at_s, min(FINE_S, most_s))

    def _new_overload(self, located: Located, at_s: float) -> Overload:
        full = self._knowledge.full
        return Overload(
            self._knowledge.goals, self._knowledge.clusters, capacity=located.median,
            saturation=full if full is not None else located.median, most=self._most, at_s=at_s,
            is_closed=self._knowledge.is_closed,
        )  # fmt: skip
