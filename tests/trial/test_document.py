"""The result of a trial as a type: what was written before can be read, and is written as it was."""

import json
from pathlib import Path

import pytest

from loadrig.base.documents import plain
from loadrig.base.errors import PlanError
from loadrig.recording import documents
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording
from loadrig.trial.document import trial_of
from loadrig.trial.result import result_of

RECORDED = Path(__file__).parent.parent / "integration" / "recorded"


@pytest.mark.parametrize("name", ["cold", "few-threads"])
def test_a_result_of_the_first_version_is_read(name: str) -> None:
    path = RECORDED / name / "run" / "result.json"
    written = json.loads(path.read_text(encoding="utf-8"))
    assert written["schema"] == "loadrig.trial/1"
    trial = trial_of(documents.read(path), str(path))
    assert trial.seed is None
    assert trial.load.requests == written["load"]["requests"]
    assert trial.latency_ms.response is not None
    assert trial.latency_ms.response.seconds("p99.9") * 1e3 == pytest.approx(
        written["latency_ms"]["response"]["p99.9"]
    )
    assert [finding.cause for finding in trial.findings] == [row["cause"] for row in written["findings"]]


def test_what_was_read_is_written_as_it_was(tmp_path: Path) -> None:
    routes = (Route(outcomes={"http_5xx": 0.1}), Route("login", 0.05, "login"))
    recording = write_recording(
        tmp_path / "t", (80.0,) * 20, routes=routes, server=SyntheticServer(), session_s=0.5
    )
    written = json.dumps(result_of(recording).to_json())
    assert json.loads(json.dumps(plain(trial_of(json.loads(written), "")))) == json.loads(written)


def test_what_is_missing_is_named_with_the_file() -> None:
    with pytest.raises(PlanError) as failure:
        trial_of({"schema": "loadrig.trial/2"}, "runs/a/result.json")
    (problem,) = failure.value.problems
    assert problem.code == "recording.broken"
    assert "runs/a/result.json" in problem.what
