"""A study's result as a document."""

import json
from pathlib import Path

import jsonschema
import pytest
from msgspec.structs import replace

from loadrig.base.documents import ABSENT, plain, schema_of, typed
from loadrig.base.errors import PlanError
from loadrig.judgement.document import NOTHING_SAID
from loadrig.recording.documents import upgraded
from loadrig.study.document import StudyDocument
from loadrig.study.failures import headed
from loadrig.trial.document import FailureInTrials
from tests.study.documents import result_of_study, setting_row, study_document

TUNING = Path(__file__).parent.parent / "report" / "recorded" / "tuning.json"


def test_a_study_of_an_earlier_version_is_read_and_written_as_it_was() -> None:
    recorded = upgraded(json.loads(TUNING.read_text(encoding="utf-8")))
    written = json.loads(json.dumps(plain(typed(StudyDocument, recorded, "result.json")), allow_nan=False))
    assert written == recorded
    assert list(written) == list(recorded)
    jsonschema.validate(recorded, schema_of(StudyDocument))


def test_an_empty_diagnosis_of_an_earlier_version_is_none() -> None:
    assert upgraded(result_of_study(diagnosis={}))["diagnosis"] is None


def test_what_a_newer_version_adds_is_passed_over() -> None:
    assert study_document([setting_row(0, {"workers": 2})], colour="blue").name == "shop"


def test_a_result_without_its_settings_is_no_study() -> None:
    result = result_of_study()
    del result["settings"]
    with pytest.raises(PlanError):
        typed(StudyDocument, result, "result.json")


def test_a_server_that_failed_stands_at_the_head_of_the_result_and_in_its_answer() -> None:
    answer = {"headline": "sound", "verdict": "sound"}
    study = study_document([setting_row(0, {})], diagnosis=plain(NOTHING_SAID), soak=answer)
    failed = headed(study, FailureInTrials("died", "The server died.", trials=()))
    assert list(plain(failed))[:3] == ["schema", "headline", "target_failed"]
    assert failed.headline == "The server died."
    assert failed.diagnosis == replace(NOTHING_SAID, sentence="The server died.")
    assert failed.soak == {"headline": "The server died.", "verdict": "sound"}
    assert (failed.spike, study.headline) == (ABSENT, ABSENT)
