"""Forecast of when a growing level reaches its limit, with an interval, or that it does not in time."""

import math
from dataclasses import dataclass

from loadrig.base.units import show, show_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.soak import JudgementSoakForecastTexts
from loadrig.stats.slope import Slope

TEXTS = texts_of(JudgementSoakForecastTexts)

DAY_S = 86_400.0
HORIZON_S = 30 * DAY_S
"""Time within which a forecast matters, in seconds: most servers are started anew within a month."""


@dataclass(frozen=True, slots=True)
class GrowthLimit:
    """Limit of a level's growth.

    amount: in the level's unit. text: who sets the limit ("its memory limit").
    """

    amount: float
    text: str
    unit: str = "B"


@dataclass(frozen=True, slots=True)
class TimeToLimit:
    """Time until a limit is reached, in seconds from now, at the load of the run.

    level: level now. in_s: by the slope. soonest_s, latest_s: by the ends of the slope's interval; infinite
    where the level does not grow.
    """

    limit: GrowthLimit
    level: float
    in_s: float
    soonest_s: float
    latest_s: float

    @property
    def is_never(self) -> bool:
        """Return whether the limit is shown not to be reached within the horizon."""
        return self.soonest_s > HORIZON_S

    @property
    def text(self) -> str:
        """Return the forecast as one sentence."""
        what = f"{self.limit.text} ({show(self.limit.amount, self.limit.unit)})"
        if self.level >= self.limit.amount:
            return TEXTS.is_reached(what)
        if self.is_never:
            soonest = TEXTS.at_the_soonest(_in_days(self.soonest_s))
            return TEXTS.not_reached_within(what, _in_days(HORIZON_S), soonest)
        if not math.isfinite(self.in_s):
            return TEXTS.may_reached_soonest(what, _in_days(self.soonest_s))
        latest = _in_days(self.latest_s) if math.isfinite(self.latest_s) else TEXTS.never
        return TEXTS.is_reached_in(what, _in_days(self.in_s), _in_days(self.soonest_s), latest)


def forecast(limit: GrowthLimit, level: float, a_second: Slope) -> TimeToLimit:
    """Return when a growing level reaches a limit, if the load and the growth go on as they were.

    level: level now. a_second: growth a second.
    Raises ValueError for a limit or level that is no number.
    """
    if math.isnan(limit.amount) or math.isnan(level):
        raise ValueError("a limit and a level are numbers")
    room = max(0.0, limit.amount - level)

    def until(slope: float) -> float:
        if room == 0:
            return 0.0
        return room / slope if slope > 0 else math.inf

    return TimeToLimit(limit, level, until(a_second.value), until(a_second.high), until(a_second.low))


def _in_days(seconds: float) -> str:
    """Return a duration as text, from two days on in days."""
    if seconds >= 2 * DAY_S and math.isfinite(seconds):
        days = seconds / DAY_S
        return TEXTS.days(f"{days:,.0f}") if days >= 10 else TEXTS.days(f"{days:.1f}")
    return show_duration(seconds)
