"""A disturbed trial answers: on recordings in which time was stolen, or a generator fell short."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from loadrig.base.claims import CLAIMS
from loadrig.base.documents import plain
from loadrig.base.exits import Exit
from loadrig.cli._finish import exit_of_trial
from loadrig.recording.documents import TRIAL, upgraded
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import Route, SyntheticServer, write_recording
from loadrig.trial.result import TrialResult, result_of
from tests.integration.recorded_runs import CAUSES, recorded_run
from tests.trial.clean import witness

ROUTES = (Route("search", median_s=0.02, outcomes={"http_5xx": 0.01}),)


@pytest.mark.parametrize("stolen", [0.0, 0.02, 0.05, 0.10, 0.15, 0.25])
@pytest.mark.parametrize("name", CAUSES)
def test_a_recorded_trial_names_the_same_cause_however_much_time_was_stolen(
    tmp_path: Path, name: str, stolen: float
) -> None:
    """All workers taken is a ratio, and as sure as ever; that the first requests took longer is a time."""
    manifest = TrialFolder(recorded_run(name, tmp_path) / "trials" / "0001").manifest
    facts = json.loads(manifest.read_text())
    facts["witness"]["stolen_share"] = stolen
    manifest.write_text(json.dumps(facts))
    result = result_of(Recording.open(manifest.parent))
    assert result.validity.verdict != "void"
    first = result.document.findings[0]
    assert first.cause == CAUSES[name]
    assert (first.verdict == "likely") == (name == "few-threads" or stolen <= 0.02)


def trial(folder: Path, stolen: float = 0.0, **other: Any) -> TrialResult:
    """Return the result of a trial whose generator lost so much of its time to the hypervisor."""
    facts = {"witness": plain(witness(stolen_share=stolen)), **other.pop("facts", {})}
    recording = write_recording(
        folder / f"{stolen}", (200.0,) * 30, routes=ROUTES, server=SyntheticServer(), facts=facts, **other
    )
    return result_of(recording)


def sentence(result: TrialResult) -> str:
    assert result.document.diagnosis is not None
    return result.document.diagnosis.sentence


def goal(limit: float, measure: str = "p95", *, below: bool = True) -> Mapping[str, Any]:
    text = f"{measure} {'<' if below else '>'} {limit}"
    return {"measure": measure, "below": below, "limit": limit, "unit": "s", "route": None, "over_s": None,
            "text": text}  # fmt: skip


@pytest.mark.parametrize("stolen", [0.02, 0.05, 0.10, 0.15, 0.25])
def test_a_trial_with_stolen_time_answers_and_its_times_alone_are_wider(
    tmp_path: Path, stolen: float
) -> None:
    calm, noisy = trial(tmp_path), trial(tmp_path, stolen)
    assert noisy.validity.verdict == "disturbed"
    assert noisy.document.findings
    for name, estimate in noisy.measures.items():
        before = calm.measures[name]
        assert estimate.value == before.value
        if before.low is None or before.high is None or estimate.low is None or estimate.high is None:
            continue
        if name in ("errors", "memory", "cpu_per_request", "core_speed", "offered"):
            assert (estimate.low, estimate.high) == (before.low, before.high), name
        else:
            assert estimate.low <= before.low * (1 - stolen) * (1 + 1e-9), name
            assert estimate.high == pytest.approx(before.high / (1 - stolen)), name


@pytest.mark.parametrize("stolen", [0.005, 0.15])
def test_steal_of_the_servers_core_counts_as_that_of_the_generators_own(
    tmp_path: Path, stolen: float
) -> None:
    rates = trial(tmp_path, stolen_share=stolen).validity.of("rates")
    assert (None if rates is None else rates.by) == (pytest.approx(stolen) if stolen > 0.01 else None)


def test_a_tail_may_be_the_stand_stills_alone(tmp_path: Path) -> None:
    calm, noisy = trial(tmp_path), trial(tmp_path, 0.05)
    # Without the slowest twentieth the p99 is what the p94 was.
    assert (noisy.measures["p99"].low or 0.0) < calm.measures["p95"].value
    assert calm.measures["p95"].value < (calm.measures["p99"].low or 0.0)


def test_the_answer_of_a_healthy_server_is_the_same_under_steal(tmp_path: Path) -> None:
    calm, noisy = trial(tmp_path), trial(tmp_path, 0.15)
    assert sentence(noisy) == sentence(calm)


def test_the_document_says_which_claims_weaken_by_how_much_and_why(tmp_path: Path) -> None:
    document = trial(tmp_path, 0.15).to_json()
    assert document["schema"] == TRIAL
    weakened = {entry["claim"]: entry for entry in document["validity"]["weakened"]}
    assert weakened.keys() == {"rates", "times", "tails"} < CLAIMS.keys()
    for entry in weakened.values():
        assert entry["effect"] == "wider"
        assert entry["by"] == pytest.approx(0.15)
        assert entry["checks"] == ("G4",)
        assert entry["why"]


def test_a_goal_that_was_met_is_met_and_one_missed_by_less_than_the_disturbance_is_not_decided(
    tmp_path: Path,
) -> None:
    p50 = trial(tmp_path).measures["p50"].value
    goals = [goal(1.01 * p50, "p50"), goal(0.95 * p50, "p50"), goal(0.3 * p50, "p50"),
             goal(0.001, "errors")]  # fmt: skip
    result = trial(tmp_path / "with goals", 0.10, facts={"goals": goals})
    assert [each.is_met for each in result.goals] == [True, None, False, False]


def test_a_generator_that_fell_short_decides_no_goal_but_what_went_wrong(tmp_path: Path) -> None:
    goals = [goal(5.0), goal(1e-6), goal(0.5, "errors"), goal(0.001, "errors")]
    result = trial(tmp_path, unsent_share=0.1, facts={"goals": goals})
    assert result.validity.verdict == "disturbed"
    assert [each.is_met for each in result.goals] == [None, None, None, False]
    assert result.document.load.sent < result.document.load.requests


def test_a_noisy_machine_is_no_reason_to_fail_and_a_load_that_fell_short_is(tmp_path: Path) -> None:
    assert exit_of_trial(trial(tmp_path, 0.25)) is Exit.FINE
    assert exit_of_trial(trial(tmp_path / "short", unsent_share=0.1)) is Exit.VOID


def test_results_of_version_1_are_read_as_what_they_said() -> None:
    reasons = [{"check": "G4", "level": "suspect", "text": "it waited", "mend": ""}]
    old = {"schema": "loadrig.trial/1", "validity": {"verdict": "suspect", "reasons": reasons}}
    validity = upgraded(old)["validity"]
    assert (validity["verdict"], validity["weakened"]) == ("disturbed", [])
    assert [reason["level"] for reason in validity["reasons"]] == ["disturbed"]
    assert reasons[0]["level"] == "suspect"


def test_studies_of_version_1_are_read_as_what_they_said() -> None:
    trials = [{"index": 1, "validity": "suspect"}, {"index": 2, "validity": "void"}]
    old = {"schema": "loadrig.study/1", "validity": {"valid": 0, "suspect": 1, "void": 1},
           "settings": [{"id": 0, "trials": trials}]}  # fmt: skip
    document = upgraded(old)
    assert document["validity"] == {"valid": 0, "disturbed": 1, "void": 1}
    assert [row["validity"] for row in document["settings"][0]["trials"]] == ["disturbed", "void"]
    assert upgraded(document) == document
