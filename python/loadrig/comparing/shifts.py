"""Shift of each quantile of the latency, over all routes and for each: counts from the recordings."""

from collections.abc import Sequence

import numpy as np

from loadrig.comparing.document import Kind, ShiftDocument, ShiftPoint
from loadrig.comparing.pairing import Pairing
from loadrig.comparing.side import Measured, Side
from loadrig.recording.reader import Recording
from loadrig.stats.shift import Table, shift_function

PER_DECADE = 200
"""Buckets for each factor of ten: 1.2 % wide; a quantile is read within its bucket."""

MOST_STEPS = 120
"""Most steps of a window; frames of a longer one are joined.
A bootstrap of hours of single seconds tells no more."""

MOST_ROUTES = 6
"""Most routes with a shift function of their own; if there are more, only all routes together have one."""


def shifts(a: Side, b: Side, pairing: Pairing) -> tuple[ShiftDocument, ...]:
    """Estimate the shift of all routes together, and of each common route if those are few.

    None is estimated without recordings.
    """
    if pairing.pairs:
        sides = [[trial for pair in pairing.pairs for trial in pair[place][:1]] for place in (0, 1)]
    else:
        sides = [list(side.usable) for side in (a, b)]
    if any(trial.recording is None for side in sides for trial in side):
        return ()
    # Where one side has only times from the send (service times), those of both sides are compared.
    kind: Kind = "service" if a.tool or b.tool else "response"
    common = [route for route in a.routes if route in b.routes]
    wanted: list[str | None] = [None, *(common if 1 < len(common) <= MOST_ROUTES else ())]
    route_shifts = [_shift(sides, route, kind, is_paired=bool(pairing.pairs)) for route in wanted]
    return tuple(shift for shift in route_shifts if shift is not None)


def _shift(
    sides: Sequence[Sequence[Measured]], route: str | None, kind: Kind, *, is_paired: bool
) -> ShiftDocument | None:
    counts = [[_buckets(trial, route, kind) for trial in side] for side in sides]
    lows = sorted({low for side in counts for steps in side for step in steps for low, _ in step})
    if len(lows) < 2 or any(not any(step for step in steps) for side in counts for steps in side):
        return None
    place = {low: number for number, low in enumerate(lows)}
    tables = [[_table(steps, place) for steps in side] for side in counts]
    values = np.asarray(lows, dtype=np.float64) / 1e9
    points = tuple(
        ShiftPoint(point.quantile, point.a, point.b, point.ratio, (point.low, point.high))
        for point in shift_function(tables[0], tables[1], values, is_paired=is_paired)
    )
    return ShiftDocument(route, kind, min(len(side) for side in sides) < 2, points)


def _buckets(trial: Measured, route: str | None, kind: str) -> list[list[tuple[float, int]]]:
    """Return the good answers of each step of the measured window, by the lower edge of a bucket in ns."""
    recording = trial.recording
    assert recording is not None
    classes = ("service",) if route is None else ("service", "login")
    return [
        [(low, n) for low, _, n in histogram.buckets(PER_DECADE)]
        for histogram in recording.histograms(_edges(recording), route, "ok", kind, classes)
    ]


def _edges(recording: Recording) -> list[int]:
    ends = [frame.end_ns for frame in recording.inside if frame.len_ns > 0]
    several = max(1, -(-len(ends) // MOST_STEPS))
    edges = ends[several - 1 :: several]
    rest = ends[-1:] if edges[-1:] != ends[-1:] else []
    return [recording.measured.from_ns, *edges, *rest]


def _table(steps: Sequence[Sequence[tuple[float, int]]], place: dict[float, int]) -> Table:
    table = np.zeros((len(steps), len(place)))
    for number, step in enumerate(steps):
        for low, n in step:
            table[number, place[low]] += n
    return table
