"""The measured window cut into the generator's own intervals, and what ended in each."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from loadrig.base.clock import NS
from loadrig.base.later import Later
from loadrig.language.choice import texts_of
from loadrig.language.en.measures import MeasuresStepsTexts
from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
else:
    np = Later("numpy")

TEXTS = texts_of(MeasuresStepsTexts)

Floats: TypeAlias = "NDArray[np.float64]"

SERVICE = ("service",)
ALL_CLASSES = ("service", "login")

ANSWERS = frozenset(("ok", "http_3xx", "http_4xx", "http_5xx", "check_failed", "grpc_error"))
"""Outcomes of requests that got an answer, as it should be or not."""


def classes(route: str | None) -> tuple[str, ...]:
    """Return the classes of requests that count: the service's, and a login's that is asked for by name."""
    return SERVICE if route is None else ALL_CLASSES


def is_known(recording: Recording, route: str | None) -> bool:
    """Return whether anything of this route ended in the recording; None (all routes) is always known."""
    return route is None or route in recording.classes


def tells_outcomes(recording: Recording) -> bool:
    """Return whether it is told how requests ended: some results of other tools leave that open."""
    return recording.imported is None or recording.imported.has_outcomes


@dataclass(frozen=True, slots=True)
class WindowSteps:
    """The window's intervals. edges_ns: n + 1 of them; seconds: float64[n], each above zero.

    ok, not_ok: requests that ended well, and in any other way; answered: with any HTTP answer.
    due, unsent: of all classes and routes, as the generator does not tell them apart before their end.
    """

    edges_ns: tuple[int, ...]
    seconds: Floats
    ok: Floats
    not_ok: Floats
    answered: Floats
    due: Floats
    unsent: Floats

    @property
    def n(self) -> int:
        """Number of intervals."""
        return int(self.seconds.size)


def steps(recording: Recording, route: str | None = None) -> WindowSteps:
    """Return the frames of the measured window; a frame of no length is counted with the one before it."""
    return recording.remembered(("measures.steps", route), lambda: _steps(recording, route))


def _steps(recording: Recording, route: str | None) -> WindowSteps:
    edges = [recording.measured.from_ns]
    rows: list[list[float]] = []
    for frame in recording.inside:
        row = [frame.len_ns / NS, *_ended(frame, route), frame.due, frame.unsent]
        if frame.len_ns > 0 or not rows:
            edges.append(frame.end_ns)
            rows.append(row)
        else:
            edges[-1] = frame.end_ns
            rows[-1] = [a + b for a, b in zip(rows[-1], row, strict=True)]
    if rows and rows[0][0] == 0 and len(rows) > 1:  # a first frame of no length
        first = rows.pop(0)
        del edges[1]
        rows[0] = [a + b for a, b in zip(first, rows[0], strict=True)]
    columns = np.array([row for row in rows if row[0] > 0], dtype=np.float64).reshape(-1, 6).T
    return WindowSteps(tuple(edges), *columns)


def _ended(frame: Frame, route: str | None) -> tuple[int, int, int]:
    """Return the requests that ended well, in any other way, and with any HTTP answer."""
    wanted = classes(route)
    rows = [row for row in frame.routes if row.route_class in wanted and route in (None, row.route)]
    ok = sum(row.count for row in rows if row.outcome == "ok")
    answered = sum(row.count for row in rows if row.outcome in ANSWERS)
    return ok, sum(row.count for row in rows) - ok, answered


def rate(counts: Floats, seconds: Floats) -> tuple[float, float | None, float | None]:
    """Estimate events per second with the 95 % interval, from batch means over the intervals."""
    # Not imported at the top of any measure: with scipy it takes a second, and a plan that is only checked
    # asks measures for no more than their units.
    from loadrig.stats.intervals import rate_interval

    interval = rate_interval(counts, seconds)
    return interval.value, interval.low, interval.high


def few(n: int) -> tuple[str, ...]:
    """Return the sentence for a window with so few intervals that its own variation is not known."""
    if n >= 3:
        return ()
    return (TEXTS.measured_window_has(str(n), n == 1),)


def no_interval(what: str) -> str:
    """Return the sentence for a value whose interval cannot be known from so little."""
    return TEXTS.lie_fewer_than(what)
