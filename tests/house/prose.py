"""Assertions on prose: a text of several words that a test compares, looks for, or wants at a text's end."""

import ast
import re

WORDS = 4
"""Words of letters in a row of text that make it prose: fewer are names, flags and commands."""

WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
ENDS = {"startswith", "endswith"}


def is_prose(node: ast.expr) -> bool:
    """Return whether an expression is a text of so many words, its holes left out."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
    if not isinstance(node, ast.JoinedStr) and not isinstance(getattr(node, "value", None), str):
        return False
    return sum(bool(WORD.fullmatch(word.strip("`'\".,;:()?!"))) for word in text.split()) >= WORDS


def texts(node: ast.expr) -> list[ast.expr]:
    """Return an expression, or the items of the collections that it is made of."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [text for item in items for text in texts(item)]
        case ast.Dict(values=values):
            return [text for value in values for text in texts(value)]
        case _:
            return [node]


def sought(test: ast.expr) -> list[ast.expr]:
    """Return what an assertion compares, looks for, or wants at the begin or the end of a text."""
    compared: list[ast.expr] = []
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            compared += texts(node.left)
            compared += [text for comparator in node.comparators for text in texts(comparator)]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ENDS:
            compared += [text for argument in node.args for text in texts(argument)]
    return compared


def is_on_prose(node: ast.AST) -> bool:
    """Return whether a node asserts on prose, or is a `pytest.raises(…, match=…)` that does."""
    if isinstance(node, ast.Assert):
        wanted = sought(node.test)
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "raises":
        wanted = [keyword.value for keyword in node.keywords if keyword.arg == "match"]
    else:
        return False
    return any(is_prose(text) for text in wanted)
