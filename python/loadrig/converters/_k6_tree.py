"""Parts of the tree that tree-sitter makes of a k6 script: their lines, texts and names."""

import re
import sys
from collections.abc import Iterator
from typing import Any

from loadrig.converters._javascript import tree_of
from loadrig.converters._k6_files import Unread
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.k6 import ConvertersK6Texts

TEXTS = texts_of(ConvertersK6Texts)

MOST_BYTES = 2_000_000
"""Bytes of a script at most: the tree of a text takes many times as much memory."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": ""}

_VARIABLE = re.compile(r"(?:Number|parseInt|parseFloat)?\(*__ENV(?:\.\w+|\[[^\]]{1,80}\])(?:,\s*10)?\)*")


def parsed(source: TestSource, before: int = 0) -> Any:
    """Return the root of a script's tree, whose lines are counted on from `before`.

    Raise PlanError `import.bad-test` where it is no JavaScript.
    """
    text = "\n" * before + source.text()
    if len(text) > MOST_BYTES:
        raise source.bad(TEXTS.too_long(MOST_BYTES), TEXTS.mend_file, line=1)
    root = tree_of(text, is_typescript=source.name.lower().endswith((".ts", ".ts.gz")))
    if root.has_error:
        raise source.bad(TEXTS.no_javascript, TEXTS.mend_file, line=_first_error(root))
    return root


def _first_error(root: Any) -> int:
    node = root
    while not (node.is_error or node.is_missing):
        below = next((child for child in node.children if child.has_error or child.is_missing), None)
        if below is None:
            break
        node = below
    return line_of(node)


def line_of(node: Any) -> int:
    """Return the line of a part of the script, from 1."""
    return int(node.start_point[0]) + 1


def text_in(node: Any) -> str:
    """Return a part of the script as it is written."""
    return str(node.text.decode("utf-8", "replace"))


def shown_code(node: Any) -> str:
    """Return the first line of a part of the script, shortened."""
    text = text_in(node).partition("\n")[0]
    return text if len(text) <= 80 else f"{text[:79]}…"


def named_parts(node: Any) -> list[Any]:
    """Return the parts of a node that are no signs and no comments."""
    return [child for child in node.named_children if child.type != "comment"]


def calls_in(node: Any) -> Iterator[Any]:
    """Yield every call in a part of the script, without recursion."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part.type == "call_expression":
            yield part
        waiting += reversed(part.named_children)


def defaults_in(node: Any) -> Iterator[Any]:
    """Yield every part of a script that stands for a variable of the environment, without recursion."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if part.type in ("binary_expression", "ternary_expression") and is_of_environment(part):
            yield part
        waiting += reversed(part.named_children)


def is_of_environment(node: Any) -> bool:
    """Return whether an expression has another value where a variable of the environment is not set."""
    is_choice = node.type == "ternary_expression"
    if not is_choice and text_in(node.child_by_field_name("operator")) not in ("||", "??"):
        return False
    asked = node.child_by_field_name("condition" if is_choice else "left")
    return _VARIABLE.fullmatch(text_in(asked)) is not None


def key_of(pair: Any) -> str:
    """Return the key of an object's pair. Raise Unread where it is computed."""
    key = pair.child_by_field_name("key")
    if key.type == "string":
        return "".join(piece_of(part) for part in key.named_children)
    if key.type not in ("property_identifier", "number"):
        raise Unread
    return text_in(key)


def result_of(function: Any) -> Any:
    """Return the expression that a function without other statements returns. Raise Unread."""
    body = function.child_by_field_name("body")
    if body is None:
        raise Unread
    if body.type != "statement_block":
        return body
    statements = named_parts(body)
    if len(statements) != 1 or statements[0].type != "return_statement" or not named_parts(statements[0]):
        raise Unread
    return named_parts(statements[0])[0]


def piece_of(part: Any) -> str:
    """Return what a part of a text in quotes stands for. Raise Unread where it is no text of its own."""
    text = text_in(part)
    if part.type != "escape_sequence":
        return text
    if text[1] in "ux":
        code = int(text[2:].strip("{}") or "0", 16)
        if code > sys.maxunicode or 0xD800 <= code <= 0xDFFF:  # half of a pair is no text of its own
            raise Unread
        return chr(code)
    return _ESCAPES.get(text[1:], text[1:])
