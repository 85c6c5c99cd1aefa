"""Conditions of JMeter's controllers whose values the test itself fixes."""

import re
from collections.abc import Sequence

from loadrig.converters._jmx_comparisons import FIXED_CALLS, MOST_CONDITION_LETTERS, expression_of
from loadrig.converters._jmx_text import TextCall, Variables, parsed
from loadrig.converters._jmx_tree import TreeElement

_WORD = re.compile(r"""'[^']*'|"[^"]*"|[=!<>]=|[<>]|[^'"=!<>]+|.""", re.DOTALL)
"""Pattern of a text in quotes, a sign that compares, and what is between. Each letter is looked at once."""

_SCRIPT = re.compile(r"\(|^(?:prev|vars|props|ctx|sampler|sampleResult)\b")
"""Pattern of a side that is a call, or something of an object that JMeter gives to scripts."""

_SIGNS = frozenset(("==", "!=", ">=", "<=", ">", "<"))


def holds(condition: str, element: TreeElement, variables: Variables) -> bool | None:
    """Return whether a condition holds whose values the test fixes; None for any other and for long ones."""
    if len(condition) > MOST_CONDITION_LETTERS:
        return None
    if _is_bare(condition.strip(), element):
        return element.kind == "WhileController"
    condition = expression_of(condition)
    if any(isinstance(part, TextCall) and part.name.startswith("__") and not _is_fixed_call(part)
           for part in parsed(condition)):  # fmt: skip
        return None
    if any(
        isinstance(part, TextCall) and part.name not in variables.fixed and not part.name.startswith("__")
        for part in parsed(condition)
    ):
        return None
    text = variables.constant(condition, element)
    if text is None:
        return None
    if text.strip().strip("'\"").lower() in ("true", "false"):
        return text.strip().strip("'\"").lower() == "true"
    words = _WORD.findall(text.strip())
    places = [place for place, word in enumerate(words) if word in _SIGNS]
    if len(places) != 1:
        return None
    left, right = _side(words[: places[0]]), _side(words[places[0] + 1 :])
    return None if left is None or right is None else _compared(left, words[places[0]], right)


def _side(words: Sequence[str]) -> str | None:
    """Return the text on one side of a sign; None of what a script has to tell, and where a quote is open."""
    text = "".join(words).strip()
    is_quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    inner = text[1:-1] if is_quoted else text
    is_open = "'" in inner or '"' in inner
    return None if is_open or (not is_quoted and _SCRIPT.search(inner)) else inner


def _is_bare(condition: str, element: TreeElement) -> bool:
    """Return whether JMeter takes a condition as a text, which is neither "true" nor "false".

    An If Controller evaluates such a text only where it is told to, as JavaScript; a While Controller never.
    """
    if element.kind == "IfController" and element.get("IfController.useExpression") != "true":
        return False
    parts = [part for part in parsed(condition) if part != ""]
    is_value = len(parts) == 1 and isinstance(parts[0], TextCall)
    return bool(condition) and not is_value and condition.lower() not in ("true", "false", "last")


def _is_fixed_call(call: TextCall) -> bool:
    return call.name in FIXED_CALLS


def _compared(left: str, sign: str, right: str) -> bool | None:
    if sign in ("==", "!="):
        return (left.strip() == right.strip()) == (sign == "==")
    try:
        first, second = float(left), float(right)
    except ValueError:
        return None
    return {">": first > second, "<": first < second, ">=": first >= second, "<=": first <= second}[sign]
