"""The validity in a trial's result: written as ever, read as it was, and what it takes away."""

import json

import jsonschema
import pytest

from loadrig.base.claims import CLAIMS, Weakened
from loadrig.base.documents import plain, schema_of, typed
from loadrig.base.errors import PlanError
from loadrig.trial.reasons import Reason
from loadrig.trial.validity import Validity

RECORDED = (
    '{"verdict": "disturbed", "reasons": [{"check": "G4", "level": "grave", "text": "time was taken",'
    ' "mend": "", "by": 0.15}], "weakened": [{"claim": "load", "effect": "lost", "by": null, "checks":'
    ' ["G4"], "why": "time was taken"}], "not_checked": {"G6": "no port was used"}}'
)

DISTURBED = Validity(
    "disturbed",
    (Reason("G4", "grave", "time was taken", by=0.15),),
    (Weakened("load", "lost", None, ("G4",), "time was taken"),),
    {"G6": "no port was used"},
)


def test_it_is_written_and_read_as_results_have_it() -> None:
    assert json.dumps(plain(DISTURBED)) == RECORDED
    assert typed(Validity, json.loads(RECORDED), "result.json") == DISTURBED
    jsonschema.validate(json.loads(RECORDED), schema_of(Validity))


def test_a_void_trial_loses_every_claim_and_a_disturbed_one_those_that_it_names() -> None:
    assert DISTURBED.lost == {"load"}
    assert Validity("void").lost == CLAIMS.keys()
    assert Validity("valid").lost == set()


def test_a_verdict_that_nobody_gives_is_refused() -> None:
    with pytest.raises(PlanError) as error:
        typed(Validity, {"verdict": "fine"}, "result.json")
    assert [problem.code for problem in error.value.problems] == ["recording.broken"]
