"""Restarts of workers as a fact: groups, reasons, and the arithmetic of their number of requests."""

import pytest

from loadrig.judgement.facts.restarts import Restarts, restarts_of
from loadrig.testing.cases import ACase

EVERY_S = 10
"""Seconds between the groups of the restarts that are built here."""


def restarts(reasons: tuple[str, ...] = ("recycled", "recycled"), apart_s: float = 0.1) -> Restarts | None:
    """Return the restarts of two workers, begun every ten seconds, ended for these reasons."""
    case = ACase(seconds=40, users=20, ok=100.0, latency_s=0.02)
    case.tier("server", kind="gunicorn", workers=2, settings={"--max-requests": "500"})
    for at in range(5, 40, EVERY_S):
        for worker, reason in enumerate(reasons):
            case.event(at + apart_s * worker, "worker_died", "server", reason=reason)
            case.event(at + 0.5 + apart_s * worker, "worker_born", "server")
    return restarts_of(case.build().server)


def test_a_program_without_births_has_no_restarts() -> None:
    assert restarts(reasons=()) is None


def test_workers_that_begin_together_are_a_group() -> None:
    together = restarts()
    assert together is not None
    assert [len(group) for group in together.groups] == [2, 2, 2, 2]
    assert together.in_step_share == 1
    assert together.are_in_step
    assert together.life_s == pytest.approx(EVERY_S)


def test_workers_that_begin_one_after_the_other_are_not_in_step() -> None:
    apart = restarts(apart_s=4.0)
    assert apart is not None
    assert len(apart.groups) == len(apart.births)
    assert not apart.are_in_step


@pytest.mark.parametrize(
    ("reasons", "are_recycled", "stated"),
    [
        (("recycled", "recycled"), True, {"recycled": 8}),
        (("recycled", "unknown"), True, {"recycled": 4}),
        (("recycled", "timed_out"), False, {"recycled": 4, "timed_out": 4}),
        (("exited", ""), False, {}),
    ],
)
def test_most_of_the_stated_reasons_decide(
    reasons: tuple[str, str], are_recycled: bool, stated: dict[str, int]
) -> None:
    ended = restarts(reasons)
    assert ended is not None
    assert ended.ended == 8
    assert ended.reasons == stated
    assert ended.are_recycled is are_recycled


def test_the_arithmetic_is_told_where_groups_come_as_it_says() -> None:
    """Take 500 requests of 2 workers at 100 a second: 10 s, as the groups come."""
    in_time, apart = restarts(), restarts(apart_s=4.0)
    assert in_time is not None
    assert apart is not None
    assert "10" in in_time.arithmetic
    assert apart.arithmetic == ""
