"""Documents are written and read as they were, and what is wrong in one is named by its place."""

import json
from collections.abc import Mapping
from typing import Annotated

import jsonschema
import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.documents import (
    ABSENT,
    Absent,
    Document,
    Says,
    descriptions_of,
    fields_of,
    plain,
    schema_of,
    typed,
)
from loadrig.base.errors import PlanError


class InnerDocument(Document, frozen=True):
    share: Annotated[float | None, Says("share of the whole, 0 to 1; null where unknown")]


class OuterDocument(Document, frozen=True):
    name: Annotated[str, Says("what it is called")]
    parts: Annotated[tuple[InnerDocument, ...], Says("its parts")] = ()
    note: Annotated[str | Absent, Says("left out where there is none")] = ABSENT
    plainly: int = 1


OUTER = OuterDocument(name="a", parts=(InnerDocument(share=0.5), InnerDocument(share=None)))


def test_what_is_written_is_read_as_it_was() -> None:
    written = plain(OUTER)
    assert json.loads(json.dumps(written)) == {
        "name": "a",
        "parts": [{"share": 0.5}, {"share": None}],
        "plainly": 1,
    }
    assert typed(OuterDocument, written, "result.json") == OUTER


def test_a_number_that_is_a_float_by_inheritance_is_written_as_a_float() -> None:
    assert type(plain(InnerDocument(share=np.float64(0.5)))["share"]) is float
    with pytest.raises(TypeError):
        plain(InnerDocument(share=object()))  # type: ignore[arg-type]


def test_fields_of_a_newer_loadrig_are_passed_over() -> None:
    assert typed(OuterDocument, {**plain(OUTER), "newer": 1}, "result.json") == OUTER


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ({"name": 1}, "$.name"),
        ({}, "name"),
        ({"name": "a", "parts": [{"share": "half"}]}, "$.parts[0].share"),
    ],
)
def test_what_is_wrong_is_named_by_file_and_place(wrong: object, place: str) -> None:
    with pytest.raises(PlanError) as error:
        typed(OuterDocument, wrong, "runs/a/result.json")
    (problem,) = error.value.problems
    assert "runs/a/result.json" in problem.what
    assert place in problem.why


def test_the_schema_holds_for_what_is_written_and_says_what_fields_mean() -> None:
    schema = schema_of(OuterDocument)
    jsonschema.validate(json.loads(json.dumps(plain(OUTER))), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"parts": []}, schema)
    assert list(descriptions_of(OuterDocument)) == ["name", "parts", "note"]


class Nested(Document, frozen=True):
    by_name: Annotated[Mapping[str, OuterDocument], Says("each by its name")]
    last: Annotated[InnerDocument | None, Says("the last part, or null")]


def test_fields_of_inner_documents_are_told_once_with_their_paths(snapshot: SnapshotAssertion) -> None:
    assert dict(fields_of(Nested)) == snapshot
