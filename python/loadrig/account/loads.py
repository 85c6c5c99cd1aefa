"""The account at several loads: one for each level of a search, a ramp or of stages, and which line bends."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.account.growth import BLOCK_S, RequestGrowth, growth_of
from loadrig.account.levels import LOADS_APART, LoadLevel, levels_of
from loadrig.account.load import LoadSeries
from loadrig.account.observations import Observations
from loadrig.account.trial_account import Account, components_under_load, window
from loadrig.base.later import Later
from loadrig.recording.reader import Recording
from loadrig.recording.steps import Bools

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

UNITS = {"users": "users", "saturate": "users", "sessions": "sessions/s"}
"""Units of the level by arrival model; every other model's unit is requests a second."""

END_S = 8.0
"""Time of the least and of the most load that are compared, in seconds, where the levels at an end last that
long: the interval of eight readings is a fifth wider than of very many (t 2.36 against 1.96)."""


@dataclass(frozen=True, slots=True)
class AtLoad:
    """The account at one level. level: median of the load that was asked for, in the unit of the load.

    is_overloaded: whether fewer requests were answered than came, so that times depend on how long that
    lasted.
    """

    level: float
    is_overloaded: bool
    account: Account


@dataclass(frozen=True, slots=True)
class LoadEnd:
    """The least or the most load: all levels at that end that are compared, together.

    level: median of the load that was asked for; requests_per_s: requests that ended. places: in `levels`,
    the lowest first.
    """

    level: float
    requests_per_s: float
    is_overloaded: bool
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Loads:
    """Accounts by level of the load, the lowest first, and what grew at the loaded server.

    unit: unit of the levels. growth: from the least load `low` to the most load `high`; None where one of the
    two was too short. bends_at: place of the lowest level from which on the line that grew most is surely
    longer than at the least load; None where no line was named.
    """

    unit: str
    levels: tuple[AtLoad, ...]
    low: LoadEnd
    high: LoadEnd
    growth: RequestGrowth | None = None
    bends_at: int | None = None


def loads_of(recording: Recording) -> Loads | None:
    """Return the accounts of a trial by level.

    None where its load did not change enough, or no request ended.
    """
    return recording.remembered(__name__, lambda: _loads_of(recording))


def _loads_of(recording: Recording) -> Loads | None:
    observations = components_under_load(recording)
    if observations is None or len(levels := levels_of(observations[1])) < 2:
        return None
    return loads(*observations, levels)


def loads(tiers: Sequence[Observations], load: LoadSeries, levels: Sequence[LoadLevel]) -> Loads | None:
    """Return the accounts of components at these levels; None where fewer than two levels have an account."""
    pairs = [
        (level, account)
        for level in levels
        if (account := window(tiers, load, level.is_in, BLOCK_S)) is not None
    ]
    server = next((component for component in tiers if component.is_loaded), None)
    if len(pairs) < 2 or server is None:
        return None
    at = tuple(AtLoad(level.planned, level.is_overloaded, account) for level, account in pairs)
    ladder = _Ladder(server, load, tuple(level for level, _ in pairs))
    low, high, growth = ladder.growth()
    bends_at = ladder.bends_at(low, high, growth) if growth is not None and growth.most else None
    return Loads(UNITS.get(load.model, "1/s"), at, low, high, growth, bends_at)


@dataclass(frozen=True, eq=False)
class _Ladder:
    """The loaded server at the levels of a load, the lowest first."""

    server: Observations
    load: LoadSeries
    levels: tuple[LoadLevel, ...]

    def growth(self) -> tuple[LoadEnd, LoadEnd, RequestGrowth | None]:
        """Return the least and the most load, and what grew from the one to the other.

        The most load is the highest that was answered; an overload is taken where nothing grew before it. Of
        overloads the longest is taken: how long a request takes depends on how long an overload lasts, but
        the line in which it waits does not.
        """
        places = range(len(self.levels))
        answered = [place for place in places if not self.levels[place].is_overloaded]
        most = len(places) // 2
        low = self._end(list(places), most)
        ends = []
        if len(answered) > 1:
            ends.append(self._end(answered[::-1], len(answered) // 2))
        if len(answered) < len(places):
            beyond = [place for place in places if place not in answered]
            ends.append(self._end([max(beyond, key=lambda place: self._seconds([place]))], 1))
        # A search may answer little more than its least load: the two ends must not share a level.
        ends = [end for end in ends if not set(end.places) & set(low.places)] or [self._end([places[-1]], 1)]
        growths = [
            (end, growth_of(self.server, self.load, self._steps(low), self._steps(end))) for end in ends
        ]
        high, growth = next((pair for pair in growths if pair[1] is not None and pair[1].most), growths[0])
        return low, high, growth

    def bends_at(self, low: LoadEnd, high: LoadEnd, growth: RequestGrowth) -> int:
        """Return the place of the lowest level from which on the line that grew most is surely longer.

        It is longer than at the least load.
        """
        key = growth.most[0].state, growth.most[0].of
        bend = min(high.places)
        for place in range(bend - 1, max(low.places), -1):
            grown = growth_of(self.server, self.load, self._steps(low), self.levels[place].is_in)
            lines = grown.lines if grown is not None else ()
            if not any((line.state, line.of) == key and line.is_sure for line in lines):
                break
            bend = place
        return bend

    def _end(self, places: Sequence[int], most: int) -> LoadEnd:
        """Return the first places that make an end of the load, up to a largest number.

        Their levels are alike, and last long enough together.
        """
        chosen = list(places[:1])
        first = self.levels[places[0]].planned
        for place in places[1:most]:
            level = self.levels[place].planned
            if self._seconds(chosen) >= END_S or max(level, first) > LOADS_APART * min(level, first):
                break
            chosen.append(place)
        is_in = self._in(chosen)
        seconds = self.load.seconds[is_in]
        return LoadEnd(
            float(np.median(self.load.planned[is_in])),
            float(np.average(self.load.completed[is_in], weights=seconds)),
            any(self.levels[place].is_overloaded for place in chosen),
            tuple(sorted(chosen)),
        )

    def _seconds(self, places: Sequence[int]) -> float:
        return float(self.load.seconds[self._in(places)].sum())

    def _steps(self, end: LoadEnd) -> Bools:
        return self._in(end.places)

    def _in(self, places: Sequence[int]) -> Bools:
        is_in: Bools = np.any([self.levels[place].is_in for place in places], axis=0)
        return is_in
