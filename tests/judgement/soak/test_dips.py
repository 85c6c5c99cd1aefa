"""Dips of hours that are told, and what comes with them."""

import numpy as np

from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import dips as findings
from loadrig.judgement.soak import dips
from loadrig.judgement.soak.verdict import SoakCounts, soak
from loadrig.testing.cases import ACase

SECONDS = 1_200
NOTHING = SoakCounts()


def dipping(depth: float, *, has_events: bool = True, width: int = 2) -> Case:
    """Return a dip every minute or so, at no regular time, each at the death of a worker."""
    rng = np.random.default_rng(4)
    good = 500 * (1 + rng.normal(0, 0.01, SECONDS))
    starts = np.cumsum(rng.integers(45, 110, 12))
    starts = starts[starts < SECONDS - 10]
    for start in starts:
        good[start : start + width] -= depth * 500
    case = ACase(seconds=SECONDS, users=50, ok=good, in_flight=np.full(SECONDS, 40.0))
    case.tier("server", kind="gunicorn", runtime="cpython", workers=4)
    for second in starts if has_events else ():
        case.event(float(second) + 0.2, "worker_died", "server")
    return case.build()


def test_dips_that_cost_little_are_told_where_each_has_its_event() -> None:
    case = dipping(0.2)
    all_dips = findings.of(case)
    assert all_dips is not None
    assert not all_dips.is_harm
    reported = dips.reported(case)
    assert reported is all_dips
    best = dips.beside(reported)
    assert best is not None
    assert best.stream.kind == "worker_died"
    answer = soak(case, NOTHING)
    assert answer.verdict == "dips"
    assert "throughput dipped" in answer.dips[0]


def test_without_an_event_so_little_is_nothing() -> None:
    assert dips.reported(dipping(0.2, has_events=False)) is None


def test_a_course_without_dips_has_none() -> None:
    assert dips.reported(dipping(0.0)) is None


def test_what_is_in_each_long_dip_is_beside_it() -> None:
    case = dipping(0.4, width=4)
    reported = dips.reported(case)
    assert reported is not None
    best = dips.beside(reported)
    assert best is not None
    assert best.stream.kind == "worker_died"
