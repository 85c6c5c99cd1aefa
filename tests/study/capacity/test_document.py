"""The answer of a search as a document."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import jsonschema
import pytest

from loadrig.base.documents import ABSENT, plain, schema_of, typed
from loadrig.base.errors import PlanError
from loadrig.recording.reader import Recording
from loadrig.study.capacity.document import CapacityDocument
from loadrig.study.capacity.experiment import Replayed
from loadrig.study.capacity.result import document
from loadrig.study.capacity.search import Search
from tests.study.capacity.fakes import GOALS, Formula

RECORDED = Path(__file__).parent / "recorded"


def answer_of(search: Search) -> CapacityDocument:
    """Return the document of a search without a recording: its levels have no response times."""
    server = Formula()
    while not search.is_over:
        search.see(server.advance(search.level))
    return document(cast(Recording, SimpleNamespace(start_ns=0)), Replayed(search, ()))


@pytest.mark.parametrize("name", ["rate", "users", "none"])
def test_a_document_of_an_earlier_version_is_read_and_written_as_it_was(name: str) -> None:
    recorded = json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))
    written = json.loads(json.dumps(plain(typed(CapacityDocument, recorded, name)), allow_nan=False))
    assert written == recorded
    assert list(written) == list(recorded)
    jsonschema.validate(recorded, schema_of(CapacityDocument))


def test_the_capacity_stands_under_the_unit_of_its_levels() -> None:
    rate = answer_of(Search(GOALS))
    assert (rate.unit, rate.users) == ("1/s", ABSENT)
    assert rate.value == rate.rps
    assert rate.interval is not None
    assert rate.interval[0] < cast(float, rate.value) < rate.interval[1]
    users = answer_of(Search(GOALS, unit="users", first=1.0))
    assert (users.unit, users.rps, users.value) == ("users", ABSENT, users.users)


def test_a_search_that_was_too_short_has_no_capacity_and_says_so_in_null() -> None:
    capacity = answer_of(Search(GOALS, budget_s=1.0))
    assert capacity.value is None
    assert plain(capacity)["rps"] is None
    assert typed(CapacityDocument, json.loads(json.dumps(plain(capacity), allow_nan=False)), "") == capacity


def test_a_document_that_lacks_its_levels_is_no_answer() -> None:
    answer = json.loads((RECORDED / "rate.json").read_text(encoding="utf-8"))
    del answer["probes"]
    with pytest.raises(PlanError):
        typed(CapacityDocument, answer, "result.json: capacity")
