"""Documents of JSON or YAML that hold a test: plain data, with bounds on what a small file may mean."""

import json
import math
import re
from typing import Any

from loadrig.base.errors import PlanError
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.converters import ConvertersDocumentErrors
from loadrig.plan import yaml_library
from loadrig.plan.node import Entries, Items, Node, Scalar
from loadrig.plan.yaml_text import LinePlaces

ERRORS = texts_of(ConvertersDocumentErrors)

JsonValue = Any
"""Value of a foreign document as JSON has it: nothing is sure of it until it was looked at."""

MOST_YAML_LETTERS = yaml_library.MOST_LETTERS
"""Letters of a document of YAML at most. The library reads some hundred thousand a second; the same document
as JSON is read at once."""

MOST_DEPTH = 100
"""Depth of lists and objects within each other at most. Documents of people have some twenty."""

MOST_VALUES = 2_000_000
"""Values of a document at most: a file of the largest size could hold thirty million."""

_MERGE = "<<"
_YAML_ENDINGS = (".yaml", ".yml")
_SURROGATE = re.compile("[\ud800-\udfff]")


def read_document(source: TestSource) -> JsonValue:
    """Return the data of a file. Raise PlanError `import.bad-test`, `import.too-large`."""
    text = source.text()
    if not text.strip():
        raise source.bad(ERRORS.empty_document, ERRORS.name_the_test, line=1)
    is_json = text.lstrip().startswith(("{", "[")) and not source.name.lower().endswith(_YAML_ENDINGS)
    data = _json(text, source) if is_json else _yaml(text, source)
    return _Bounded(source).value(data, 0)


def json_text(text: str) -> JsonValue | None:
    """Return the data of a piece of JSON; None where it is none, or null, or too deep."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def object_of(value: JsonValue) -> dict[str, JsonValue]:
    """Return an object as it stands; an empty one for anything else."""
    return value if isinstance(value, dict) else {}


def list_of(value: JsonValue) -> list[JsonValue]:
    """Return a list as it stands; an empty one for anything else."""
    return value if isinstance(value, list) else []


def text_in(value: JsonValue) -> str:
    """Return a single value as a text, as JSON writes it; nothing for none, a list or an object."""
    match value:
        case str():
            return value
        case bool() | int() | float():
            return json.dumps(value)
        case _:
            return ""


def _json(text: str, source: TestSource) -> JsonValue:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise source.bad(ERRORS.no_json(error.msg), line=error.lineno, column=error.colno) from None
    except RecursionError:
        raise source.bad(ERRORS.deep_document(MOST_DEPTH), ERRORS.name_the_test, line=1) from None
    except ValueError:
        # Python reads no whole number of more than 4,300 digits.
        raise source.bad(ERRORS.long_number, ERRORS.name_the_test, line=1) from None


def _yaml(text: str, source: TestSource) -> JsonValue:
    if len(text) > MOST_YAML_LETTERS:
        raise source.bad(ERRORS.long_yaml(MOST_YAML_LETTERS), ERRORS.as_json, line=1)
    try:
        root, problems = yaml_library.read(LinePlaces(text, str(source.path)))
        if problems:
            raise PlanError(problems[0])
    except PlanError as error:
        problem = error.problems[0]
        line = problem.where.line if problem.where else 1
        raise source.bad(problem.what, line=line) from None
    return _plain(root)


def _plain(node: Node) -> JsonValue:
    match node:
        case Scalar():
            return node.value
        case Items():
            return [_plain(item) for item in node.items]
        case Entries():
            data = {key: _plain(entry.node) for key, entry in node.entries.items()}
            merged = data.pop(_MERGE, None)
            for part in merged if isinstance(merged, list) else [merged]:
                data = {**object_of(part), **data}
            return data


class _Bounded:
    """Look at all values of a document: their number, their depth, and whether a plan can hold them."""

    def __init__(self, source: TestSource) -> None:
        self._source = source
        self._values = 0

    def value(self, value: JsonValue, depth: int) -> JsonValue:
        """Return a value without halves of letters, which no encoding can write."""
        self._values += 1
        if depth > MOST_DEPTH:
            raise self._bad(ERRORS.deep_document(MOST_DEPTH))
        if self._values > MOST_VALUES:
            raise self._bad(ERRORS.many_values(MOST_VALUES))
        match value:
            case dict():
                return {_whole(key): self.value(item, depth + 1) for key, item in value.items()}
            case list():
                return [self.value(item, depth + 1) for item in value]
            case str():
                return _whole(value)
            case float() if not math.isfinite(value):
                raise self._bad(ERRORS.no_finite_number)
            case _:
                return value

    def _bad(self, what: str) -> PlanError:
        return self._source.bad(what, ERRORS.name_the_test, place=self._source.name)


def _whole(text: str) -> str:
    return _SURROGATE.sub("\ufffd", text)
