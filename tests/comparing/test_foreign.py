"""Results of other tools as a side: like with like, or said what differs."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import PlanError
from loadrig.comparing import judged, noise, read, refuse, yardsticks
from loadrig.comparing.document import ComparisonDocument
from loadrig.comparing.side import Side
from loadrig.testing.synthetic import Route, write_recording
from tests.importers.made import BEGAN_NS, RECORDED, vegeta_file
from tests.wording import holding


def compared(a: Side, b: Side) -> ComparisonDocument:
    measures = yardsticks.asked(a, b)
    return judged.compare(a, b, measures, noise.noises(a, b, []))


def of_vegeta(path: Path, took_ns: int, per_second: int = 50, path_of_url: str = "/search") -> Path:
    step = 1_000_000_000 // per_second
    rows = (
        (BEGAN_NS + i * step, took_ns + i % 7 * 100_000, 200, "", path_of_url) for i in range(20 * per_second)
    )
    return vegeta_file(path, rows)


def side(path: Path, scratch: Path) -> Side:
    return read.read_side(str(path), scratch)


def test_a_run_of_ours_and_a_file_are_compared_by_service_times(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    ours = tmp_path / "ours" / "trials" / "0001"
    write_recording(ours, (50.0,) * 25, routes=(Route("GET /search"),))
    a, b = side(ours, tmp_path), side(of_vegeta(tmp_path / "v.csv", 9_000_000), tmp_path / "scratch")
    comparison = compared(a, b)
    deciding = {row.measure for row in comparison.compared if row.decides}
    assert deciding == {"service_p95", "errors"}
    assert {row.measure for row in comparison.compared} <= {
        "service_p50", "service_p95", "service_p99", "errors", "throughput",
    }  # fmt: skip
    assert {shift.kind for shift in comparison.shift} == {"service"}
    (warning,) = holding(comparison.warnings, "loadrig", "vegeta")
    assert warning == snapshot
    names = {row.name: (row.a, row.b) for row in comparison.differences}
    assert names["load made by"] == ("", "vegeta")


def test_two_of_the_same_tool_are_compared_with_the_one_remark_that_each_has(tmp_path: Path) -> None:
    files = [of_vegeta(tmp_path / name, took) for name, took in (("a.csv", 9_000_000), ("b.csv", 9_000_000))]
    a, b = (side(file, tmp_path / "scratch") for file in files)
    warnings = refuse.check(a, b)
    assert len(warnings) == 2
    assert all("vegeta" in warning and "1 of 1" in warning for warning in warnings)


def test_rates_that_differ_are_told_as_nobody_said_what_was_asked_for(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    first, second = (of_vegeta(tmp_path / f"{rate}.csv", 9_000_000, rate) for rate in (50, 100))
    a, b = (side(file, tmp_path / "scratch") for file in (first, second))
    (warning,) = holding(refuse.check(a, b), "50 requests", "B 100")
    assert warning == snapshot


def test_the_same_file_is_not_compared_with_itself(tmp_path: Path) -> None:
    sides = [side(RECORDED / "k6.json", tmp_path / "scratch") for _ in range(2)]
    with pytest.raises(PlanError, match="in common"):
        refuse.check(*sides)


def test_routes_with_other_names_are_refused_with_the_way_to_rename_them(tmp_path: Path) -> None:
    files = [of_vegeta(tmp_path / f"{n}.csv", 9_000_000, path_of_url=f"/{n}") for n in "ab"]
    a, b = (side(file, tmp_path / "scratch") for file in files)
    with pytest.raises(PlanError) as refused:
        refuse.check(a, b)
    assert "--route" in refused.value.problems[0].mend


def test_a_file_of_nothing_known_is_no_side(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("hello\n")
    with pytest.raises(PlanError) as refused:
        side(tmp_path / "a.txt", tmp_path / "scratch")
    assert refused.value.problems[0].code == "import.unknown-format"
