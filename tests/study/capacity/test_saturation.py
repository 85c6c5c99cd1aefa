"""Tests of what can be answered at most, measured again as servers become warmer or break down."""

import math

import pytest

from loadrig.stats.intervals import Interval
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.saturation import Saturation
from tests.study.capacity.fakes import LATE
from tests.study.capacity.test_waits import probe


def around(value: float, half: float = 20.0) -> Interval:
    return Interval(value, value - half, value + half, 0.95, 20, 20.0)


def test_several_measurements_are_surer_than_each() -> None:
    saturation = Saturation()
    assert (saturation.value, saturation.ceiling) == (None, math.inf)
    saturation.add(around(1_000.0, 30.0), 10.0)
    saturation.add(around(1_020.0, 40.0), 50.0)
    assert saturation.mean is not None
    assert (saturation.value, saturation.mean.value) == (1_010.0, 1_010.0)
    assert saturation.mean.half_width == pytest.approx(25.0)
    assert saturation.ceiling == 1_060.0
    assert saturation.since_s == 0.0


def test_a_server_that_has_become_warmer_is_another_one() -> None:
    saturation = Saturation()
    saturation.add(around(950.0), 10.0)
    assert saturation.add(around(1_300.0), 40.0)
    assert saturation.value == pytest.approx(1_300.0)
    assert saturation.since_s == 40.0


def test_one_that_has_broken_down_says_nothing_of_what_it_can_do() -> None:
    saturation = Saturation()
    saturation.add(around(1_000.0), 10.0)
    assert not saturation.add(around(300.0), 50.0)
    assert not saturation.add(around(930.0), 60.0, throughput=960.0)
    assert saturation.value == pytest.approx(1_000.0)


def test_no_line_right_below_saturation_makes_it_doubtful() -> None:
    saturation, clusters = Saturation(), Clusters((LATE,))
    saturation.add(around(1_000.0), 10.0)
    clusters.saturation = 1_000.0
    # At 95 % of what can be answered at most eighteen wait in M/M/1; here nobody does.
    calm = probe(950.0, 0.0, 20.0)
    clusters.learn(950.0, (), calm.window)
    assert saturation.is_doubtful([calm], clusters)
    assert not saturation.is_doubtful([probe(700.0, 0.0)], clusters)
    busy = Clusters((LATE,))
    busy.saturation = 1_000.0
    busy.learn(950.0, (), probe(950.0, 18.0, 20.0).window)
    assert not saturation.is_doubtful([probe(950.0, 18.0)], busy)
