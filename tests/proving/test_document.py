"""The document of a proof: written as it always was, read again, and told from what is torn."""

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

from loadrig.base.documents import ABSENT, plain, schema_of, typed
from loadrig.base.errors import PlanError
from loadrig.interventions import Lever
from loadrig.judgement.document import NOTHING_SAID
from loadrig.judgement.experiments.conclusions import conclusion_of
from loadrig.judgement.experiments.suspects import suspects_in
from loadrig.proving.changes import skip
from loadrig.proving.compose import bands_of, experiments_of, skipped_of, without_answer
from loadrig.proving.document import InterventionBand, ProofDocument
from loadrig.proving.fix import fix_of
from loadrig.recording.files import write_json
from loadrig.trial.document import TargetFailure
from loadrig.trial.target_failed import in_trial, of_many
from tests.judgement.experiments.examples import cleared, finding, result

RECORDED = Path(__file__).parent / "recorded" / "proof.json"
"""A proof as it was written when it was still put together of dictionaries."""


def composed() -> ProofDocument:
    findings = [finding("too_few_workers", "server"), finding("database_cpu", "mariadb", 2.0)]
    spared = [cleared("cpu_quota", "server")]
    less_cpu = result(Lever("cpu", "mariadb"), "cleared")
    workers = Lever("knob", "server", "workers")
    results = [
        less_cpu, result(workers, "limits", ratio=None, gain=1.9, is_mend=True)
    ]  # fmt: skip
    conclusions = [conclusion_of(suspect, results, ["mariadb"]) for suspect in suspects_in(findings, [])]
    skipped = skip(
        Lever("delay", "redis"), "nothing is in front of redis", "name its address: prove: {through: …}",
        "prove.no-proxy",
    )  # fmt: skip
    bands = [
        InterventionBand(1, 5.0, 7.0, less_cpu.title, 0),
        InterventionBand(1, 8.0, 9.0, "a change without a result", 1),
    ]
    command = "loadrig diagnose RUN --prove"
    died = TargetFailure("died", "The server died.", after_s=3.1, exit_status=-9, last_lines=("Killed",))
    failed = of_many([in_trial(died, 1, {"workers": 4})], 1)
    assert failed is not None
    return ProofDocument(
        headline=failed.sentence, target_failed=failed,
        of_trial=1, budget_s=180.0, took_s=61.3, ended="sure", sentence="Workers are too few.",
        experiments=experiments_of(results, conclusions), skipped=skipped_of([skipped, skipped]),
        bands=bands_of(bands, results),
        fix=fix_of(findings[0], conclusions[0], (), "throughput", command),
        findings=tuple(findings), cleared=tuple(spared),
        diagnosis=replace(NOTHING_SAID, sentence="Workers are too few.", cleared=tuple(spared)),
    )  # fmt: skip


def test_it_is_written_byte_for_byte_as_it_was_before_it_had_types(tmp_path: Path) -> None:
    write_json(tmp_path / "proof.json", plain(composed()))
    assert (tmp_path / "proof.json").read_bytes() == RECORDED.read_bytes()


def test_what_is_read_is_what_was_written() -> None:
    written = json.loads(RECORDED.read_text(encoding="utf-8"))
    document = typed(ProofDocument, written, str(RECORDED))
    assert json.loads(json.dumps(plain(document))) == written
    assert document.experiments == composed().experiments
    assert json.loads(json.dumps(document.failure)) == {
        name: written[name] for name in ("headline", "target_failed")
    }


def test_a_proof_in_which_no_server_failed_says_nothing_of_it() -> None:
    written = json.loads(RECORDED.read_text(encoding="utf-8"))
    for name in ("headline", "target_failed"):
        del written[name]
    document = typed(ProofDocument, written, str(RECORDED))
    assert document.headline is ABSENT
    assert document.failure == {}
    assert list(plain(document)) == list(written)


def test_the_place_of_what_is_wrong_is_told() -> None:
    written = json.loads(RECORDED.read_text(encoding="utf-8"))
    written["experiments"][1]["standing"] = "guilty"
    with pytest.raises(PlanError) as raised:
        typed(ProofDocument, written, "proof.json")
    problem = raised.value.problems[0]
    assert problem.code == "recording.broken"
    assert "$.experiments[1].standing" in problem.why


def test_what_is_written_keeps_to_the_schema() -> None:
    jsonschema.validate(json.loads(RECORDED.read_text(encoding="utf-8")), schema_of(ProofDocument))


@pytest.mark.parametrize(
    ("is_open", "is_decided", "has_proof", "ended"),
    [
        (True, False, True, "budget"),
        (True, False, False, "unprovable"),
        (False, False, True, "exhausted"),
        (False, True, False, "sure"),
    ],
)
def test_a_proof_that_names_nothing_says_why_it_ended(
    is_open: bool, is_decided: bool, has_proof: bool, ended: str
) -> None:
    assert without_answer(is_open=is_open, is_decided=is_decided, has_proof=has_proof) == ended
