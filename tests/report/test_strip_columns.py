"""Columns of what probes saw: the same as reading by reading, whatever was read."""

import math
from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.series import Series
from loadrig.report.strips import StripBand, _columns, _readings

STARTS, END_NS = [100, 200, 300, 400, 500], 600

Readings = list[tuple[int, float]]

readings = st.lists(
    st.tuples(st.integers(0, 700), st.integers(-50, 50).map(float) | st.just(math.nan)), max_size=30
).map(sorted)


def in_turn(band_readings: Readings) -> StripBand:
    """Each reading looked at by itself: slow, and plainly right."""
    cells: list[list[float]] = [[] for _ in STARTS]
    for t_ns, value in band_readings:
        fitting = [place for place, start in enumerate(STARTS) if start <= t_ns <= END_NS]
        if fitting and math.isfinite(value):
            cells[fitting[-1]].append(value)
    for before, after in pairwise([place for place, cell in enumerate(cells) if cell]):
        for between in range(before + 1, after):
            cells[between] = cells[before][-1:]
    means = tuple(sum(cell) / len(cell) if cell else None for cell in cells)
    return StripBand(
        means, *(tuple(extreme(cell) if cell else None for cell in cells) for extreme in (min, max))
    )


def series(band_readings: Readings, kind: str = "gauge") -> Series:
    return Series(
        np.array([t_ns for t_ns, _ in band_readings], np.int64),
        np.array([value for _, value in band_readings]),
        "1",
        kind,
    )


@given(readings)
def test_columns_hold_what_was_read_in_them(band_readings: Readings) -> None:
    readings = series(band_readings)
    band, wanted = _columns(readings.t_ns, readings.value, STARTS, END_NS), in_turn(band_readings)
    assert (band.low, band.high) == (wanted.low, wanted.high)
    assert [v is None for v in band.mean] == [v is None for v in wanted.mean]
    assert np.allclose([v or 0.0 for v in band.mean], [v or 0.0 for v in wanted.mean])


def test_a_counter_that_was_reset_has_no_rate_there() -> None:
    t_ns, rates = _readings(
        series([(0, 5.0), (10**9, 7.0), (2 * 10**9, 1.0), (2 * 10**9, 2.0), (4 * 10**9, 8.0)], "counter")
    )
    assert t_ns.tolist() == [10**9, 4 * 10**9]
    assert rates.tolist() == [2.0, 3.0]
