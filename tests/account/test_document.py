"""The account's document is written as the recorded ones were, and its types hold for all of them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import jsonschema
import pytest

from loadrig.account.compose import document_of
from loadrig.account.document import AccountDocument, LevelDocument, WindowDocument
from loadrig.account.trial_account import account
from loadrig.base.documents import descriptions_of, plain, schema_of, typed
from loadrig.base.errors import PlanError
from tests.account.test_calm import dipped_scene, scene
from tests.report.accounts import document, document_by_load, document_by_route

RECORDED = Path(__file__).parent / "recorded"


def document_of_dips() -> AccountDocument:
    server, load = scene()
    whole = account([server], load)
    assert whole is not None
    return document_of(whole, dips=dipped_scene())


MADE: dict[str, Callable[[], AccountDocument]] = {
    "whole": document,
    "loads": lambda: document_by_load(overload=True),
    "routes": document_by_route,
    "dips": document_of_dips,
}

cases = pytest.mark.parametrize("name", MADE)


def recorded(name: str) -> str:
    return (RECORDED / f"{name}.json").read_text(encoding="utf-8").rstrip()


def without_numbers(text: str) -> str:
    """Return the text without its figures, whose last digit another processor may round otherwise."""
    return re.sub(r"-?\d[\d.]*(e-\d+)?", "#", text)


@cases
def test_what_is_made_has_the_fields_of_the_recorded_document_in_their_order(name: str) -> None:
    assert without_numbers(json.dumps(plain(MADE[name]()))) == without_numbers(recorded(name))


@cases
def test_what_is_read_is_written_again_byte_for_byte(name: str) -> None:
    assert json.dumps(plain(typed(AccountDocument, json.loads(recorded(name)), name))) == recorded(name)


@cases
def test_the_schema_holds_for_what_is_recorded(name: str) -> None:
    jsonschema.validate(json.loads(recorded(name)), schema_of(AccountDocument))


def test_every_field_has_a_description() -> None:
    for kind in (AccountDocument, LevelDocument, WindowDocument):
        assert set(descriptions_of(kind)) == set(kind.__struct_fields__)


def test_an_account_that_cannot_be_read_is_named_by_its_place() -> None:
    broken = json.loads(recorded("whole"))
    broken["components"]["server"]["per_request"][2]["ms"] = "long"
    with pytest.raises(PlanError) as error:
        typed(AccountDocument, broken, "result.json")
    (problem,) = error.value.problems
    assert problem.code == "recording.broken"
    assert "per_request[2].ms" in problem.why
