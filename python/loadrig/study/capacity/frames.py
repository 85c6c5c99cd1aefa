"""Ticks from the generator's frames: as they come while load runs, and the same again from a recording."""

from collections.abc import Callable, Iterator

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.recording.frame import LAG, Frame
from loadrig.recording.hlog import Tag
from loadrig.recording.reader import Recording
from loadrig.study.capacity.goals import Goals, ShareGoal
from loadrig.study.capacity.tick import Count, Tick

LONGEST_NS = 3_600 * NS

BUSY_MOST = 0.95
LAG_MOST_NS = 25_000_000
"""Limits beyond which the generator does not offer what it was asked to: busy share, and p99 of its lag in
ns.
Check G2 would be lost in such a search."""

FEWEST_LAGS = 20

Late = Callable[[ShareGoal], Count]
"""Function from a goal to the good answers of a frame that came too late for it, and all good answers."""


def tick(frame: Frame, goals: Goals) -> Tick:
    """Return what a frame says as it comes, as a tick."""

    def late(goal: ShareGoal) -> Count:
        kind = "service" if goal.is_service else "response"
        tags = [
            Tag(row.route, "ok", kind)
            for row in frame.routes
            if row.outcome == "ok" and _is_of(goal, row.route, row.route_class)
        ]
        return _added(_late(frame.histogram(tag), goal) for tag in tags)

    return _tick(frame, frame.histogram(LAG), goals, late)


def recorded(recording: Recording, goals: Goals) -> Iterator[tuple[Frame, Tick]]:
    """Yield each recorded frame, and the tick that it was as it came."""
    for frame in recording.frames:

        def late(goal: ShareGoal, frame: Frame = frame) -> Count:
            kind = "service" if goal.is_service else "response"
            return _late(_histogram(recording, frame, kind, goal.route), goal)

        yield frame, _tick(frame, _histogram(recording, frame, "lag", None), goals, late)


def _histogram(recording: Recording, frame: Frame, kind: str, route: str | None) -> Histogram:
    # A window of a frame begins where the frame before it ended.
    classes = ("service",) if route is None else ("service", "login")
    return recording.histogram(route, "ok", kind, frame.end_ns - 1, frame.end_ns, classes)


def _tick(frame: Frame, lag: Histogram, goals: Goals, late: Late) -> Tick:
    good = done = 0
    for row in frame.routes:
        if row.route_class == "service":
            done += row.count
            good += row.count if row.outcome == "ok" else 0
    unsent = frame.unsent
    return Tick(
        seconds=frame.len_ns / NS,
        due=frame.due,
        done=done + unsent,
        good=good,
        failed=done - good + unsent,
        counts=tuple(
            late(goal) if goal.limit_s is not None else _failed(frame, goal) for goal in goals.shares
        ),
        in_flight=frame.in_flight,
        is_held_back=_is_held_back(frame, lag),
    )


def _failed(frame: Frame, goal: ShareGoal) -> Count:
    rows = [row for row in frame.routes if _is_of(goal, row.route, row.route_class)]
    ended = sum(row.count for row in rows)
    bad = sum(row.count for row in rows if row.outcome != "ok")
    # A request that was never sent has no route; it failed all the same.
    unsent = frame.unsent if goal.route is None else 0
    return Count(bad + unsent, ended + unsent)


def _is_of(goal: ShareGoal, route: str, route_class: str) -> bool:
    return route == goal.route if goal.route is not None else route_class == "service"


def _late(histogram: Histogram, goal: ShareGoal) -> Count:
    assert goal.limit_s is not None
    return Count(histogram.count_between(int(goal.limit_s * NS) + 1, LONGEST_NS), histogram.count)


def _added(counts: Iterator[Count]) -> Count:
    every = list(counts)
    return Count(sum(count.hits for count in every), sum(count.total for count in every))


def _is_held_back(frame: Frame, lag: Histogram) -> bool:
    """Return whether this frame says more of the generator than of the server."""
    busiest = max((thread.busy_share for thread in frame.threads), default=0.0)
    lag_ns = lag.quantile_ns(0.99) if lag.count >= FEWEST_LAGS else 0
    return busiest > BUSY_MOST or lag_ns > LAG_MOST_NS
