"""Growth of a line between two windows: low and high load, calm and dips.

The rule, the same everywhere: a request surely became longer (the 95 % interval of the difference lies above
zero), a line surely has a part in that (the interval of its share, among those of all lines, which hold
together with 95 %, lies above zero), and of these the one that grew most is named, with every other that
cannot be told apart from it. What is not accounted for is one of the lines, so where that grew most no line
is named. Where nothing grew a line is named in 2.5 % of comparisons at most, as the first condition alone is
met no more often. Shares rather than times are judged, as in an overload the time grows while one looks, and
in which line it is does not change.
Sources: Bonferroni (Dunn 1961, J. Am. Stat. Assoc. 56, 52-64) for all lines together; two windows of
different noise have at least the degrees of freedom of the shorter (Mickey & Brown 1966, Ann. Math. Stat. 37,
639-642).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from loadrig.account.load import LoadSeries
from loadrig.account.means import CONFIDENCE, FEWEST_STEPS, Draw, draw, means_of
from loadrig.account.observations import Observations
from loadrig.account.split import split
from loadrig.account.trial_account import MS, part_with_sockets
from loadrig.base.later import Later
from loadrig.recording.steps import Bools, Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

BLOCK_S = 1.0
"""Time of a block at least, in seconds: probes read once a second, so a shorter block holds no new
reading."""

UNACCOUNTED = "unaccounted"
"""Name of what is not accounted for among the lines that may have grown."""

Interval = tuple[float, float]
Widen = Callable[[Interval], Interval]
Key = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Grown:
    """Milliseconds by which a line is longer in the second window.

    state: state of the line, or "unaccounted". low_ms, high_ms: its time in the first and in the second
    window. interval: of the growth, 95 % for all lines together. share: of the growth of the response time,
    its interval as that of the growth; None where the response time did not surely grow. is_behind: whether
    another line surely grew more.
    """

    state: str
    of: str
    low_ms: float
    high_ms: float
    interval: Interval
    share: float | None
    share_interval: Interval | None
    is_behind: bool

    @property
    def ms(self) -> float:
        """The growth in milliseconds; below zero where the line became shorter."""
        return self.high_ms - self.low_ms

    @property
    def is_sure(self) -> bool:
        """Whether the line surely grew: its share of a growth that is sure lies above zero."""
        return self.share_interval is not None and self.share_interval[0] > 0


@dataclass(frozen=True, slots=True)
class RequestGrowth:
    """Milliseconds by which a request is longer in the second window, and the lines that are longer.

    interval: 95 %, of the difference in milliseconds. lines: the line that grew most first.
    """

    low_ms: float
    high_ms: float
    interval: Interval
    lines: tuple[Grown, ...]

    @property
    def ms(self) -> float:
        """The growth of the response time in milliseconds."""
        return self.high_ms - self.low_ms

    @property
    def is_sure(self) -> bool:
        """Whether a request surely became longer."""
        return self.interval[0] > 0

    @property
    def most(self) -> tuple[Grown, ...]:
        """The line that grew most, with those that cannot be told apart from it.

        Empty where no line surely grew most, and where most of the growth is not accounted for.
        """
        if not self.is_sure or not self.lines or not self.lines[0].is_sure or self.is_unaccounted:
            return ()
        return tuple(
            line for line in self.lines if line.is_sure and not line.is_behind and line.state != UNACCOUNTED
        )

    @property
    def is_unaccounted(self) -> bool:
        """Whether more of the growth is not accounted for than is in any line."""
        return bool(self.lines) and self.lines[0].state == UNACCOUNTED

    def widened(self, widen: Widen) -> "RequestGrowth":
        """Return the growth with wider intervals.

        widen: makes the interval of a time wider where a disturbance may have made the time longer or
        shorter.
        """
        lines = tuple(
            replace(line, interval=_wider(line.interval, line.low_ms, line.high_ms, widen))
            for line in self.lines
        )
        interval = _wider(self.interval, self.low_ms, self.high_ms, widen)
        return replace(self, interval=interval, lines=lines)


def _wider(interval: Interval, low_ms: float, high_ms: float, widen: Widen) -> Interval:
    low, high = widen((low_ms, low_ms)), widen((high_ms, high_ms))
    down = (high_ms - high[0]) + (low[1] - low_ms)
    up = (high[1] - high_ms) + (low_ms - low[0])
    return interval[0] - down, interval[1] + up


def growth_of(tier: Observations, load: LoadSeries, first: Bools, second: Bools) -> RequestGrowth | None:
    """Return what grew at a component from the first window to the second.

    None where no request ended in one of the windows, or one of them is too short for an interval.
    """
    low, high = _side(tier, load, first), _side(tier, load, second)
    if low is None or high is None:
        return None
    # A line that is zero in both windows cannot have grown.
    keys = sorted(key for key in {*low.lines, *high.lines} if low.line(key).any() or high.line(key).any())
    grown = {key: high.line(key) - low.line(key) for key in keys}
    total = high.total - low.total
    spread = _Spread(low, high)
    interval = spread.interval(total)
    is_sure = interval[0] > 0
    together = 1 - (1 - CONFIDENCE) / max(1, len(keys))
    leader = max(keys, key=lambda key: float(grown[key][0]), default=None)
    lines = []
    for key in keys:
        share = float(grown[key][0] / total[0]) if is_sure else None
        open_by = low.open_by.get(key, 0.0) + high.open_by.get(key, 0.0)
        before = grown[leader if leader is not None else key] - grown[key]
        ahead = _of_total(spread, before, total, float(before[0] / total[0])) if is_sure else (0.0, 0.0)
        lines.append(
            Grown(
                *key,
                float(low.line(key)[0]),
                float(high.line(key)[0]),
                spread.interval(grown[key], together, open_by),
                share,
                None if share is None else _of_total(spread, grown[key], total, share, together, open_by),
                key != leader and ahead[0] > 0,
            )
        )
    lines.sort(key=lambda line: -line.ms)
    return RequestGrowth(float(low.total[0]), float(high.total[0]), interval, tuple(lines))


def _of_total(
    spread: "_Spread",
    grown: Floats,
    total: Floats,
    share: float,
    confidence: float = CONFIDENCE,
    open_by: float = 0.0,
) -> Interval:
    """Return the interval of a share of the growth, by the linearised ratio (Cochran 1977, ch. 6)."""
    low, high = spread.interval(grown - share * total, confidence, open_by)
    return share + low / float(total[0]), share + high / float(total[0])


@dataclass(frozen=True, eq=False)
class _Side:
    """Total and lines of a window in milliseconds, for the window itself and each resample."""

    drawn: Draw
    total: Floats
    lines: Mapping[Key, Floats]
    open_by: Mapping[Key, float]

    def line(self, key: Key) -> Floats:
        """Return a line; zero where the window has none."""
        times = self.lines.get(key)
        return np.zeros(self.total.size) if times is None else times


def _side(tier: Observations, load: LoadSeries, is_in: Bools) -> _Side | None:
    whole = draw(load, is_in, BLOCK_S)
    if whole is None:
        return None
    drawn, _ = part_with_sockets(tier, load, is_in, whole, BLOCK_S)
    if drawn.blocks < FEWEST_STEPS:
        return None
    parts = split(means_of(tier, load, drawn))
    times = MS / drawn.rate
    lines = {(part.state, part.of): part.number * times for part in parts.parts}
    lines[UNACCOUNTED, ""] = parts.rest * times
    open_by = {(part.state, part.of): part.open_by * float(times[0]) for part in parts.parts if part.open_by}
    return _Side(drawn, parts.total * times, lines, open_by)


class _Spread:
    """Intervals of differences of two windows, with a block as an observation."""

    def __init__(self, low: _Side, high: _Side) -> None:
        self._blocks = min(low.drawn.blocks, high.drawn.blocks)

    def interval(self, differences: Floats, confidence: float = CONFIDENCE, open_by: float = 0.0) -> Interval:
        """Return the interval of the first value. open_by: uncertainty beside it, added either way."""
        from loadrig.stats.distributions import t_quantile

        # Blocks drawn with replacement vary less than blocks do, by (b - 1) / b.
        error = float(differences[1:].std()) * (self._blocks / (self._blocks - 1)) ** 0.5
        half = t_quantile((1 + confidence) / 2, self._blocks - 1) * error + open_by
        return float(differences[0]) - half, float(differences[0]) + half
