"""Arrivals: when requests become due, by users that wait for answers or by a schedule that does not.

What depends on the kind of a load is asked of these classes, by its meaning: whether it ends by itself,
whether answers set its pace, whose the requests are. They also declare what may be written, see plan.model.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

from loadrig.base.shape import Forms, option
from loadrig.base.units import ROUNDING, Count, PerSecond, Seconds, Share

Line = list[list[float]]
"""Points [[t_s, level], …]: linear between points, a step where two times are equal, then held."""

CLOSED = ("users", "saturate")
"""Models, as recorded, in which answers set the pace of the requests: a slow server is asked less."""


CONNECTIONS_SATURATE = 10
"""Number of connections for `rate: 0`: Vegeta's number of workers to start with."""


MOST_USERS = 10_000_000
"""Users at most, as connections: ten times the files that Linux lets a process open unless told otherwise."""

MOST_STEPS = 10_000
"""Levels of a stair at most. Nobody looks at more of them; a straight line is a stage."""


@dataclass(frozen=True, slots=True)
class LoadStage:
    """A straight line from the level before to `to`, taking `over`; then held for `hold`."""

    to: float = option("Level at the end of the stage.", low=0, high=MOST_USERS, example="100")
    over: Seconds = option("Time to get there; 0 is a step.", default=Seconds(0.0))
    hold: Seconds = option("Time to stay there.", default=Seconds(0.0))


@dataclass(frozen=True, slots=True)
class RateStage(LoadStage):
    """A stage whose level is a rate."""

    to: PerSecond = option("Rate at the end of the stage.", example="100/1s")


class _Arrivals:
    """Questions that arrivals of any kind answer. Without stages or steps they hold one level."""

    __slots__ = ()

    visitor: ClassVar[Literal["user", "session", "arrival"]] = "arrival"
    """Whoever has cookies, variables and WebSockets of its own."""

    stages: Sequence[LoadStage] = ()
    start: float | None = None
    add: float | None = None
    every: Seconds | None = None
    until: float | None = None

    @property
    def level(self) -> float | None:
        """Level that is held; None for one that changes, and for a list of times."""
        return None

    @property
    def is_unpaced(self) -> bool:
        """Whether each connection asks again as soon as it is answered, without users or a rate."""
        return False

    @property
    def most_identities(self) -> float:
        """Greatest number of users with cookies and tokens of their own; inf where new ones come."""
        return 1

    @property
    def model(self) -> str:
        """Name as recorded: users, rate, sessions, replay, or saturate for a load that is unpaced."""
        return "saturate" if self.is_unpaced else type(self).__name__.lower()

    @property
    def is_closed(self) -> bool:
        """Whether requests wait for answers: then a slow server is asked less."""
        return self.model in CLOSED

    @property
    def has_users(self) -> bool:
        """Whether the level is a number of users, each of whom stays and asks again."""
        return self.visitor == "user"

    @property
    def unit(self) -> Literal["users", "1/s"]:
        """Unit of the level."""
        return "users" if self.has_users else "1/s"

    @property
    def ends_itself(self) -> bool:
        """Whether the load is over at some time without a limit: with its stages, its steps or its list."""
        return self.level is None

    @property
    def steps(self) -> list[float]:
        """Levels of steps, the last one too; empty without steps."""
        if self.start is None:
            return []
        start, add = float(self.start), float(self.add or 0)
        last = float(self.until) if self.until is not None else start
        levels = [start]
        while add > 0 and levels[-1] + ROUNDING < last:
            levels.append(min(levels[-1] + add, last))
        while add < 0 and levels[-1] - ROUNDING > last:
            levels.append(max(levels[-1] + add, last))
        return levels

    @property
    def step_count(self) -> float:
        """Number of levels of steps, told without making them; 0 without steps."""
        if self.start is None:
            return 0
        way, add = (self.start if self.until is None else self.until) - self.start, self.add or 0
        return 1 + math.ceil(way / add) if way * add > 0 else 1

    @property
    def line(self) -> Line:
        """Users, requests a second or sessions a second over time; 0 for a list of times, which has none."""
        if self.stages:
            return _staged(self.stages)
        every_s = float(self.every or 0)
        line: Line = []
        for step, level in enumerate(self.steps):
            if line:
                line.append([step * every_s, line[-1][1]])
            line.append([step * every_s, level])
        return line or [[0.0, float(self.level or 0)]]

    @property
    def first_level(self) -> float:
        """Level at the beginning."""
        return self.line[0][1]

    @property
    def length_s(self) -> float | None:
        """Length of the plan's own schedule in seconds; None where it has no end, or only its times tell."""
        if self.stages:
            return sum(stage.over + stage.hold for stage in self.stages)
        # Every level, the last one too, is held for `every`.
        return len(self.steps) * float(self.every or 0) if self.steps else None


@dataclass(frozen=True, slots=True)
class Users(_Arrivals):
    """Closed model: each user waits for the answer, thinks, and asks again."""

    SHORT = "count"
    FORMS: ClassVar[Forms] = {"number": (("count",), ("start", "add", "every", "until"), ("stages",))}
    visitor = "user"
    count: Count | None = option(
        "A constant number of users.", default=None, low=1, high=MOST_USERS, example="50"
    )
    start: Count | None = option("Steps: users at the start.", default=None, high=MOST_USERS)
    add: Count | None = option("Steps: users added each time.", default=None, high=MOST_USERS)
    every: Seconds | None = option("Steps: time between additions.", default=None)
    until: Count | None = option("Steps: the last number of users.", default=None, high=MOST_USERS)
    stages: tuple[LoadStage, ...] = option(
        "Ramps and steps, one after the other.", default=(), example="[{to: 100, over: 30s, hold: 1m}]"
    )

    @property
    def level(self) -> Count | None:
        """Number of users that is held; None for one that changes."""
        return self.count

    @property
    def most_identities(self) -> int:
        """Greatest number of users."""
        levels = (self.count or 0, self.start or 0, self.until or 0, *(stage.to for stage in self.stages))
        return int(max(levels))

    def halved(self) -> "Users":
        """Return half of the users, of a constant number rounded down; halves of steps become stages."""
        if self.count is not None:
            return Users(count=Count(self.count // 2))
        steps = (LoadStage(level, hold=self.every or Seconds(0.0)) for level in self.steps)
        return Users(stages=tuple(replace(stage, to=stage.to / 2) for stage in self.stages or steps))


@dataclass(frozen=True, slots=True)
class Rate(_Arrivals):
    """Open model: requests are due at their own times, answered or not."""

    SHORT = "per_second"
    FORMS: ClassVar[Forms] = {"rate": (("rate",), ("start", "add", "every", "until"), ("stages",))}
    per_second: PerSecond | None = option(
        "Requests per second; 0 means as fast as the connections allow.",
        default=None, key="rate", example="1000/1s",
    )  # fmt: skip
    arrivals: Literal["poisson", "constant"] = option(
        "Random (exponential gaps) or evenly spaced arrivals.", default="poisson"
    )
    start: PerSecond | None = option("Steps: rate at the start.", default=None)
    add: PerSecond | None = option("Steps: rate added each time.", default=None)
    every: Seconds | None = option("Steps: time between additions.", default=None)
    until: PerSecond | None = option("Steps: the last rate.", default=None)
    stages: tuple[RateStage, ...] = option(
        "Ramps and steps, one after the other.", default=(), example="[{to: 1000/1s, over: 30s, hold: 1m}]"
    )
    identities: Count = option(
        "How many users (cookies, tokens, variables) the requests are shared out to, in turn.",
        default=Count(1), low=1,
    )  # fmt: skip

    @property
    def is_unpaced(self) -> bool:
        """Whether each connection asks again as soon as it is answered: `rate: 0`."""
        return not self.stages and self.start is None and not self.per_second

    @property
    def level(self) -> PerSecond | None:
        """Requests a second that are held; None for a rate that changes."""
        return self.per_second

    @property
    def most_identities(self) -> int:
        """Number of users to whom the requests are shared out."""
        return self.identities

    def halved(self) -> "Rate":
        """Return half of the rate at every time."""
        return replace(
            self,
            per_second=_half(self.per_second),
            start=_half(self.start),
            add=_half(self.add),
            until=_half(self.until),
            stages=_half_stages(self.stages),
        )


@dataclass(frozen=True, slots=True)
class Sessions(_Arrivals):
    """Partly open model: users arrive at a rate, make several requests, and leave."""

    SHORT = "per_second"
    FORMS: ClassVar[Forms] = {"rate": (("rate",), ("stages",)), "length": (("requests",), ("stay",))}
    visitor = "session"
    per_second: PerSecond | None = option("Sessions per second.", default=None, key="rate", example="10/1s")
    requests: Count | None = option(
        "Loops through the scenario in each session; else `stay` decides.", default=None, low=1
    )
    stay: Share | None = option(
        "Probability of another loop after each one (a geometric number of loops).",
        default=None, example="0.8",
    )  # fmt: skip
    arrivals: Literal["poisson", "constant"] = option(
        "Random (exponential gaps) or evenly spaced arrivals.", default="poisson"
    )
    stages: tuple[RateStage, ...] = option(
        "Ramps and steps of the arrival rate.", default=(), example="[{to: 20/1s, over: 30s, hold: 1m}]"
    )

    @property
    def level(self) -> PerSecond | None:
        """Sessions a second that are held; None for a rate that changes."""
        return self.per_second

    @property
    def most_identities(self) -> float:
        """Endless: each session is a user of its own."""
        return math.inf

    def halved(self) -> "Sessions":
        """Return half of the sessions at every time."""
        return replace(self, per_second=_half(self.per_second), stages=_half_stages(self.stages))


@dataclass(frozen=True, slots=True)
class Replay(_Arrivals):
    """Open model: requests are due at the times of a list, drawn by weight or as the list names them."""

    SHORT = "times"
    times: str = option(
        "File with one time a line, in seconds from the first; increasing. Or NAME.csv, a table with the "
        "columns `time` and `scenario`: the scenario, or the request, that is due then, by its name.",
        example="times.txt",
    )
    speed: float = option("2 replays twice as fast.", default=1.0, low=0.001)

    @property
    def is_table(self) -> bool:
        """Whether the list names the scenario of each time, so that weights decide nothing."""
        return self.times.lower().endswith(".csv")

    def halved(self) -> "Replay":
        """Return the same requests in twice the time."""
        return replace(self, speed=self.speed / 2)


Arrivals = Users | Rate | Sessions | Replay


def _staged(stages: Sequence[LoadStage]) -> Line:
    line: Line = [[0.0, 0.0 if stages[0].over else stages[0].to]]
    now, level = 0.0, line[0][1]
    for stage in stages:
        if stage.over:
            now += stage.over
        elif stage.to != level:
            line.append([now, stage.to])
        level = stage.to
        if line[-1] != [now, level]:
            line.append([now, level])
        if stage.hold:
            now += stage.hold
            line.append([now, level])
    return line


def _half(rate: PerSecond | None) -> PerSecond | None:
    return None if rate is None else PerSecond(rate / 2)


def _half_stages(stages: Sequence[RateStage]) -> tuple[RateStage, ...]:
    return tuple(replace(stage, to=PerSecond(stage.to / 2)) for stage in stages)
