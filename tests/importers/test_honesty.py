"""Gaps in what another tool told: they are not there, are not shown as zero, and accuse nobody."""

import json
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig import report
from loadrig.cli.__main__ import main
from loadrig.exporters._trial import exported_trial
from loadrig.exporters.k6 import summary
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import OutcomesSectionTexts, VerdictSectionTexts
from loadrig.recording.layout import RunFolder
from loadrig.recording.migrations import FORMAT
from loadrig.recording.reader import Recording
from loadrig.report import text
from loadrig.trial.result import result_of
from loadrig.trial.validity import judge
from tests.importers.made import BEGAN_NS, RECORDED, imported, vegeta_file

TOLD = {"n", "t_ns", "len_ns", "sent", "answered", "failed", "in_flight", "in_flight_s", "routes", "status"}


@pytest.fixture(scope="module")
def vegeta(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return imported(tmp_path_factory.mktemp("vegeta") / "run", RECORDED / "vegeta.json")


@pytest.fixture(scope="module")
def result(vegeta: Recording) -> Any:
    return json.loads(json.dumps(result_of(vegeta).to_json(), allow_nan=False))


def test_frames_hold_what_was_told_and_nothing_else(vegeta: Recording) -> None:
    for line in vegeta.folder.frames.read_text().splitlines():
        assert set(json.loads(line)) == TOLD
    assert not vegeta.folder.config.exists()
    assert {tag.kind for tag in vegeta._latency.tags} == {"service"}


def test_it_is_of_a_format_that_older_readers_refuse(vegeta: Recording) -> None:
    assert vegeta.manifest.recording == FORMAT == 4


def test_it_is_disturbed_and_says_why_first(vegeta: Recording, snapshot: SnapshotAssertion) -> None:
    validity = judge(vegeta)
    assert validity.verdict == "disturbed"
    assert validity.reasons[0].check == "imported"
    assert validity.reasons[0].text == snapshot
    # Every check is told of: either it spoke of how requests ended, or it could not be applied.
    assert {f"G{n}" for n in range(1, 15)} - set(validity.not_checked) == {"G6", "G12"}


def test_a_load_without_failures_is_disturbed_for_that_reason_alone(tmp_path: Path) -> None:
    rows = [(BEGAN_NS + i * 10_000_000, 3_000_000) for i in range(3_000)]
    validity = judge(imported(tmp_path / "run", vegeta_file(tmp_path / "a.csv", rows)))
    assert validity.verdict == "disturbed"
    assert [reason.check for reason in validity.reasons] == ["imported"]


def test_ports_that_its_own_errors_say_were_gone_leave_no_claim_about_its_load(tmp_path: Path) -> None:
    error = "dial tcp 127.0.0.1:80: connect: cannot assign requested address"
    rows = [(BEGAN_NS, 3_000_000), (BEGAN_NS + 5, 1_000, 0, error)]
    validity = judge(imported(tmp_path / "run", vegeta_file(tmp_path / "a.csv", rows)))
    assert validity.verdict == "disturbed"
    assert not validity.has_load


def test_nobody_is_accused(result: Any, snapshot: SnapshotAssertion) -> None:
    assert result["findings"] == []
    diagnosis = result["diagnosis"]
    assert (diagnosis["harms"], diagnosis["ceilings"], diagnosis["cleared"]) == ([], [], [])
    assert diagnosis["sentence"] == snapshot


def test_what_is_not_known_is_null_and_no_measure(result: Any) -> None:
    assert result["generator"] is None
    assert result["connections"] is None
    assert result["latency_ms"]["response"] is None
    assert result["latency_ms"]["service"]["count"] == 32
    load = result["load"]
    assert (load["model"], load["offered_rps"], load["unsent"], load["users"]) == (None, None, None, None)
    assert set(result["estimates"]) == {"throughput", "errors", "service_p50", "service_p95", "service_p99"}


def test_users_are_told_where_the_tool_told_them(tmp_path: Path) -> None:
    jmeter = imported(tmp_path / "run", RECORDED / "jmeter.jtl")
    assert result_of(jmeter).document.load.users == 4


def test_the_report_shows_no_figure_of_what_is_not_known(vegeta: Recording) -> None:
    run = vegeta.path.parent.parent
    (run / "result.json").write_text(json.dumps(result_of(vegeta).to_json()))
    terminal = text.render(report.build(run), 96, False)
    for word in ("opened", "lag", "busiest", "offered", "unsent", "response"):
        assert word not in terminal
    page = report.write_html(run).read_text(encoding="utf-8")
    assert "service p50" in page
    assert "response p50" not in page


@pytest.mark.nightly
def test_a_long_one_is_thinned_and_keeps_its_figures(tmp_path: Path) -> None:
    rows = [(BEGAN_NS + i * 500_000_000, 2_000_000 + i, 200 if i % 9 else 500) for i in range(7_400)]
    recording = imported(tmp_path / "run", vegeta_file(tmp_path / "a.csv", rows))
    assert recording.folder.packed_frames.exists()
    histogram = recording.histogram(outcome="ok", kind="service")
    assert histogram.count == sum(row[2] == 200 for row in rows)
    edges = [0, *(frame.end_ns for frame in recording.frames)]
    assert all(histogram.count for histogram in recording.histograms(edges, outcome="ok", kind="service"))
    assert result_of(recording).document.estimates["service_p99"].n == histogram.count


@pytest.mark.parametrize("name", ["ab-rows.tsv", "hlog.hlog"])
def test_results_without_outcomes_have_no_share_of_failures_anywhere(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert main(["import", str(RECORDED / name), "-o", str(run)]) == 0
    sentence = texts_of(VerdictSectionTexts).ends_untold
    assert sentence in capsys.readouterr().out
    recording = Recording.open(RunFolder(run).trial(1).path)
    document = result_of(recording).document
    assert document.imported
    assert document.imported.untold == ("outcomes",)
    assert "errors" not in document.estimates
    assert "errors" not in json.loads((run / "result.json").read_text())["estimates"]
    page = report.write_html(run).read_text(encoding="utf-8")
    terminal = text.render(report.build(run), 96, False)
    for shown in (page, terminal):
        assert texts_of(OutcomesSectionTexts).ends_untold.partition(",")[0] in shown
        assert texts_of(OutcomesSectionTexts).no_request_failed not in shown
    assert "http_req_failed" not in json.dumps(summary(exported_trial(run)))


def test_results_with_outcomes_still_have_their_share(tmp_path: Path) -> None:
    document = result_of(imported(tmp_path / "run", RECORDED / "ab.txt")).document
    assert document.estimates["errors"].value == 0
