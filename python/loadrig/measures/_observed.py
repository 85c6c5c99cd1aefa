"""Readings of probes within the measured window, for measures that rest on them."""

from typing import TYPE_CHECKING

from loadrig.base.component import SERVER
from loadrig.base.later import Later
from loadrig.base.series import Series
from loadrig.measures._steps import Floats, rate, steps
from loadrig.recording.reader import Recording

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")


def one_series(recording: Recording, probe: str, metric: str, subject: str) -> Series | None:
    """Return the series of one metric of one subject of the server; None if it was not observed."""
    return next(iter(recording.series(probe, metric, subject, SERVER).values()), None)


def in_window(
    recording: Recording, probe: str, metric: str, subject: str | None, component: str = SERVER
) -> Floats:
    """Return the finite readings taken in the measured window, in order of time; empty where there are none.

    subject: None stands for all of them.
    """
    window = recording.measured
    every = list(recording.series(probe, metric, subject, component).values())
    if not every:
        return np.empty(0)
    t_ns = np.concatenate([series.t_ns for series in every])
    values = np.concatenate([series.value for series in every])
    inside = (t_ns > window.from_ns) & (t_ns <= window.to_ns) & np.isfinite(values)
    readings: Floats = values[inside][np.argsort(t_ns[inside], kind="stable")]
    return readings


def cpu_by_step(recording: Recording) -> tuple[Floats, slice] | None:
    """Return CPU seconds of the server's tree in each step of the window, and which steps those are.

    Readings and frames do not fall on the same instants: between two readings the use is taken as
    even. Steps before the first or after the last reading are left out. None with fewer than two
    readings, or where no whole step lies between them.
    """
    series = one_series(recording, "process", "cpu_s", "tree")
    if series is None or series.t_ns.size < 2:
        return None
    edges = np.array(steps(recording).edges_ns)
    covered = np.flatnonzero((edges >= series.t_ns[0]) & (edges <= series.t_ns[-1]))
    if covered.size < 2:
        return None
    first, last = int(covered[0]), int(covered[-1])
    # A counter may stand still or grow; where it seems to fall (a dead worker's time not yet with its
    # parent) nothing is known but that it did not shrink.
    total = np.maximum.accumulate(series.value)
    at_edges = np.interp(edges[first : last + 1], series.t_ns, total)
    return np.diff(at_edges), slice(first, last)


def per_answer(amounts: Floats, answered: Floats) -> tuple[float, float | None, float | None]:
    """Return an amount for each answer with its 95 % interval, from what each step had of both.

    amounts, answered: one each of a step; at least one answer. The interval is None where answers lie in
    fewer than three steps. The amount of a step without an answer belongs to the answers before it, that of
    the first steps to the answers after them.
    """
    starts = np.flatnonzero(answered)
    if starts.size < 3:
        return float(amounts.sum() / answered.sum()), None, None
    starts[0] = 0
    return rate(np.add.reduceat(amounts, starts), answered[answered > 0])
