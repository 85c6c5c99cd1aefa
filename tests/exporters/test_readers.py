"""Exported files as other tools' own libraries read them: the figures are those of the recording."""

import csv
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import junitparser
import pytest

from loadrig.base import members
from loadrig.exporters import ExportedTrial, exported_trial, series_rows
from loadrig.importers import ResultsFile, RunFacts
from loadrig.testing.synthetic import Route, write_recording

ROUTES = (
    Route("search", share=0.6, outcomes={"http_5xx": 0.05, "timeout": 0.05, "check_failed": 0.02}),
    Route("a cart, of=two\\", share=0.4),
)


JUNIT_ATTRIBUTES = {
    "testsuites": {"name", "tests", "failures", "errors", "time"},
    "testsuite": {"name", "tests", "failures", "errors", "skipped", "time"},
    "testcase": {"classname", "name", "time"},
    "failure": {"message", "type"}, "skipped": {"message"}, "system-out": set[str](),
}  # fmt: skip
"""Attributes that we write by their element: the schema of Jenkins has them all. Source: its junit-10.xsd."""

GITLAB_ISSUES = {
    "type": "array",
    "items": {
        "type": "object",
        "required": ["description", "check_name", "fingerprint", "severity", "location"],
        "properties": {
            "description": {"type": "string"},
            "check_name": {"type": "string"},
            "fingerprint": {"type": "string"},
            "severity": {"enum": ["info", "minor", "major", "critical", "blocker"]},
            "location": {
                "type": "object",
                "required": ["path", "lines"],
                "properties": {
                    "path": {"type": "string", "pattern": r"^(?!\./|/)"},
                    "lines": {"type": "object", "required": ["begin"], "properties": {
                        "begin": {"type": "integer", "minimum": 1},
                    }},
                },
            },
        },
    },
}  # fmt: skip
"""Fields that GitLab asks of a report of code quality. Source: docs.gitlab.com/ci/testing/code_quality."""


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> ExportedTrial:
    folder = tmp_path_factory.mktemp("trial") / "trial"
    write_recording(folder, rates=(200.0,) * 15, routes=ROUTES)
    return exported_trial(folder)


def written(trial: ExportedTrial, name: str) -> bytes:
    out = io.BytesIO()
    members.load("loadrig.exporters", name).write(trial, out)
    return out.getvalue()


def requests(trial: ExportedTrial) -> int:
    return sum(trial.document.outcomes.values())


@pytest.mark.parametrize(("name", "tool", "unit_ms"), [("jtl", "jmeter", 1.0), ("vegeta", "vegeta", 0.0)])
def test_as_many_requests_with_the_same_quantiles_and_failures(
    trial: ExportedTrial, tmp_path: Path, name: str, tool: str, unit_ms: float
) -> None:
    path = tmp_path / "results"
    path.write_bytes(written(trial, name))
    samples = list(members.load("loadrig.importers", tool).samples(ResultsFile(path), RunFacts()))
    assert len(samples) == requests(trial)
    good = sorted(sample.took_ns / 1e6 for sample in samples if sample.outcome == "ok")
    assert len(good) == trial.document.outcomes["ok"]
    times = trial.document.latency_ms.good
    assert times is not None
    for share, figure in ((0.5, times.p50), (0.95, times.p95), (0.99, times.p99)):
        # A step of 0.23 % and the histogram's own, and what the format rounds away.
        assert good[int(share * (len(good) - 1))] == pytest.approx(figure, rel=0.02, abs=unit_ms)
    window = trial.recording.measured
    ends = [sample.start_ns + sample.took_ns for sample in samples]
    assert min(ends) >= trial.since_1970(window.from_ns) - 1e6
    assert max(ends) <= trial.since_1970(window.to_ns) + 1e6


def test_the_log_of_histograms_is_read_by_hdrhistogram(trial: ExportedTrial, tmp_path: Path) -> None:
    from hdrh.histogram import HdrHistogram
    from hdrh.log import HistogramLogReader

    path = tmp_path / "latency.hlog"
    path.write_bytes(written(trial, "hlog"))
    reader = HistogramLogReader(str(path), HdrHistogram(1, 3600 * 10**9, 3))
    count = 0
    while (histogram := reader.get_next_interval_histogram()) is not None:
        if histogram.get_tag().endswith("|response"):
            count += histogram.get_total_count()
    reader.close()
    # The first made-up frame begins before the log does, which no other reader understands.
    assert count == sum(row.count for frame in trial.recording.frames[1:] for row in frame.routes)


def test_the_table_and_the_parquet_file_have_the_same_rows(trial: ExportedTrial, tmp_path: Path) -> None:
    from pyarrow import parquet

    rows = list(csv.DictReader(io.StringIO(written(trial, "csv").decode(), newline="")))
    path = tmp_path / "series.parquet"
    path.write_bytes(written(trial, "parquet"))
    table = parquet.read_table(path).to_pylist()
    assert len(rows) == len(table) == len(list(series_rows(trial)))
    for row, packed in zip(rows, table, strict=True):
        assert {**packed, "t_ns": str(packed["t_ns"]), "value": float(row["value"])} == {
            **{key: row[key] for key in packed if key != "value"}, "value": packed["value"],
        }  # fmt: skip
    sent = sum(float(row["value"]) for row in rows if row["metric"] == "sent")
    assert sent == sum(frame.sent for frame in trial.recording.frames)


def test_totals_are_read_by_the_parser_of_prometheus(trial: ExportedTrial) -> None:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families

    text = written(trial, "openmetrics").decode()
    families = list(text_string_to_metric_families(text))  # type: ignore[no-untyped-call]
    samples = [sample for family in families for sample in family.samples]
    for name in ("loadrig_requests_total", "loadrig_request_duration_seconds_count"):
        assert sum(sample.value for sample in samples if sample.name == name) == requests(trial)
    assert {sample.labels["route"] for sample in samples if "route" in sample.labels} == {
        route.name for route in ROUTES
    }


LINE = re.compile(r"((?:[^ ,\\]|\\.|\\)+)((?:,(?:[^ ,=\\]|\\.)+=(?:[^ ,=\\]|\\.|\\)+)*) ([^ =]+)=(\S+) (\d+)")


def test_every_line_is_of_the_line_protocol(trial: ExportedTrial) -> None:
    lines = written(trial, "influx").decode().splitlines()
    assert len(lines) == len(list(series_rows(trial)))
    assert all(LINE.fullmatch(line) for line in lines)


def test_the_summary_has_the_figures_of_the_result(trial: ExportedTrial) -> None:
    metrics: dict[str, Any] = json.loads(written(trial, "k6"))["metrics"]
    assert metrics["http_reqs"]["count"] == requests(trial)
    assert metrics["http_req_failed"]["fails"] == trial.document.outcomes["ok"]
    times = trial.document.latency_ms.response
    assert times is not None
    assert metrics["loadrig_response"]["p(95)"] == pytest.approx(times.p95, rel=0.001)


def fields_of(value: object, path: str = "") -> Iterator[str]:
    """Yield the paths of the numbers of a line of JSON, as jplot takes them."""
    if isinstance(value, dict):
        for key, part in value.items():
            yield from fields_of(part, f"{path}.{key}" if path else key)
    else:
        assert isinstance(value, int | float), path
        yield path


def test_an_interval_is_a_line_of_json(trial: ExportedTrial) -> None:
    rows = [json.loads(line) for line in written(trial, "jplot").splitlines()]
    assert len(rows) == len(trial.recording.frames)
    assert sum(row["due"] for row in rows) == sum(frame.due for frame in trial.recording.frames)


def test_every_line_for_jplot_has_every_field(tmp_path: Path) -> None:
    # jplot ends at a line that lacks a field, so a second without a good answer has all of them, too.
    write_recording(tmp_path / "trial", rates=(100.0, 0.0, 100.0), warm_up_frames=0)
    lines = written(exported_trial(tmp_path / "trial"), "jplot").splitlines()
    rows = [json.loads(line) for line in lines]
    assert 0 in [row["latency"]["p99"] for row in rows]
    assert len({tuple(fields_of(row)) for row in rows}) == 1
    buckets = {f"code.hist.{number}" for number in (100, 200, 300, 400, 500)}
    assert {"rps", "latency.p50", "latency.p99", *buckets} <= {*fields_of(rows[0])}


def test_a_missed_goal_is_a_failure_everywhere(tmp_path: Path) -> None:
    write_recording(tmp_path / "trial", rates=(100.0,) * 10)
    trial = exported_trial(tmp_path / "trial")
    from msgspec.structs import replace

    from loadrig.trial.document import GoalDocument

    goals = tuple(
        GoalDocument(text=f"p95 < {limit}, 100 %: ms", met=met, value=12.0, unit="ms")
        for limit, met in ((1, False), (2, True), (3, None))
    )
    trial.__dict__["document"] = replace(trial.document, goals=goals)
    report = tmp_path / "junit.xml"
    report.write_bytes(written(trial, "junit"))
    (suite,) = junitparser.JUnitXml.fromfile(str(report))
    assert (suite.name, suite.tests, suite.failures, suite.skipped, suite.errors) == (trial.name, 4, 1, 1, 0)
    elements = {element.tag: set(element.keys()) for element in ElementTree.parse(report).iter()}
    assert elements == JUNIT_ATTRIBUTES
    outcomes = {case.name: [type(result).__name__ for result in case.result] for case in suite}
    assert list(outcomes.values()) == [[], ["Failure"], [], ["Skipped"]]
    assert [name for name in outcomes if name != "validity"] == [goal.text for goal in goals]
    commands = written(trial, "github").decode().splitlines()
    assert [line.partition(" ")[0] for line in commands[:3]] == ["::notice", "::error", "::warning"]
    assert all(line.count("::") == 2 for line in commands)
    issues = json.loads(written(trial, "gitlab"))
    jsonschema.validate(issues, GITLAB_ISSUES)
    assert [issue["severity"] for issue in issues[:2]] == ["major", "minor"]
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    thresholds = json.loads(written(trial, "k6"))["metrics"]["loadrig_goals"]["thresholds"]
    assert list(thresholds.values()) == [True, False]
    assert sum(line.startswith("| ") for line in written(trial, "markdown").decode().splitlines()) >= 8


@pytest.mark.parametrize("name", ["csv", "parquet"])
def test_duckdb_reads_every_row_with_its_types(trial: ExportedTrial, tmp_path: Path, name: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    path = tmp_path / f"series.{name}"
    path.write_bytes(written(trial, name))
    with duckdb.connect() as base:
        rows = base.sql(f"SELECT t_ns, metric, value FROM '{path}' ORDER BY ALL").fetchall()
    expected = [(row.t_ns, row.metric, row.value) for row in series_rows(trial)]
    assert len(rows) == len(expected) > 100
    assert sum(row[2] for row in rows) == pytest.approx(sum(row[2] for row in expected))
    assert {row[1] for row in rows} == {row[1] for row in expected}
