"""A comparison and a history as a person, a pull request and a pipeline read them."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from loadrig.comparing.document import ComparisonDocument, HistoryDocument
from loadrig.comparing.history import history as of_runs
from loadrig.comparing.judged import compare
from loadrig.comparing.read import read_side, runs_in
from loadrig.comparing.yardsticks import asked
from loadrig.report import comparison, comparison_files, comparison_words, history, history_files, html, text
from tests.comparing import fabricated

NASTY = "order <b>|x|</b> & `y` \x07"


def compared(a: str, b: str) -> ComparisonDocument:
    sides = read_side(a), read_side(b)
    return compare(*sides, asked(*sides))


@pytest.fixture(scope="module")
def worse(tmp_path_factory: pytest.TempPathFactory) -> ComparisonDocument:
    """Return a setting that is worse, in eight blocks of a study, with a route of an awkward name."""
    folder = tmp_path_factory.mktemp("runs") / "shop"
    routes = {"search": (0.75, 0.05), NASTY: (0.25, 0.12)}
    fabricated.study(
        folder, [({"workers": 2}, 400.0), ({"workers": 4}, 376.0)], noise=0.01, drift=0.04, routes=routes
    )
    return shown(compared(f"{folder}#0", f"{folder}#1"), folder.parent)


@pytest.fixture(scope="module")
def undecided(tmp_path_factory: pytest.TempPathFactory) -> ComparisonDocument:
    """Return a run each, with recordings and another mix."""
    folder = tmp_path_factory.mktemp("recorded")
    fabricated.recorded(folder / "before", seed=1)
    fabricated.recorded(folder / "after", seed=2, slow=1.2, shares=(0.6, 0.4))
    return shown(compared(str(folder / "before"), str(folder / "after")), folder)


def shown(document_of_sides: ComparisonDocument, folder: Path) -> ComparisonDocument:
    """Without the folder of this test run in its names."""
    a, b = (
        replace(
            side,
            name=side.name.replace(str(folder), "runs"),
            runs=tuple(run.replace(str(folder), "runs") for run in side.runs),
        )
        for side in (document_of_sides.a, document_of_sides.b)
    )
    return replace(document_of_sides, a=a, b=b)


@pytest.fixture(scope="module")
def over_time(tmp_path_factory: pytest.TempPathFactory) -> HistoryDocument:
    """Sixteen runs, of which the last four are slower and were made by a newer rig."""
    folder = tmp_path_factory.mktemp("nightly")
    fabricated.runs(folder, [400, 402, 399, 401, 398, 400, 403, 399, 401, 400, 402, 398])
    for number, rate in enumerate((370, 372, 369, 371)):
        fabricated.single(folder / f"new-{number}", day=12 + number, rate=rate, loadrig="0.2.0", slow=1.06)
    history_of_runs = of_runs(runs_in(folder))
    runs = [
        replace(run, folder=f"nightly/{run.name}", created=f"2025-11-{number + 1:02d}T02:00:00+00:00")
        for number, run in enumerate(history_of_runs.runs)
    ]
    return replace(history_of_runs, runs=tuple(runs))


@pytest.mark.parametrize("width", [100, 64])
def test_a_comparison_is_told_as_in_the_golden_file(
    worse: ComparisonDocument, width: int, snapshot: SnapshotAssertion
) -> None:
    assert text.render(comparison.build(worse), width) == snapshot


@pytest.mark.parametrize("width", [100, 64])
def test_an_undecided_comparison_is_told_as_in_the_golden_file(
    undecided: ComparisonDocument, width: int, snapshot: SnapshotAssertion
) -> None:
    assert text.render(comparison.build(undecided), width) == snapshot


@pytest.mark.parametrize("width", [100, 64])
def test_a_history_is_told_as_in_the_golden_file(
    over_time: HistoryDocument, width: int, snapshot: SnapshotAssertion
) -> None:
    assert text.render(history.build(over_time), width) == snapshot


def test_the_summary_for_a_pull_request_is_as_in_the_golden_file(
    worse: ComparisonDocument, snapshot: SnapshotAssertion
) -> None:
    assert comparison_files.markdown(worse) == snapshot


def test_the_summary_of_a_history_is_as_in_the_golden_file(
    over_time: HistoryDocument, snapshot: SnapshotAssertion
) -> None:
    assert history_files.markdown(over_time) == snapshot


def test_the_junit_files_are_as_in_the_golden_files(
    worse: ComparisonDocument, over_time: HistoryDocument, snapshot: SnapshotAssertion
) -> None:
    assert comparison_files.junit(worse) == snapshot
    assert history_files.junit(over_time) == snapshot


@pytest.mark.parametrize("width", [40, 64, 80, 100, 160])
def test_no_line_is_wider_than_the_terminal(
    worse: ComparisonDocument, undecided: ComparisonDocument, over_time: HistoryDocument, width: int
) -> None:
    reports = [comparison.build(worse), comparison.build(undecided), history.build(over_time)]
    for line in "\n".join(text.render(report, width) for report in reports).splitlines():
        assert len(line) <= width or line.startswith("next: "), line


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("runs/before", "runs/after/", ("before", "after")),
        ("runs/a/0", "runs/b/0", ("a/0", "b/0")),
        ("runs/shop#0", "runs/shop#3", ("shop#0", "shop#3")),
        ("x/a1,x/a2, x/a3", "x/b1", ("a1 and 2 more", "b1")),
        ("same", "same", ("same", "same")),
    ],
)
def test_sides_are_called_by_as_little_as_tells_them_apart(
    worse: ComparisonDocument, a: str, b: str, expected: tuple[str, str]
) -> None:
    named = replace(worse, a=replace(worse.a, name=a), b=replace(worse.b, name=b))
    assert comparison.names(named) == expected


def test_the_first_sentence_is_the_verdict(
    worse: ComparisonDocument, undecided: ComparisonDocument, snapshot: SnapshotAssertion
) -> None:
    assert (worse.verdict, undecided.verdict) == ("worse", "undecided")
    for compared in (worse, undecided):
        first = comparison_words.sentences(compared)[0]
        assert first == comparison_words.verdict(compared)
        assert first in " ".join(text.render(comparison.build(compared), 200).split())
    assert comparison_words.verdict(replace(worse, verdict="equal")) == snapshot


def test_the_page_holds_every_route_and_no_markup_of_theirs(
    worse: ComparisonDocument, undecided: ComparisonDocument, over_time: HistoryDocument
) -> None:
    for report in (comparison.build(worse), comparison.build(undecided), history.build(over_time)):
        page = html.render(report)
        assert "<b>|x|" not in page
        ids = re.findall(r'<figure class="figure [^"]*" id="([^"]+)"', page)
        assert len(ids) == len(set(ids)) >= 1
    assert "order &lt;b&gt;" in html.render(comparison.build(worse))


def test_markdown_shows_names_of_routes_as_text(worse: ComparisonDocument) -> None:
    for line in comparison_files.markdown(worse).splitlines():
        if line.startswith("|") and "order" in line:
            assert len(re.findall(r"(?<!\\)\|", line)) == 7, line
            assert "<b>" not in line


def test_junit_has_a_test_for_each_comparison_and_a_failure_for_each_that_is_worse(
    worse: ComparisonDocument,
) -> None:
    suites = ElementTree.fromstring(comparison_files.junit(worse))
    cases = suites.findall(".//testcase")
    assert len(cases) == len(worse.compared) == int(suites.attrib["tests"])
    failures = [case.attrib["name"] for case in cases if case.find("failure") is not None]
    assert "throughput" in failures
    assert len(failures) == sum(entry.verdict == "worse" for entry in worse.compared)


def test_junit_skips_what_decides_and_is_undecided_and_says_what_would_tell(
    undecided: ComparisonDocument, snapshot: SnapshotAssertion
) -> None:
    suites = ElementTree.fromstring(comparison_files.junit(undecided))
    (skipped, *_) = suites.findall(".//skipped")
    assert undecided.to_decide is not None
    assert undecided.to_decide.pairs == 6
    assert skipped.attrib["message"] == snapshot
    assert suites.attrib["failures"] == "0"
    assert int(suites[0].attrib["skipped"]) == sum(entry.decides for entry in undecided.compared)


def test_junit_of_a_history_fails_what_became_worse_and_skips_what_has_too_few_runs(
    over_time: HistoryDocument,
) -> None:
    suites = ElementTree.fromstring(history_files.junit(over_time))
    assert suites.attrib["failures"] == str(sum(course.verdict == "worse" for course in over_time.courses))
    courses = tuple(replace(course, verdict="undecided", changes=()) for course in over_time.courses)
    few = replace(over_time, verdict="undecided", courses=courses)
    suites = ElementTree.fromstring(history_files.junit(few))
    assert suites[0].attrib["skipped"] == str(sum(course.decides for course in over_time.courses))
    assert history_files.markdown(few).startswith(f"### ❔ {len(few.runs)} ")
