"""Checks of the expressions by which values of answers are found: the generator compiles each."""

import json
from collections.abc import Iterator, Mapping

from loadrig.base.errors import Span
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine_refusals import EngineRefusals
from loadrig.plan.draft import Draft
from loadrig.plan.node import Entries, Node, Scalar, at, listed

REFUSALS = texts_of(EngineRefusals)

CODES: Mapping[str, str] = {"json": "engine.json-place", "regex": "engine.regex", "css": "engine.css"}
"""Codes of what is refused, by the keys of an extraction that hold an expression."""


def check_expressions(draft: Draft) -> None:
    """Refuse regular expressions, places in JSON and selectors that the generator would refuse."""
    for _, node in draft.requests():
        for kind, text, where in _expressions(node):
            # The Rust half takes time to load, and most plans have no expression.
            from loadrig import _native

            refused = _native.check_expression(kind, text)
            if refused is not None:
                refusal = json.loads(refused)
                wording = getattr(REFUSALS, refusal["words"])(**refusal["values"])
                draft.reader.reject(wording, code=CODES[kind], where=where)


def _expressions(request: Node) -> Iterator[tuple[str, str, Span]]:
    """Yield the expressions of a request: the kind, the text and its place in the file."""
    for written in listed(at(request, "expect", "matches")):
        yield from _written("regex", written)
    for check in listed(at(request, "expect", "values")):
        for part in (check, *listed(at(check, "or"))):
            yield from (written for kind in CODES for written in _written(kind, at(part, kind)))
            yield from _written("regex", at(part, "matches"))
    places = at(request, "expect", "json")
    if isinstance(places, Entries):
        yield from (("json", entry.key, entry.span) for entry in places.entries.values())
    extract = at(request, "extract")
    sources = [entry.node for entry in extract.entries.values()] if isinstance(extract, Entries) else []
    for source in (*sources, at(request, "lasts_from")):
        if isinstance(source, Entries):
            for kind in CODES:
                yield from _written(kind, at(source, kind))
        else:
            # A bare text is a place in JSON.
            yield from _written("json", source)


def _written(kind: str, node: Node | None) -> Iterator[tuple[str, str, Span]]:
    if isinstance(node, Scalar) and isinstance(node.value, str):
        yield kind, node.text, node.span
