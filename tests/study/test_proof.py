"""A study names a cause only where a setting took it away and the gain was measured."""

from types import SimpleNamespace
from typing import Any, cast

from msgspec.structs import replace
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.document import NOTHING_SAID, FindingDocument
from loadrig.judgement.evidence import ExperimentSource
from loadrig.study import proof
from loadrig.study.document import StudyDocument
from loadrig.trial.document import TrialDocument
from tests.judgement.experiments import examples
from tests.study.documents import setting_row, study_document
from tests.wording import numbers

PORTS = ("dependency_port_exhaustion", "server")
COMMAND = "loadrig run runs/x/plan.yaml"
BETTER: tuple[float, str] = (2.9, "better")


def finding(key: tuple[str, str], **more: Any) -> FindingDocument:
    return examples.finding(*key, 4.0, title="ports run out", effect="it costs half", evidence=(), **more)


def trial(*keys: tuple[str, str]) -> TrialDocument:
    return diagnosed(*(finding(key) for key in keys))


def diagnosed(*findings: FindingDocument) -> TrialDocument:
    diagnosis = replace(NOTHING_SAID, sentence="Likely: ports run out.")
    return cast("TrialDocument", SimpleNamespace(findings=findings, diagnosis=diagnosis))


def study(
    effect: float, verdict: str, knob: str = "pool", values: tuple[Any, Any] = (False, True)
) -> StudyDocument:
    compared = {
        "between": [0, 1], "measure": "throughput", "effect": effect,
        "interval": [effect - 0.1, effect + 0.1], "confidence": 0.95, "scale": "ratio", "verdict": verdict,
        "blocks": 6, "p": None, "to_decide": None, "note": "", "kind": "with_base",
    }  # fmt: skip
    settings = [setting_row(number, {knob: value}) for number, value in enumerate(values)]
    return study_document(settings, comparisons=[compared])


def test_a_setting_that_took_it_away_and_brought_more_names_it(snapshot: SnapshotAssertion) -> None:
    findings, diagnosis = proof.findings(study(*BETTER), {0: [trial(PORTS)] * 3, 1: [trial()] * 3}, COMMAND)
    assert findings[0].verdict == "named"
    first = findings[0].evidence[0]
    assert (first.weight, first.source) == (3.0, ExperimentSource(COMMAND))
    assert numbers(first.text) == [190, 95, 180, 200]
    assert "pool=true throughput" in first.text
    assert first.text == snapshot
    assert diagnosis is not None
    assert diagnosis.sentence.lower() == f"{findings[0].titled}: {findings[0].effect}."


def test_more_throughput_while_it_still_shows_speaks_against_it(snapshot: SnapshotAssertion) -> None:
    findings, _ = proof.findings(study(*BETTER), {0: [trial(PORTS)] * 3, 1: [trial(PORTS)] * 3}, COMMAND)
    assert findings[0].verdict == "likely"
    assert findings[0].against[0].text == snapshot


def test_a_setting_that_changed_nothing_names_nothing() -> None:
    findings, _ = proof.findings(study(1.0, "equivalent"), {0: [trial(PORTS)] * 3, 1: [trial()] * 3}, COMMAND)
    assert (findings[0].verdict, findings[0].evidence) == ("likely", ())


def test_what_stands_in_few_of_the_bases_trials_is_left_out() -> None:
    trials = {0: [trial(PORTS), trial(), trial()]}
    assert proof.findings(study(*BETTER), trials, COMMAND)[0] == ()


def test_a_symptom_that_is_still_there_is_not_gone() -> None:
    root = finding(("database_cpu", "mariadb"), symptoms=(finding(PORTS),))
    findings, _ = proof.findings(study(*BETTER), {0: [trial(PORTS)], 1: [diagnosed(root)]}, COMMAND)
    assert findings[0].verdict == "likely"


def test_health_is_not_proven_by_a_faster_setting() -> None:
    healthy = trial(("healthy", "server"))
    findings, _ = proof.findings(study(*BETTER), {0: [healthy], 1: [trial()]}, COMMAND)
    assert findings[0].verdict == "likely"


def test_a_study_without_trials_of_its_base_says_nothing() -> None:
    assert proof.findings(study(*BETTER), {1: [trial()]}, COMMAND) == ((), None)


def test_more_of_a_resource_names_nobody_who_only_uses_it() -> None:
    collector, full = ("gc_pressure", "server"), ("host_cpu", "server")
    trials = {0: [trial(collector, full)], 1: [trial()]}
    findings, _ = proof.findings(study(*BETTER, "cpu_quota", (1, 2)), trials, COMMAND)
    verdicts = {finding.cause: finding.verdict for finding in findings}
    assert verdicts == {"host_cpu": "named", "gc_pressure": "likely"}
    # Its weight grows all the same: the resource was short.
    assert {finding.cause: finding.weight for finding in findings} == {
        "host_cpu": 7.0,
        "gc_pressure": 5.0,
    }
    findings, _ = proof.findings(study(*BETTER, "gc", ("serial", "g1")), trials, COMMAND)
    assert {finding.verdict for finding in findings} == {"named"}
