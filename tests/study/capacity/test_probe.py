"""One level: it settles, is judged, ends at once where it overflows; and what is in flight drains."""

import pytest

from loadrig.plan.model import Goal
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.goals import Goals, split
from loadrig.study.capacity.probe import Drain, Probe
from loadrig.study.capacity.ramp import Ramp
from loadrig.study.capacity.tick import Count, Tick, added
from tests.study.capacity.fakes import ERRORS, GOALS, LATE, TICK_S, Formula


def tick(
    late: int = 0,
    in_flight: float = 5.0,
    is_held_back: bool = False,
) -> Tick:
    """250 answers in a quarter of a second."""
    counts = (Count(late, 250), Count(0, 250))
    return Tick(TICK_S, 250, 250, 250, 0, counts, in_flight, is_held_back)


def probe(goals: Goals = GOALS, most_s: float = 10.0, settles: bool = True) -> Probe:
    clusters = Clusters(goals.shares)
    clusters.base_s = 0.005  # as a ramp finds it: five in flight at 1,000 a second are all served, none waits
    return Probe("search", 1_000.0, goals, clusters, at_s=0.0, most_s=most_s, settles=settles)


def ticks_until_over(ramp: Probe, *ticks: Tick) -> int:
    """Return how many of the ticks it took."""
    for number, what in enumerate(ticks, start=1):
        ramp.see(what)
        if ramp.is_over:
            return number
    return len(ticks) + 1


def test_what_stands_still_has_settled_after_a_second() -> None:
    ramp = probe()
    ticks_until_over(ramp, *[tick()] * 6)
    assert sum(each.seconds for each in ramp.ticks) == pytest.approx(0.5)


def test_what_still_changes_settles_for_three_seconds() -> None:
    ramp = probe()
    ticks_until_over(ramp, *[tick(in_flight=20.0 * number) for number in range(14)])
    assert sum(each.seconds for each in ramp.ticks) == pytest.approx(0.5)


def test_a_level_far_within_is_met_soon_and_one_far_beyond_fails_soon() -> None:
    inside, beyond = probe(settles=False), probe(settles=False)
    assert ticks_until_over(inside, *[tick()] * 40) < 40
    assert inside.done().verdict == "meets"
    assert ticks_until_over(beyond, *[tick(late=25)] * 40) < 40
    assert beyond.done().verdict == "fails"
    assert beyond.done().why == LATE.text


def test_at_the_limit_it_takes_all_its_time_and_says_to_which_side_it_leans() -> None:
    ramp = Probe("search", 1_000.0, Goals((LATE,)), Clusters((LATE,)), at_s=0.0, most_s=3.0, settles=False)
    ticks_until_over(ramp, *[tick(late=3 if number % 2 else 2, in_flight=30.0) for number in range(12)])
    done = ramp.done()
    assert (done.verdict, done.leans) == ("open", "meets")
    assert 0.5 <= done.sure < 0.95


def test_late_answers_of_one_queue_are_not_many_proofs() -> None:
    short, long = probe(settles=False, most_s=1.0), probe(settles=False, most_s=1.0)
    ticks_until_over(short, *[tick(late=6, in_flight=1.0)] * 4)
    ticks_until_over(long, *[tick(late=6, in_flight=20.0)] * 4)
    assert short.done().goals[0].inflation < long.done().goals[0].inflation
    assert short.done().goals[0].sure > long.done().goals[0].sure


def test_what_overflows_ends_at_once() -> None:
    server, ramp = Formula(most=500.0, capacity=400.0), probe(most_s=30.0)
    took = ticks_until_over(ramp, *[server.advance(1_000.0) for _ in range(100)])
    assert took * TICK_S <= 5.0
    assert ramp.done().diverged
    assert ramp.done().verdict == "fails"


def test_a_generator_held_back_once_is_no_reason_and_three_times_is() -> None:
    ramp = probe()
    ticks_until_over(ramp, tick(is_held_back=True), tick())
    assert not ramp.is_over
    ticks_until_over(ramp, tick(is_held_back=True), tick(is_held_back=True))
    assert ramp.is_over
    assert ramp.is_held_back


def test_a_drain_ends_when_hardly_anything_is_in_flight_or_its_time_is_up() -> None:
    drain = Drain(1.0, 3.0, most_s=2.0)
    drain.see(tick(in_flight=50.0))
    assert not drain.is_over
    drain.see(tick(in_flight=3.0))
    assert (drain.is_over, drain.is_empty) == (True, True)
    stuck = Drain(1.0, 3.0, most_s=2.0)
    for _ in range(8):
        stuck.see(tick(in_flight=50.0))
    assert (stuck.is_over, stuck.is_empty) == (True, False)


def test_a_ramp_doubles_until_it_breaks_and_measures_saturation() -> None:
    server, clusters = Formula(), Clusters(GOALS.shares)
    ramp = Ramp(GOALS, clusters, first=10.0, most=1e9)
    while not ramp.is_over:
        ramp.see(server.advance(ramp.level))
    levels = [step.level for step in ramp.steps if step.kind == "ramp"]
    assert levels[:4] == [10.0, 20.0, 40.0, 80.0]
    assert ramp.steps[-1].kind == "saturation"
    assert ramp.saturation is not None
    assert ramp.saturation.low - 30 <= 1_000.0 <= ramp.saturation.high + 30


def test_windows_add_up() -> None:
    window = added([tick(late=1), tick(late=2, in_flight=15.0)])
    assert (window.seconds, window.done, window.counts[0]) == (0.5, 500, Count(3, 500))
    assert window.in_flight == pytest.approx((5.0 + 10.0) / 2)
    assert window.response_s == pytest.approx(window.in_flight * 0.5 / 500)
    assert added([]).response_s is None


def test_goals_of_a_plan_are_told_apart() -> None:
    def goal(text: str, measure: str, below: bool, limit: float, route: str | None = None) -> Goal:
        return Goal(text, measure, below, limit, "", route)

    goals = split(
        [
            goal("p99.9 < 1s", "p99.9", True, 1.0), goal("p95{a} < 1s", "p95", True, 1.0, "a"),
            goal("service_p95 < 1s", "service_p95", True, 1.0), goal("errors < 1%", "errors", True, 0.01),
            goal("throughput > 5/s", "throughput", False, 5.0), goal("mean < 1s", "mean", True, 1.0),
        ]
    )  # fmt: skip
    assert [share.most for share in goals.shares] == pytest.approx([0.001, 0.05, 0.05, 0.01])
    assert [share.route for share in goals.shares] == [None, "a", None, None]
    assert [share.is_service for share in goals.shares] == [False, False, True, False]
    assert goals.throughput == 5.0
    assert goals.beside == ("mean < 1s",)
    assert ERRORS.limit_s is None
