"""Tests of what a run on a disturbed machine may come to, and what is wrong all the same."""

from typing import Any

import pytest

from loadrig.base.exits import Exit
from tests.labs.judged import outcome


def document(*checks: str, verdict: str = "likely", answer: str = "it is gil", right: bool = False) -> Any:
    """Return a lab's document: one trial with a finding, and reasons not to trust it wholly."""
    trial = {
        "validity": {"reasons": [{"check": check, "text": f"why {check}"} for check in checks]},
        "findings": [{"cause": "gil", "verdict": verdict}],
    }
    return {"right": right, "answer": answer, "trials": [trial]}


def void(answer: str) -> Any:
    return {"right": False, "answer": answer, "trials": []}


@pytest.mark.parametrize(
    ("code", "answer", "expected"),
    [
        (Exit.FINE, document(right=True), "right"),
        (Exit.FINE, document("G4", right=True), "right"),
        (Exit.GOAL_MISSED, document(), "wrong"),
        # Of the plan, of the server: no excuse.
        (Exit.GOAL_MISSED, document("G11", "G12"), "wrong"),
        (Exit.GOAL_MISSED, document("G4"), "disturbed"),
        (Exit.GOAL_MISSED, document("G12", "G15"), "disturbed"),
        # What is named was shown by an experiment: no neighbour excuses that it is wrong.
        (Exit.GOAL_MISSED, document("G4", verdict="named"), "wrong"),
        (Exit.VOID, void("no trial was good enough to be diagnosed: G4: its core was taken"), "void"),
        (Exit.VOID, void("it is gil; but a request took 3 ms: the machine became slower"), "void"),
        (Exit.VOID, void("no trial was good enough to be diagnosed: G5: it held back"), "wrong"),
        (Exit.VOID, void("no trial was good enough to be diagnosed: none was made"), "wrong"),
    ],
)
def test_only_what_a_run_says_of_the_machine_excuses_it(code: int, answer: Any, expected: str) -> None:
    assert outcome(code, answer).partition(":")[0] == expected


def test_a_proof_that_names_an_innocent_is_wrong() -> None:
    answer = document("G4")
    answer["proof"] = {"findings": [{"cause": "gil", "verdict": "named"}]}
    assert outcome(Exit.GOAL_MISSED, answer).startswith("wrong")
