"""Results that hold sums: what the tool printed stands in the run, and nothing beside it."""

import json
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from loadrig import report
from loadrig.base.errors import PlanError
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


WITH_TIMES = {"wrk-2.txt"}
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
