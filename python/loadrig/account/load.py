"""The load's side of an account: steps of time, and what requests ended and waited in each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from loadrig.account.occupancy import occupied_s
from loadrig.account.source import AccountSource
from loadrig.base.later import Later
from loadrig.recording.frame import Frame
from loadrig.recording.steps import NS, Bools, Edges, Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

STEP_NS = NS
"""Length of a step, in nanoseconds: one second, as probes read once a second."""

FEWEST_STEPS = 12
"""Least number of steps in the measured part, where frames are short enough: intervals need them."""

MOST_STEPS = 240
"""Largest number of steps. Each costs a few milliseconds of histograms, and more steps narrow no interval."""

QUEUE_SHARE = 0.05
"""Share of the requests in flight, 0 to 1. Above it the generator's queue is told by its length."""

CLASSES = ("service", "login")


@dataclass(frozen=True, eq=False)
class LoadSeries:
    """The load by step. Arrays are float64[n], one value a step.

    edges_ns: int64[n + 1]. seconds: lengths, above zero. completed: requests that ended, however, a second.
    in_flight: mean number of requests due and not ended. generator, connecting: of these, the mean number
    that the generator had not sent yet, and whose connection was being opened. planned: level that was asked
    for. is_measured: steps of the measured window. due: requests that became due, a second; None where that
    was not told. model: arrival model of the load, such as "users" or "rate". is_of_levels: steps whose
    levels may be laid beside each other, the measured ones where None; of a search all, as it measures one
    level.
    """

    edges_ns: Edges
    seconds: Floats
    completed: Floats
    in_flight: Floats
    generator: Floats
    connecting: Floats
    planned: Floats
    is_measured: Bools
    due: "Floats | None" = None
    model: str = "users"
    is_of_levels: "Bools | None" = None


def load_of(recording: AccountSource, cuts_ns: Iterable[int] = ()) -> LoadSeries | None:
    """Return the load of a recording; None where no request of the measured window ended.

    cuts_ns: instants between which a step lies, as long as it may be; without them steps are a second, or
    longer in a long recording.
    Results of another tool have no account: such a tool says nothing of itself.
    """
    frames = [frame for frame in recording.frames if frame.len_ns > 0]
    if not frames or recording.imported:
        return None
    bounds = list(_bounds(recording, frames, cuts_ns))
    edges_ns = np.array([frames[0].t_ns, *(frames[last - 1].end_ns for _, last in bounds)], dtype=np.int64)
    seconds = np.diff(edges_ns) / NS
    parts = [frames[first:last] for first, last in bounds]
    completed = np.array([sum(f.answered + f.failed for f in part) for part in parts], dtype=np.float64)
    is_measured = np.array([is_of_load(recording, part[-1]) for part in parts])
    if not completed[is_measured].sum():
        return None
    in_flight_s = np.array([sum(frame.in_flight_s for frame in part) for part in parts])
    connect_s = _seconds_of(recording, edges_ns, "connect")
    before_s = _seconds_of(recording, edges_ns, "response") - _seconds_of(recording, edges_ns, "service")
    waiting_s = np.maximum(0.0, before_s - connect_s)
    queued_s = np.array([_queued_s(part) for part in parts])
    inside = is_measured
    grows = queued_s[inside].sum() > max(2 * waiting_s[inside].sum(), QUEUE_SHARE * in_flight_s[inside].sum())
    return LoadSeries(
        edges_ns,
        seconds,
        completed / seconds,
        in_flight_s / seconds,
        # In a queue that grows, times of the requests that have left it are too short: most requests are
        # still in it.
        (queued_s if grows else waiting_s) / seconds,
        connect_s / seconds,
        np.array([sum(f.planned * f.len_ns for f in part) / sum(f.len_ns for f in part) for part in parts]),
        is_measured,
        np.array([sum(f.due for f in part) for part in parts]) / seconds,
        str(recording.manifest.load.model),
        np.ones(seconds.size, dtype=np.bool_) if _is_steered(recording) else None,
    )


def is_of_load(recording: AccountSource, frame: Frame) -> bool:
    """Return whether a frame is of the measured window and began before the plan's schedule was over.

    A schedule of stages is measured whole, until the last answer is there. While only the last answers are
    waited for no load runs, and a few requests that wait long would dominate the account.
    """
    if not recording.measured.holds(frame):
        return False
    after_s = recording.config.stop.after_s if recording.config else None
    start_ns = recording.manifest.start_ns
    return after_s is None or start_ns is None or frame.t_ns < start_ns + int(after_s * NS)


def _is_steered(recording: AccountSource) -> bool:
    """Return whether a search changed the load while it ran."""
    return any(event.kind == "level" for event in recording.events)


def _bounds(
    recording: AccountSource, frames: list[Frame], cuts_ns: Iterable[int]
) -> Iterator[tuple[int, int]]:
    """Return the first and last-plus-one frame of each step.

    No step crosses an end of the measured window.
    """
    measured = [is_of_load(recording, frame) for frame in frames]
    ends = [at for at in range(1, len(frames)) if measured[at] != measured[at - 1]]
    starts_ns = np.array([frame.t_ns for frame in frames], dtype=np.int64)
    asked = np.searchsorted(starts_ns, np.array(list(cuts_ns), dtype=np.int64)).tolist()
    cuts = sorted({0, *ends, *asked, len(frames)})
    if asked:
        yield from pairwise(cuts)
        return
    frame_ns = float(np.median([frame.len_ns for frame in frames]))
    count = max(1, sum(measured))
    a_step = max(1, min(round(STEP_NS / frame_ns), count // FEWEST_STEPS), -(-len(frames) // MOST_STEPS))
    for begin, end in pairwise(cuts):
        starts = list(range(begin, end, a_step))
        if len(starts) > 1 and end - starts[-1] <= a_step / 2:
            starts.pop()  # what is left over belongs to the step before
        yield from pairwise([*starts, end])


def _seconds_of(recording: AccountSource, edges: Edges, kind: str) -> Floats:
    """Return the seconds that passed in each step of all times of one kind."""
    total = np.zeros(edges.size - 1)
    # Each class by itself: a long recording keeps the sum of the service's routes apart.
    for route_class in CLASSES if kind in ("response", "service") else CLASSES[:1]:
        ended = recording.histograms([int(edge) for edge in edges], kind=kind, classes=(route_class,))
        total += occupied_s(ended, edges)
    return total


def _queued_s(frames: list[Frame]) -> float:
    """Return request-seconds in the generator's queue; a frame tells the queue's length at its end."""
    return sum(frame.queued * frame.len_ns for frame in frames) / NS
