"""Results that hold sums: what the tool printed stands in the run, and nothing beside it."""

import csv
import io
import json
import tracemalloc
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from loadrig import report
from loadrig.base import members
from loadrig.base.errors import PlanError
from loadrig.exporters._trial import exported_trial
from loadrig.recording import checking
from loadrig.recording.reader import Recording
from loadrig.report import text
from loadrig.trial.result import result_of
from tests.importers.made import RECORDED, imported, origin


class Printed(NamedTuple):
    """Figures as a tool printed them. outcomes: requests by how they ended. stated: times in ms."""

    seconds: float
    outcomes: dict[str, int]
    stated: dict[str, float]


PRINTED = {
    "wrk.txt": Printed(3.0, {"ok": 3753}, {"mean": 3.19, "max": 6.79, "p50": 3.40, "p99": 5.01}),
    "wrk-missing.txt": Printed(2.0, {"check_failed": 4214}, {"mean": 1.90, "max": 6.06}),
    "wrk-2.txt": Printed(4.0, {"ok": 802}, {"mean": 4.45, "max": 45.92, "p99": 17.65, "p99.9": 40.38}),
    "locust-stats.csv": Printed(
        4.0, {"ok": 298, "failed": 298}, {"mean": 13.28, "min": 0.5046, "max": 61.88, "p50": 4, "p99.9": 62}
    ),
    "locust-history.csv": Printed(4.0, {"ok": 298, "failed": 298}, {}),
    "ngrinder.csv": Printed(24.0, {"ok": 3745, "failed": 12}, {}),
    "artillery.json": Printed(
        13.9,
        {"ok": 114, "http_4xx": 57, "reset": 55},
        {"mean": 13.7, "min": 1, "max": 60, "p50": 3, "p95": 50.9, "p99.9": 59.7},
    ),
    "k6-handled.json": Printed(
        0.3104,
        {"ok": 30, "failed": 18},
        {"mean": 17.0153, "min": 1.3745, "max": 61.07, "p50": 5.8204, "p95": 55.3067, "p99": 58.7842},
    ),
    "k6-export.json": Printed(
        1.0308, {"ok": 142, "failed": 74}, {"mean": 14.0556, "p50": 3.5429, "p90": 40.399}
    ),
    "hlog.hlog": Printed(3.0, {"ok": 603}, {}),
    "hey.txt": Printed(2.0038, {"ok": 2434}, {"mean": 3.3, "max": 7.3, "min": 1.2, "p50": 3.2, "p99": 5.6}),
    "hey-reset.txt": Printed(0.1189, {"closed": 300}, {}),
    "oha.txt": Printed(2.002, {"ok": 2283}, {"mean": 3.4885, "p99": 7.9956, "p99.9": 11.4327}),
    "oha-reset.txt": Printed(0.0181, {"closed": 50}, {}),
    "oha.json": Printed(0.1613, {"http_4xx": 300}, {"mean": 2.084, "max": 9.077, "p50": 1.8133}),
    "ab.txt": Printed(0.354, {"ok": 400}, {"mean": 3.544, "p50": 3, "p99": 5, "max": 6}),
    "ab-missing.txt": Printed(0.060, {"check_failed": 100}, {"mean": 2.386, "p50": 2, "max": 4}),
    "siege.log": Printed(0.65, {"failed": 1027}, {}),
    "siege-screen.json": Printed(2.32, {"ok": 2491}, {"mean": 0.0, "max": 20.0}),
}


def outcomes(recording: Recording) -> Counter[str]:
    counts: Counter[str] = Counter()
    for frame in recording.frames:
        for row in frame.routes:
            counts[row.outcome] += row.count
    return counts


@pytest.mark.parametrize("name", PRINTED)
def test_what_the_tool_printed_stands_in_the_run(tmp_path: Path, name: str) -> None:
    recording, printed = imported(tmp_path / "run", RECORDED / name), PRINTED[name]
    stated = {time.name: time.ms for time in origin(recording).stated if not time.route}
    assert outcomes(recording) == printed.outcomes
    assert origin(recording).requests == sum(printed.outcomes.values())
    assert sum(frame.len_ns for frame in recording.frames) / 1e9 == pytest.approx(printed.seconds, rel=0.05)
    assert {key: stated.get(key) for key in printed.stated} == pytest.approx(printed.stated, rel=0.002)
    assert checking.check_trial(recording.folder).troubles == []


@pytest.mark.parametrize("name", PRINTED)
def test_no_quantile_is_made_up(tmp_path: Path, name: str) -> None:
    document = result_of(imported(tmp_path / "run", RECORDED / name)).document
    assert document.validity.verdict == "disturbed"
    if name not in WITH_TIMES:
        assert document.latency_ms.service is None
        assert not any(measure.startswith("service_") for measure in document.estimates)


WITH_TIMES = {"wrk-2.txt", "hlog.hlog"}
"""Files that tell the times of their requests, in steps of a histogram."""


def test_a_spectrum_is_a_histogram_again(tmp_path: Path) -> None:
    service = result_of(imported(tmp_path / "run", RECORDED / "wrk-2.txt")).document.latency_ms.service
    assert service is not None
    assert (service.p50, service.p90, service.p99) == pytest.approx((4.07, 5.47, 17.65), rel=2e-3)


def test_the_report_shows_the_times_as_the_tool_states_them(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "wrk.txt")
    (tmp_path / "run" / "result.json").write_text(json.dumps(result_of(recording).to_json()))
    page = text.render(report.build(tmp_path / "run"), 200, False)
    assert "p99 5.01 ms" in page


def test_sums_are_no_part_of_a_load(tmp_path: Path) -> None:
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", RECORDED / "wrk.txt", RECORDED / "wrk-missing.txt")
    assert refused.value.problems[0].code == "import.several-sums"


def test_a_file_cut_before_its_sums_is_refused_with_the_line_to_look_for(tmp_path: Path) -> None:
    file = tmp_path / "wrk.txt"
    file.write_text("\n".join((RECORDED / "wrk.txt").read_text().splitlines()[:4]))
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", file)
    assert "requests in" in refused.value.problems[0].what


def test_quantiles_without_counts_are_no_run(tmp_path: Path) -> None:
    file = tmp_path / "ab.csv"
    file.write_text("Percentage served,Time in ms\n0,1.485\n1,1.546\n")
    with pytest.raises(PlanError) as refused:
        imported(tmp_path / "run", file)
    assert "ab -g" in refused.value.problems[0].mend


ROWS = [
    ("ab-rows.tsv", "ttime", 1.0),
    ("hey-rows.csv", "response-time", 1e3),
    ("oha-rows.csv", "request-duration", 1e3),
]
"""Files of single requests: the column of their time, and the milliseconds of its unit."""


@pytest.mark.parametrize(("name", "column", "unit_ms"), ROWS)
def test_rows_of_single_requests_have_their_times(
    tmp_path: Path, name: str, column: str, unit_ms: float
) -> None:
    recording = imported(tmp_path / "run", RECORDED / name)
    with open(RECORDED / name) as file:
        rows = list(csv.DictReader(file, delimiter="\t" if name.endswith(".tsv") else ","))
    assert sum(outcomes(recording).values()) == len(rows) == 60
    longest_ms = max(float(row[column]) for row in rows) * unit_ms
    histogram = recording.histogram(outcome=next(iter(outcomes(recording))), kind="service")
    assert histogram.max_ns / 1e6 == pytest.approx(longest_ms, rel=2e-3)
    assert origin(recording).notes
    assert not origin(recording).stated


def test_a_history_has_a_stretch_for_each_second_with_its_users(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "locust-history.csv")
    assert [frame.answered + frame.failed for frame in recording.frames] == [102, 162, 170, 162]
    assert [frame.users for frame in recording.frames] == [2, 3, 3, 3]
    assert [frame.len_ns for frame in recording.frames] == [10**9] * 4
    assert "GET /missing?n=[n]" in recording.routes
    assert recording.manifest.wall_ns == 1_795_884_886 * 10**9


def test_periods_are_stretches(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "artillery.json")
    assert [frame.answered for frame in recording.frames] == [111, 60]
    assert [frame.failed for frame in recording.frames] == [40, 15]


def test_tests_of_a_script_are_routes(tmp_path: Path) -> None:
    header = "DateTime,vuser,Tests,Errors,Mean_Test_Time_(ms),TPS"
    for number in (1, 2):
        header += f",Description,Tests-{number},Errors-{number},Mean_Test_Time_(ms)-{number},TPS-{number}"
    file = tmp_path / "output.csv"
    file.write_text(f"{header}\n2026-11-28 11:06:29,5,30,1,2,30,login,10,1,4,10,search,20,0,1,20\n")
    recording = imported(tmp_path / "run", file)
    counts = {(row.route, row.outcome): row.count for frame in recording.frames for row in frame.routes}
    assert counts == {("login", "ok"): 10, ("login", "failed"): 1, ("search", "ok"): 20}
    assert (recording.frames[0].users, recording.frames[0].len_ns) == (5, 10**9)
    assert recording.frames[0].in_flight_s == pytest.approx(0.06)


def test_rows_of_k6_have_their_routes_outcomes_and_times(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "k6-rows.csv")
    with open(RECORDED / "k6-rows.csv") as file:
        rows = [row for row in csv.DictReader(file) if row["metric_name"] == "http_req_duration"]
    counts = Counter({(row.route, row.outcome): 0 for frame in recording.frames for row in frame.routes})
    for frame in recording.frames:
        for row in frame.routes:
            counts[row.route, row.outcome] += row.count
    assert counts == {
        ("GET /ok", "ok"): 15, ("GET /missing", "http_4xx"): 15, ("GET /slow", "ok"): 15,
        ("GET /reset", "closed"): 3,
    }  # fmt: skip
    good = recording.histogram(outcome="ok", kind="service")
    longest = max(float(row["metric_value"]) for row in rows if row["expected_response"] == "true")
    assert good.max_ns / 1e6 == pytest.approx(longest, rel=2e-3)


def test_histograms_of_a_log_are_those_of_the_run(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "hlog.hlog")
    assert set(recording.routes) == {"requests", "search"}
    assert [frame.answered for frame in recording.frames] == [201, 201, 201]
    service = recording.histogram(route="search", kind="service")
    assert service.quantile_ns(0.5) / 1e6 == pytest.approx(50, rel=0.01)
    assert recording.manifest.wall_ns == 1_795_884_886 * 10**9


def test_a_log_of_ours_makes_the_same_counts_and_times_again(tmp_path: Path) -> None:
    before = imported(tmp_path / "before", RECORDED / "gatling.log")
    after = imported(tmp_path / "after", before.folder.latency)
    assert outcomes(after) == outcomes(before)
    assert set(after.routes) == set(before.routes)
    first, second = (run.histogram(outcome="ok", kind="service") for run in (before, after))
    assert first.encode() == second.encode()
    assert after.manifest.wall_ns // 10**6 == before.manifest.wall_ns // 10**6


def history_peak(folder: Path, seconds: int) -> int:
    """Return the most bytes of memory that a history of so many seconds takes."""
    header = (RECORDED / "locust-history.csv").read_text().splitlines()[0]
    middle = ",".join(["1"] * 11)
    file = folder / f"{seconds}.csv"
    with open(file, "w", encoding="utf-8") as out:
        out.write(header + "\n")
        for second in range(seconds):
            for name in ("/a", "/b"):
                out.write(
                    f"{1_795_884_886 + second},3,GET,{name},9,0,{middle},{second * 9},0,5,5.5,1,9,100\n"
                )
    tracemalloc.start()
    try:
        imported(folder / f"run-{seconds}", file)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_history_eight_times_as_long_takes_no_more_memory(tmp_path: Path) -> None:
    history_peak(tmp_path, 5)  # what is imported only once is not the file's
    short, long = history_peak(tmp_path, 300), history_peak(tmp_path, 2_400)
    assert long < 1.5 * short + 200_000


def exported(folder: Path, format_name: str) -> bytes:
    out = io.BytesIO()
    members.load("loadrig.exporters", format_name).write(exported_trial(folder), out)
    return out.getvalue()


def test_an_export_shows_no_times_that_nobody_told(tmp_path: Path) -> None:
    recording = imported(tmp_path / "run", RECORDED / "wrk.txt")
    (tmp_path / "run" / "result.json").write_text(json.dumps(result_of(recording).to_json()))
    assert "http_req_duration" not in json.loads(exported(tmp_path / "run", "k6"))["metrics"]
    assert b"request_duration_seconds_count" not in exported(tmp_path / "run", "openmetrics")
    for format_name in ("jtl", "vegeta", "hlog"):
        with pytest.raises(PlanError) as refused:
            exported(tmp_path / "run", format_name)
        assert "openmetrics" in refused.value.problems[0].mend


def test_times_from_when_requests_were_due_are_not_said_to_be_from_the_send(tmp_path: Path) -> None:
    by_wrk, by_wrk2 = (
        result_of(imported(tmp_path / name, RECORDED / name)).document.validity.reasons[0].text
        for name in ("wrk.txt", "wrk-2.txt")
    )
    assert len(by_wrk2) < len(by_wrk)
