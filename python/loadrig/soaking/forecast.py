"""When what grows reaches its limit, with an interval; or that it does not within a time that matters."""

import math
from dataclasses import dataclass

from loadrig.base.units import show, show_duration
from loadrig.stats.slope import Slope

DAY_S = 86_400.0
HORIZON_S = 30 * DAY_S
"""Most servers are started anew within a month: what happens later than that is no news."""


@dataclass(frozen=True, slots=True)
class Limit:
    """What a level may grow to. amount: in the level's unit; text: by whose word ("its memory limit")."""

    amount: float
    text: str
    unit: str = "B"


@dataclass(frozen=True, slots=True)
class Forecast:
    """When a limit is reached, in seconds from now at the load there was.

    in_s: by the slope; soonest_s, latest_s: by the ends of its interval; infinite where it does not grow.
    horizon_s: within which it matters.
    """

    limit: Limit
    level: float
    in_s: float
    soonest_s: float
    latest_s: float
    horizon_s: float

    @property
    def is_within(self) -> bool:
        """Whether it is reached within the horizon, as far as can be told."""
        return self.in_s <= self.horizon_s

    @property
    def is_never(self) -> bool:
        """Whether it is shown not to be reached within the horizon."""
        return self.soonest_s > self.horizon_s

    @property
    def text(self) -> str:
        """One sentence."""
        what = f"{self.limit.text} ({show(self.limit.amount, self.limit.unit)})"
        if self.level >= self.limit.amount:
            return f"{what} is reached"
        if self.is_never:
            soonest = f"{_said(self.soonest_s)} at the soonest"
            return f"{what} is not reached within {_said(self.horizon_s)}: {soonest}"
        if not math.isfinite(self.in_s):
            return f"{what} may be reached in {_said(self.soonest_s)} at the soonest, or never"
        latest = _said(self.latest_s) if math.isfinite(self.latest_s) else "never"
        return f"{what} is reached in {_said(self.in_s)} (95 % {_said(self.soonest_s)} to {latest})"


def forecast(limit: Limit, level: float, a_second: Slope, horizon_s: float = HORIZON_S) -> Forecast:
    """When a level that grows by so much a second reaches a limit.

    level: now. Times are to be read as: if the load goes on as it was, and growth does.
    Raises ValueError for a limit or level that is no number.
    """
    if math.isnan(limit.amount) or math.isnan(level):
        raise ValueError("a limit and a level are numbers")
    room = max(0.0, limit.amount - level)

    def until(slope: float) -> float:
        if room == 0:
            return 0.0
        return room / slope if slope > 0 else math.inf

    return Forecast(limit, level, until(a_second.value), until(a_second.high), until(a_second.low), horizon_s)


def first(forecasts: list[Forecast]) -> Forecast | None:
    """The one that comes first; None where there is none."""
    return min(forecasts, key=lambda one: (one.in_s, one.soonest_s), default=None)


def _said(seconds: float) -> str:
    """A duration as read, from two days on in days."""
    if seconds >= 2 * DAY_S and math.isfinite(seconds):
        days = seconds / DAY_S
        return f"{days:,.0f} days" if days >= 10 else f"{days:.1f} days"
    return show_duration(seconds)
