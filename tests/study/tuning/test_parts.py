"""The parts of a tuning: spaces, objectives, slacks, the queueing model, fronts, screening."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.model import Goal
from loadrig.study.tuning import queueing, screen
from loadrig.study.tuning.objective import Objective, cost_per_request, front, slack
from loadrig.study.tuning.queueing import Demand, throughput
from loadrig.study.tuning.space import distributions, nearest, params_of, space_of
from tests.study.fakes import CATALOGUE, DEMO, knob

NINE = tuple(knob(f"k{n}", 1, 8, 64) for n in range(6))


def test_powers_are_evenly_spaced_and_words_equally_far() -> None:
    space = space_of([knob("n", 1, 2, 4, 8), knob("kind", "a", "b", "c")])
    assert [space.axes[0].places[value] for value in (1, 2, 4, 8)] == pytest.approx([0, 1 / 3, 2 / 3, 1])
    apart = {
        float(np.linalg.norm(space.features[space.number({"n": 1, "kind": a}) or 0]
                             - space.features[space.number({"n": 1, "kind": b}) or 0]))
        for a, b in (("a", "b"), ("b", "c"), ("a", "c"))
    }  # fmt: skip
    assert len({round(distance, 9) for distance in apart}) == 1


def test_a_knob_that_does_not_apply_stands_near_its_default() -> None:
    space = space_of(DEMO, CATALOGUE)
    settings: tuple[Setting, ...] = (
        {"worker_class": "sync", "workers": 2},
        {"worker_class": "gthread", "workers": 2, "threads": 1},
        {"worker_class": "gthread", "workers": 2, "threads": 4},
    )
    sync, one_thread, four = (space.features[space.number(setting) or 0] for setting in settings)
    assert np.linalg.norm(sync - one_thread) < np.linalg.norm(sync - four)


def test_settings_frozen_are_those_at_the_base() -> None:
    space = space_of(DEMO, CATALOGUE)
    remaining = [space.settings[at] for at in space.frozen(["workers"])]
    assert remaining
    assert all(setting["workers"] == 1 for setting in remaining)


def test_a_large_space_is_drawn_from_and_the_draw_follows_from_the_seed() -> None:
    many = [knob(f"k{n}", *range(10)) for n in range(5)]
    first, again, other = (space_of(many, seed=seed) for seed in (1, 1, 2))
    assert len(first.settings) == 2_000
    assert first.settings == again.settings
    assert first.settings != other.settings
    assert first.settings[0] == dict.fromkeys([f"k{n}" for n in range(5)], 0)


def test_optuna_sees_numbers_on_their_scale_and_words_as_choices() -> None:
    space = space_of(DEMO, CATALOGUE)
    assert set(distributions(space)) == {"worker_class", "workers", "threads"}
    assert set(params_of(space, {"worker_class": "sync", "workers": 2})) == {"worker_class", "workers"}
    axis = space.axes[1]
    assert nearest(axis, axis.places[4] - 0.01) == 4


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=30))
def test_no_point_of_the_front_is_beaten_and_every_other_is(points: list[tuple[int, int]]) -> None:
    best_points = [points[at] for at in front(points)]

    def beats(a: tuple[float, float], b: tuple[float, float]) -> bool:
        return a != b and a[0] >= b[0] and a[1] >= b[1]

    assert not any(beats(a, b) for a in points for b in best_points)
    assert all(point in best_points or any(beats(a, point) for a in best_points) for point in points)


def test_a_slack_is_zero_at_the_limit_and_negative_beyond() -> None:
    below = Goal("p99 < 200ms", "p99", True, 0.2, "s")
    errors = Goal("errors < 1%", "errors", True, 0.01, "1")
    assert slack(below, 0.2) == pytest.approx(0.0)
    assert slack(below, 0.4) == pytest.approx(-math.log(2))
    assert slack(errors, 0.0) > 0 > slack(errors, 0.02)


def test_cost_is_cores_and_memory_over_throughput() -> None:
    measures = {
        "server_cpu": Estimate(2.0, "cores"), "memory": Estimate(1 << 30, "B"),
        "throughput": Estimate(100.0, "1/s", 90.0, 110.0, n=1),
    }  # fmt: skip
    cost = cost_per_request(measures)
    assert cost is not None
    assert cost.value == pytest.approx(0.021)
    assert cost.low is not None
    assert cost.high is not None
    assert cost.low < cost.value < cost.high
    assert cost_per_request({"throughput": measures["throughput"]}) is None


def test_an_objective_that_should_fall_is_turned() -> None:
    assert Objective("p95", "lower").place(1.0) == 0.0


def test_slots_beyond_the_cores_help_only_as_far_as_requests_wait() -> None:
    computes, waits = Demand(0.01, 0.0, 2.0), Demand(0.01, 0.09, 2.0)
    assert throughput(computes, 8) < 1.35 * throughput(computes, 2)
    assert throughput(waits, 8) > 3.3 * throughput(waits, 2)


@given(st.integers(1, 60))
def test_throughput_grows_with_slots_and_stays_below_both_bounds(slots: int) -> None:
    need = Demand(0.004, 0.02, 2.0)
    here, more = throughput(need, slots), throughput(need, slots + 1)
    assert here <= more + 1e-9
    assert more <= min(need.cores / need.cpu_s, (slots + 1) / (need.cpu_s + need.wait_s)) + 1e-9


def test_processes_and_threads_multiply_to_slots() -> None:
    assert queueing.slots({"worker_class": "gthread", "workers": 3, "threads": 4}, CATALOGUE) == 12
    assert queueing.slots({"worker_class": "sync", "workers": 3}, CATALOGUE) == 3


@pytest.mark.parametrize("knobs", [1, 6, 11, 12, 20])
def test_columns_of_a_design_are_balanced_and_independent(knobs: int) -> None:
    rows = screen.signs(knobs)
    assert rows.shape[1] == knobs
    assert np.abs(rows.sum(axis=0)).max() == 0
    products = rows.T @ rows - rows.shape[0] * np.eye(knobs)
    assert np.abs(products).max() == 0


def _screened(effects: dict[str, float], noise: float, seed: int = 1) -> screen.Screening:
    space = space_of(NINE)
    rng = np.random.default_rng(seed)
    y = [
        sum(effect for name, effect in effects.items() if setting[name] == 64) + rng.normal(0, noise)
        for setting in screen.design(space)
    ]
    bases = [rng.normal(0, noise) for _ in range(4)]
    return screen.analyse(space, y, bases, [], math.log(1.03))


def test_knobs_that_do_nothing_are_called_inert_and_those_that_do_are_not() -> None:
    screening = _screened({"k0": 0.3, "k1": -0.1}, 0.01)
    assert {knob_effect.knob for knob_effect in screening.inert} == {"k2", "k3", "k4", "k5"}


def test_where_noise_hides_all_nothing_is_called_inert() -> None:
    assert _screened({}, 0.2).inert == ()


def test_what_matters_is_hardly_ever_called_inert() -> None:
    wrong = sum(
        bool(
            {"k0", "k1"}
            & {knob_effect.knob for knob_effect in _screened({"k0": 0.06, "k1": -0.06}, 0.03, seed).inert}
        )
        for seed in range(60)
    )
    assert wrong <= 4


def test_a_knob_that_takes_up_the_room_to_a_goal_is_not_inert() -> None:
    space = space_of(NINE)
    design = screen.design(space)
    rng = np.random.default_rng(3)
    y = [rng.normal(0, 0.005) for _ in design]
    room = [0.05 if setting["k3"] == 64 else 0.4 for setting in design]
    screening = screen.analyse(space, y, [0.0, 0.002, -0.002, 0.001], [room], math.log(1.03))
    assert "k3" not in {knob_effect.knob for knob_effect in screening.inert}
    assert "k2" in {knob_effect.knob for knob_effect in screening.inert}


def test_conditional_knobs_are_never_called_inert() -> None:
    space = space_of(DEMO, CATALOGUE)
    assert [axis.knob.name for axis in space.axes if screen.may_be_inert(space, axis)] == ["workers"]
