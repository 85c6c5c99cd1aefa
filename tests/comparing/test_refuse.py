"""Refusals of what cannot be compared, and warnings of what weakens a comparison."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError, RigError, TargetError, VoidError
from loadrig.comparing.read import read_side
from loadrig.comparing.refuse import check
from loadrig.comparing.side import Side
from tests.comparing import fabricated
from tests.wording import holding


@pytest.fixture
def two(tmp_path: Path) -> Any:
    """Make two runs: options for A, for B."""

    def make(a: dict[str, Any], b: dict[str, Any]) -> tuple[Side, Side]:
        sides = [fabricated.single(tmp_path / name, day=n, **options)
                 for n, (name, options) in enumerate((("a", a), ("b", b)))]  # fmt: skip
        return read_side(str(sides[0])), read_side(str(sides[1]))

    return make


MIRRORS = "R = N/X - Z"
"""Remark on a closed load, as made() makes it."""


def refused(a: Side, b: Side) -> tuple[str, ...]:
    with pytest.raises(RigError) as caught:
        check(a, b)
    return tuple(problem.code for problem in caught.value.problems)


def test_two_runs_of_one_plan_can_be_compared(two: Any) -> None:
    assert refused_nothing(two({}, {"rate": 380.0}))


def refused_nothing(sides: tuple[Side, Side]) -> bool:
    notes = check(*sides)
    return len(notes) == 1 and MIRRORS in notes[0]


def test_another_load_model_is_refused(two: Any) -> None:
    assert refused(*two({}, {"model": "rate"})) == ("compare.load-model",)


def test_open_and_partly_open_loads_are_two_models(two: Any) -> None:
    assert refused(*two({"model": "rate"}, {"model": "sessions"})) == ("compare.load-model",)


def test_another_level_of_load_is_refused_and_a_rate_that_came_out_a_little_different_is_not(
    two: Any,
) -> None:
    assert refused(*two({}, {"users": 100})) == ("compare.load-level",)


def test_a_rate_that_came_out_a_little_different_is_the_same(two: Any) -> None:
    a, b = two({"model": "rate", "offered": 400.0}, {"model": "rate", "offered": 404.0})
    assert check(a, b) == ()


def test_a_search_for_the_capacity_is_compared_with_another_alone(tmp_path: Path) -> None:
    plain = read_side(str(fabricated.single(tmp_path / "plain", model="rate")))
    search = read_side(str(fabricated.searched(tmp_path / "a", 900.0)))
    assert refused(plain, search) == refused(search, plain) == ("compare.load-level",)
    other = read_side(str(fabricated.searched(tmp_path / "b", 800.0, day=1, offered=300.0)))
    assert check(search, other) == ()


def test_capacities_under_other_goals_are_refused_and_so_is_none_at_all(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    search = read_side(str(fabricated.searched(tmp_path / "a", 900.0)))
    other = read_side(str(fabricated.searched(tmp_path / "b", 500.0, day=1, goals=("p95 < 100ms",))))
    assert refused(search, other) == ("compare.goals",)
    none = read_side(str(fabricated.searched(tmp_path / "c", None, why="no_level_meets", day=2)))
    with pytest.raises(PlanError) as caught:
        check(search, none)
    (problem,) = caught.value.problems
    assert problem.code == "compare.no-capacity"
    assert " B " in problem.what
    assert problem.why == snapshot


def test_other_routes_are_refused_and_some_in_common_are_warned_of(
    two: Any, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    assert refused(*two({}, {"routes": {"cart": (1.0, 0.05)}})) == ("compare.routes",)
    of_other_routes = read_side(
        str(fabricated.single(tmp_path / "c", routes={"search": (0.5, 0.05), "cart": (0.5, 0.1)}))
    )
    notes = check(read_side(str(tmp_path / "a")), of_other_routes)
    (note,) = holding(notes, "order", "cart")
    assert note == snapshot


def test_other_units_are_refused(two: Any) -> None:
    a, b = two({}, {})
    b = fabricated.with_estimate(b, "p95", lambda _, estimate: replace(estimate, unit="ms"))
    assert refused(a, b) == ("compare.units",)


def test_all_that_is_wrong_is_said_at_once(two: Any) -> None:
    codes = refused(*two({}, {"model": "rate", "routes": {"cart": (1.0, 0.05)}}))
    assert codes == ("compare.load-model", "compare.routes")


def test_void_trials_alone_are_refused_with_their_own_exit_code(two: Any) -> None:
    a, b = two({}, {"verdict": "void"})
    with pytest.raises(VoidError) as caught:
        check(a, b)
    assert caught.value.problems[0].code == "compare.all-void"
    assert "93 % busy" in caught.value.problems[0].why


def test_a_server_that_failed_every_time_is_the_targets_fault(tmp_path: Path) -> None:
    trial = fabricated.measured(verdict="failed", reasons=("no request got an answer",))
    failed = Side("b", {}, (trial,), (tmp_path / "b",))
    with pytest.raises(TargetError) as caught:
        check(read_side(str(fabricated.single(tmp_path / "a"))), failed)
    assert caught.value.problems[0].code == "compare.all-failed"


def test_a_run_is_not_compared_with_itself_nor_with_its_own_trial(two: Any, tmp_path: Path) -> None:
    a, _ = two({}, {})
    assert refused(a, a) == ("compare.same-run",)
    assert refused(a, read_side(str(tmp_path / "a" / "trials" / "0001"))) == ("compare.same-run",)


def test_two_settings_of_one_study_can_be_compared(tmp_path: Path) -> None:
    folder = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=2)
    check(read_side(f"{folder}#0"), read_side(f"{folder}#1"))
    assert refused(read_side(f"{folder}#1"), read_side(f"{folder}#1")) == ("compare.same-run",)


def test_another_machine_is_a_warning(two: Any, snapshot: SnapshotAssertion) -> None:
    notes = check(*two({}, {"machine": {**fabricated.MACHINE, "cpu": "Ampere Altra"}}))
    (note,) = holding(notes, str(fabricated.MACHINE["cpu"]), "Ampere Altra")
    assert note == snapshot


@pytest.mark.parametrize(
    ("a", "b"),
    [pytest.param(60e3, 42e3, id="B is slower"), pytest.param(42e3, 60e3, id="A is slower")],
)
def test_a_machine_that_was_slower_on_one_side_is_a_warning(
    two: Any, a: float, b: float, snapshot: SnapshotAssertion
) -> None:
    (note,) = holding(check(*two({"core_speed": a}, {"core_speed": b})), "30 %", "core_speed")
    assert note == snapshot


@pytest.mark.parametrize("speeds", [(60e3, 57e3), (60e3, None), (None, None)])
def test_a_machine_of_about_the_same_speed_is_none(
    two: Any, speeds: tuple[float | None, float | None]
) -> None:
    notes = check(*two({"core_speed": speeds[0]}, {"core_speed": speeds[1]}))
    assert holding(notes, "core_speed") == []


def test_another_kernel_is_the_same_machine(two: Any) -> None:
    assert refused_nothing(two({}, {"machine": {**fabricated.MACHINE, "kernel": "6.8.0"}}))


def test_a_side_on_several_machines_is_a_warning(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    fabricated.single(tmp_path / "a" / "1")
    fabricated.single(tmp_path / "a" / "2", day=1, machine={**fabricated.MACHINE, "cores": 8})
    b = read_side(str(fabricated.single(tmp_path / "b", day=2)))
    (note,) = holding(check(read_side(str(tmp_path / "a")), b), " A ", "machine")
    assert note == snapshot


def test_lost_and_disturbed_trials_are_told(tmp_path: Path, two: Any, snapshot: SnapshotAssertion) -> None:
    folder = fabricated.study(
        tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=3, void=[3, 6]
    )
    notes = check(read_side(f"{folder}#0"), read_side(f"{folder}#1"))
    (lost,) = holding(notes, "2 of 3", "2 void")
    (disturbed,) = holding(check(*two({}, {"verdict": "disturbed"})), "1 of 1")
    named = {"lost": lost, "kept": disturbed}
    assert {name: text.replace(str(tmp_path), "RUNS") for name, text in named.items()} == snapshot


def test_a_rate_beyond_the_servers_capacity_is_warned_of(two: Any, snapshot: SnapshotAssertion) -> None:
    notes = check(*two({"model": "rate", "offered": 500.0}, {"model": "rate", "offered": 500.0}))
    assert notes == snapshot


def test_other_goals_are_told(two: Any, snapshot: SnapshotAssertion) -> None:
    notes = check(*two({}, {"goals": ("p95 < 200ms",)}))
    (note,) = [note for note in notes if MIRRORS not in note]
    assert note == snapshot


def test_refusals_are_plan_errors(two: Any) -> None:
    with pytest.raises(PlanError):
        check(*two({}, {"users": 100}))
