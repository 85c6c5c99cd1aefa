"""Tests of what the length of a line tells of the level at which answers become late."""

import math

import numpy as np
import pytest

from loadrig.stats.intervals import Interval
from loadrig.stats.threshold import weighted_quantile
from loadrig.study.capacity.goals import ShareGoal
from loadrig.study.capacity.probe import DoneProbe
from loadrig.study.capacity.tick import Count, LevelWindow
from loadrig.study.capacity.waits import WRONG, QueueLine, line_of
from tests.study.capacity.fakes import ERRORS

MU, BASE_S = 1_000.0, 0.001
LATE = ShareGoal("p99 < 50ms", 0.01, 0.05)
LEVELS = np.geomspace(600.0, 1_020.0, 400)


def service_rate(value: float = MU) -> Interval:
    return Interval(value, 0.99 * value, 1.01 * value, 0.95, 20, 20.0)


def probe(level: float, waiting: float, seconds: float = 10.0, failed: int = 0) -> DoneProbe:
    """With so many in line on average, beyond those that are served."""
    done = round(level * seconds)
    window = LevelWindow(
        seconds, done, done, done - failed, failed, (Count(0, done),), waiting + BASE_S * level
    )
    return DoneProbe("search", level, 30.0, 1.0, window, "open", "meets", 0.5, False, "", ())


def of_one_place(level: float) -> float:
    """M/M/1: how many wait at this level."""
    use = level / MU
    return use * use / (1 - use)


def foreseen(*probes: DoneProbe) -> tuple[float, float, float]:
    """Quantiles of the limit: the middle, and one standard deviation on either side."""
    line = line_of(probes, [service_rate()], BASE_S)
    assert line is not None
    weights = line.foreseen(LEVELS, LATE)
    assert weights is not None
    low, middle, high = (weighted_quantile(LEVELS, weights, share) for share in (0.16, 0.5, 0.84))
    return low, middle, high


def test_one_place_is_late_where_the_formula_says() -> None:
    low, middle, high = foreseen(*(probe(level, of_one_place(level)) for level in (870.0, 890.0, 910.0)))
    # M/M/1: P(R > L) = exp(-(mu - lambda) L), exactly. A tenth of the room is left to be on the safe side.
    true = MU - math.log(100) / 0.05
    assert middle == pytest.approx(MU - 1.1 * (MU - true), rel=0.01)
    assert low < true < high


def test_the_more_of_the_line_was_seen_the_narrower_it_is() -> None:
    few = foreseen(probe(900.0, of_one_place(900.0), 3.0))
    many = foreseen(*(probe(level, of_one_place(level), 20.0) for level in (870.0, 890.0, 910.0, 920.0)))
    assert math.log(many[2] / many[0]) < math.log(few[2] / few[0])


def test_a_line_twice_as_long_is_late_at_a_lower_level() -> None:
    once = foreseen(probe(900.0, of_one_place(900.0)), probe(880.0, of_one_place(880.0)))
    twice = foreseen(probe(900.0, 2 * of_one_place(900.0)), probe(880.0, 2 * of_one_place(880.0)))
    assert twice[1] < once[1] - 20


def test_what_it_foresees_is_never_certain() -> None:
    line = QueueLine((service_rate(),), BASE_S, (probe(900.0, 9.0),))
    weights = line.foreseen(LEVELS, LATE)
    assert weights is not None
    assert weights.sum() == pytest.approx(1.0)
    assert weights.min() >= WRONG / LEVELS.size


def test_nothing_is_foreseen_of_errors_of_a_route_or_of_a_limit_that_no_answer_keeps() -> None:
    line = QueueLine((service_rate(),), BASE_S, ())
    assert line.foreseen(LEVELS, ERRORS) is None
    assert line.foreseen(LEVELS, ShareGoal("p99{a} < 50ms", 0.01, 0.05, "a")) is None
    assert line.foreseen(LEVELS, ShareGoal("p99 < 1ms", 0.01, 0.0005)) is None
    assert QueueLine((), BASE_S, ()).foreseen(LEVELS, LATE) is None
    assert line_of([probe(900.0, 9.0)], [], BASE_S) is None


def test_levels_far_below_saturation_and_windows_full_of_errors_tell_nothing_of_the_line() -> None:
    far, failing, short = probe(300.0, 0.1), probe(900.0, 9.0, failed=900), probe(900.0, 9.0, seconds=0.5)
    line = line_of([far, failing, short, probe(890.0, 8.0)], [service_rate()], BASE_S)
    assert line is not None
    assert [probe.level for probe in line.probes] == [890.0]
