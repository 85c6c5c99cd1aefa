"""The runs of one plan over time."""

from pathlib import Path

import pytest

from loadrig.base.errors import PlanError
from loadrig.comparing.document import HistoryDocument
from loadrig.comparing.history import history
from loadrig.comparing.read import runs_in
from tests.comparing import fabricated

STEADY = (400, 402, 399, 401, 398, 400, 403, 399, 401, 400, 402, 398)


def history_of(folder: Path, **options: object) -> HistoryDocument:
    return history(runs_in(folder), **options)  # type: ignore[arg-type]


def course(document: HistoryDocument, measure: str = "throughput") -> list[tuple[int, str]]:
    course = next(course for course in document.courses if course.measure == measure)
    return [(step.run, step.verdict) for step in course.changes]


def test_steady_runs_have_no_change(tmp_path: Path) -> None:
    document = history_of(fabricated.runs(tmp_path, STEADY))
    assert (document.verdict, len(document.runs), course(document)) == ("equal", 12, [])
    assert document.courses[0].values[:2] == (400, 402)


def test_a_loss_since_one_of_the_newest_runs_is_worse(tmp_path: Path) -> None:
    document = history_of(fabricated.runs(tmp_path, [*STEADY, 370, 372, 369, 371]))
    assert (document.verdict, course(document)) == ("worse", [(12, "worse")])
    change = document.courses[0].changes[0]
    assert change.after < change.before


def test_a_loss_of_long_ago_is_no_news(tmp_path: Path) -> None:
    document = history_of(
        fabricated.runs(tmp_path, [*STEADY[:6], *(370 + n % 3 for n in range(12))]), newest=10
    )
    assert (document.verdict, course(document)) == ("equal", [(6, "worse")])


def test_a_loss_that_was_mended_is_better(tmp_path: Path) -> None:
    rates = [*STEADY[:6], 370, 372, 369, 371, *STEADY[6:10]]
    document = history_of(fabricated.runs(tmp_path, rates), newest=10)
    assert (document.verdict, course(document)) == ("better", [(6, "worse"), (10, "better")])


def test_a_change_within_the_margin_is_trivial(tmp_path: Path) -> None:
    rates = [400 + 0.2 * (n % 3) for n in range(10)] + [404 + 0.2 * (n % 3) for n in range(10)]
    document = history_of(fabricated.runs(tmp_path, rates))
    assert (document.verdict, course(document)) == ("equal", [(10, "trivial")])


def test_a_change_that_came_with_another_machine_is_not_counted(tmp_path: Path) -> None:
    fabricated.runs(tmp_path, STEADY)
    for number in range(5):
        fabricated.single(
            tmp_path / f"new-{number}", day=20 + number, rate=300 + number,
            machine={**fabricated.MACHINE, "cpu": "Ampere Altra"},
        )  # fmt: skip
    document = history_of(tmp_path)
    assert document.verdict == "equal"
    assert "Ampere Altra" in (document.courses[0].changes[0].machine_changed or "")


def test_what_was_not_the_same_stands_beside_a_change(tmp_path: Path) -> None:
    fabricated.runs(tmp_path, STEADY)
    for number in range(4):
        fabricated.single(tmp_path / f"new-{number}", day=20 + number, rate=370 + number, loadrig="0.2.0")
    (step,) = history_of(tmp_path).courses[0].changes
    assert [(difference.area, difference.name, difference.b) for difference in step.differences] == [
        ("rig", "loadrig", "0.2.0")
    ]


def test_too_few_runs_are_undecided(tmp_path: Path) -> None:
    assert history_of(fabricated.runs(tmp_path, [400, 401, 300, 301])).verdict == "undecided"


def test_runs_that_asked_something_else_are_left_out_and_counted(tmp_path: Path) -> None:
    fabricated.runs(tmp_path, STEADY, first_day=10)
    fabricated.single(tmp_path / "a", day=1, users=100)
    fabricated.single(tmp_path / "b", day=2, setting={"workers": 4})
    fabricated.single(tmp_path / "c", day=3, verdict="void")
    document = history_of(tmp_path)
    assert len(document.runs) == 12
    assert dict(document.left_out) == {"under another load": 1, "of another setting": 1, "void or failed": 1}


def test_a_plan_that_never_ran_is_named_with_those_that_did(tmp_path: Path) -> None:
    fabricated.runs(tmp_path, STEADY[:3])
    with pytest.raises(PlanError) as caught:
        history_of(tmp_path, plan="cart")
    assert caught.value.problems[0].code == "compare.no-history"
    assert "shop" in caught.value.problems[0].why


def test_searches_are_a_history_of_capacities_and_runs_under_other_goals_are_left_out(tmp_path: Path) -> None:
    for number, capacity in enumerate((900, 903, 898, 901, 897, 850, 852, 848)):
        fabricated.searched(tmp_path / f"{number}", float(capacity), day=number)
    fabricated.searched(tmp_path / "none", None, why="no_level_meets", day=4.5)
    fabricated.searched(tmp_path / "other", 500.0, day=5.5, goals=("p95 < 100ms",))
    fabricated.single(tmp_path / "plain", day=6.5, model="rate")
    document = history_of(tmp_path)
    assert (document.verdict, course(document, "capacity")) == ("worse", [(6, "worse")])
    assert document.courses[0].values[5] is None
    assert document.left_out == {"under other goals": 1, "under another load": 1}
