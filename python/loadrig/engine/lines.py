"""Arrivals as piecewise-linear levels over time, which is how the generator wants them."""

from loadrig.plan.model import Arrivals, LoadStage, Rate, Replay, Sessions, Users

Line = list[list[float]]
"""Points [[t_s, level], …]: linear between points, a step where two times are equal, then held."""


def line_of(arrivals: Users | Rate | Sessions) -> Line:
    """Return the level over time: users, requests per second or sessions per second."""
    if arrivals.stages:
        return _staged(arrivals.stages)
    if not isinstance(arrivals, Sessions) and arrivals.start is not None:
        return _stepped(arrivals)
    level = arrivals.count if isinstance(arrivals, Users) else arrivals.per_second
    return [[0.0, float(level or 0)]]


def length_s(arrivals: Arrivals) -> float | None:
    """Return how long the plan's own schedule lasts, in seconds.

    None where the level is constant, and for a list of times, which ends by itself.
    """
    if isinstance(arrivals, Replay):
        return None
    if arrivals.stages:
        return sum(stage.over + stage.hold for stage in arrivals.stages)
    if not isinstance(arrivals, Sessions) and arrivals.start is not None:
        # Every level, the last one too, is held for `every`.
        return len(_levels(arrivals)) * float(arrivals.every or 0)
    return None


def _staged(stages: tuple[LoadStage, ...]) -> Line:
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


def _levels(steps: Users | Rate) -> list[float]:
    start, add, until = float(steps.start or 0), float(steps.add or 0), steps.until
    last = float(until) if until is not None else start
    levels = [start]
    while add > 0 and levels[-1] + 1e-9 < last:
        levels.append(min(levels[-1] + add, last))
    while add < 0 and levels[-1] - 1e-9 > last:
        levels.append(max(levels[-1] + add, last))
    return levels


def _stepped(steps: Users | Rate) -> Line:
    every = float(steps.every or 0)
    line: Line = []
    for step, level in enumerate(_levels(steps)):
        if line:
            line.append([step * every, line[-1][1]])
        line.append([step * every, level])
    return line
