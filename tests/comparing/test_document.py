"""Comparisons and histories as documents."""

import json
from pathlib import Path

import jsonschema
import pytest

from loadrig.base.documents import plain, schema_of, typed
from loadrig.comparing.document import ComparisonDocument, HistoryDocument, PairsDocument
from loadrig.comparing.history import history
from loadrig.comparing.judged import compare
from loadrig.comparing.noise import Noises
from loadrig.comparing.read import read_side, runs_in
from loadrig.comparing.yardsticks import asked
from tests.comparing import fabricated

RECORDED = Path(__file__).parent / "recorded"


def test_a_comparison_is_plain_json_without_numbers_that_json_does_not_know(tmp_path: Path) -> None:
    folder = fabricated.study(tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 380.0)], blocks=3)
    a, b = read_side(f"{folder}#0"), read_side(f"{folder}#1")
    comparison = compare(a, b, asked(a, b), Noises())
    assert (
        typed(ComparisonDocument, json.loads(json.dumps(plain(comparison), allow_nan=False)), "")
        == comparison
    )
    assert comparison.schema == "loadrig.comparison/2"
    assert comparison.a.trials == {"valid": 6}
    assert comparison.pairing == PairsDocument(how="blocks", pairs=3)
    first = comparison.compared[0]
    assert (first.measure, first.route, first.decides) == ("throughput", None, True)
    assert first.interval is not None
    assert first.effect is not None
    assert first.interval[0] < first.effect < first.interval[1]
    assert {difference.name: (difference.a, difference.b) for difference in comparison.differences} == {
        "workers": ("2", "4")
    }


def test_an_effect_of_a_share_is_a_difference(tmp_path: Path) -> None:
    a, b = (
        fabricated.runs(tmp_path / "a", [400] * 4),
        fabricated.runs(tmp_path / "b", [400] * 4, failed=0.01, first_day=9),
    )
    sides = read_side(str(a)), read_side(str(b))
    comparison = compare(*sides, asked(*sides))
    errors = next(row for row in comparison.compared if row.measure == "errors" and row.route is None)
    assert errors.scale == "difference"
    assert errors.b.value is not None
    assert errors.a.value is not None
    assert errors.effect == pytest.approx(errors.b.value - errors.a.value)


def test_where_nothing_is_known_of_the_noise_there_is_no_verdict_and_no_p(tmp_path: Path) -> None:
    a, b = fabricated.single(tmp_path / "a"), fabricated.single(tmp_path / "b", rate=300, day=1)
    sides = read_side(str(a)), read_side(str(b))
    comparison = compare(*sides, asked(*sides))
    assert comparison.verdict == "undecided"
    assert {row.verdict for row in comparison.compared} == {"undecided"}
    assert {row.p for row in comparison.compared} == {None}
    assert comparison.to_decide is not None
    assert comparison.to_decide.pairs == 6


def test_a_history_is_plain_json_with_each_change_and_its_run(tmp_path: Path) -> None:
    runs = fabricated.runs(tmp_path, [400, 402, 399, 401, 398, 370, 372, 369, 371])
    document = history(runs_in(runs))
    assert typed(HistoryDocument, json.loads(json.dumps(plain(document), allow_nan=False)), "") == document
    assert document.schema == "loadrig.history/1"
    course = document.courses[0]
    assert len(course.values) == len(document.runs) == 9
    (change,) = course.changes
    assert (change.run, change.verdict) == (5, "worse")
    assert change.effect == pytest.approx(change.after / change.before)
    low, high = change.interval
    assert low is not None
    assert high is not None
    assert low < change.effect < high


@pytest.mark.parametrize(("name", "kind"), [("comparison", ComparisonDocument), ("history", HistoryDocument)])
def test_recorded_documents_are_read_and_written_byte_for_byte(
    name: str, kind: type[ComparisonDocument | HistoryDocument]
) -> None:
    text = (RECORDED / f"{name}.json").read_text(encoding="utf-8")
    assert json.dumps(plain(typed(kind, json.loads(text), name)), indent=1) + "\n" == text
    jsonschema.validate(json.loads(text), schema_of(kind))
