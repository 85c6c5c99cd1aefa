"""Conditions as tests of JMeter write them, in JEXL, Groovy and JavaScript, as comparisons of a plan.

What is read are comparisons of variables with texts and numbers, whether they have a value, how the latest
request ended, and these joined by "and", "or" and "not". Anything else is none.
"""

import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, replace

from loadrig.converters._clauses import (
    ALWAYS,
    MOST_ALTERNATIVES,
    NEVER,
    Clauses,
    NotSaid,
    as_conditions,
    both,
    either,
    negated,
    opposite_of,
    placed,
)
from loadrig.converters._jmx_text import TextCall, Variables, parsed
from loadrig.converters._jmx_tree import TreeElement
from loadrig.plan.passages import Comparison, Conditions, Order

EXPRESSIONS = ("__jexl3", "__jexl2", "__jexl", "__groovy", "__javaScript")
"""Functions whose value is that of an expression."""

FIXED_CALLS = ("__P", "__property", "__V", "__eval")
"""Functions whose value the test fixes where it fixes their arguments."""

LAST_OK = "JMeterThread.last_sample_ok"
"""Variable of JMeter that is the text "true" if the latest request ended well, else "false"."""

LATEST_CODE = "latest_code"
"""Variable of the plan for the code of the latest answer, where a condition asks about it."""

MOST_CONDITION_LETTERS = 2_000
"""Letters of a condition at most: what people write has some hundreds."""

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"[^"]*"|'[^']*')
    | (?P<got>vars\.get\(\s*(?:"[^"]*"|'[^']*')\s*\))
    | (?P<call>\$\{[^{}]*\})
    | (?P<code>prev\.(?:getResponseCode\(\)|responseCode\b))
    | (?P<latest>prev\.(?:isSuccessful\(\)|successful\b))
    | (?P<cast>(?:(?:Integer|Long|Double|Float)\.(?:parse(?:Int|Long|Double|Float)|valueOf)
              |parseInt|parseFloat|Number)\()
    | (?P<number>\.to(?:Integer|Long|Double|Float|BigDecimal)\(\)
              |\bas\s+(?:int|Integer|long|Long|double|Double|float|Float)\b)
    | (?P<equals>\.equals\()
    | (?P<sign>[=!]==?|[<>]=?|\b(?:eq|ne|lt|gt|le|ge)\b)
    | (?P<or>\|\||\bor\b) | (?P<and>&&|\band\b) | (?P<not>!|\bnot\b)
    | (?P<open>\() | (?P<close>\))
    | (?P<word>-?\w[\w.]*)
    )""",
    re.VERBOSE,
)

_UNSET = re.compile(r"\\\$\{(\w+)\}")
"""Pattern of a variable that is not put in, so that its name stands there, with its braces."""

_SIGNS = {"eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=", "ge": ">=", "===": "==", "!==": "!="}
_TURNED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_ORDERS: Mapping[str, Order] = {">": "above", ">=": "at_least", "<": "below", "<=": "at_most"}


@dataclass(frozen=True, slots=True)
class _Operand:
    """Side of a comparison. text: of a constant. variable: its hole. is_number: not written as a text.

    is_got: by a script, which sees null where there is no value. is_null: the word itself. unset: hole of the
    variable whose name in its braces is written there, as JMeter leaves it where it has no value.
    """

    text: str = ""
    variable: str = ""
    is_latest: bool = False
    is_number: bool = False
    is_got: bool = False
    is_null: bool = False
    unset: str = ""

    @property
    def is_constant(self) -> bool:
        """Whether the test fixes it."""
        return not self.variable and not self.is_latest


_NULL = _Operand(is_null=True)


def expression_of(condition: str) -> str:
    """Return the expression that a function of a condition evaluates; the condition where there is none."""
    parts = [part for part in parsed(condition.strip()) if part != ""]
    if len(parts) == 1 and isinstance(parts[0], TextCall) and parts[0].name in EXPRESSIONS:
        inner = parts[0].text[len(parts[0].name) + 3 : -2]
        # A last argument names a variable for the result, and may be empty.
        return re.sub(r",\s*\w*$", "", re.sub(r"\\(?=[,\\])", "", inner).strip())
    return condition


def is_fixed(call: TextCall, variables: Variables) -> bool:
    """Return whether the test fixes the value of a variable or a function."""
    return call.name in FIXED_CALLS or (not call.name.startswith("__") and call.name in variables.fixed)


def conditions_of(
    condition: str, element: TreeElement, variables: Variables, extracted: Set[str]
) -> Conditions:
    """Return the conditions that must all hold; none where a plan cannot say them, or none is needed.

    extracted: names of the test's variables that answers give.
    """
    text = expression_of(condition).strip()
    try:
        is_groovy = condition.strip().startswith("${__groovy(")
        clauses = _Expression(text, element, variables, extracted, is_groovy=is_groovy).clauses()
    except NotSaid:
        return ()
    return as_conditions(clauses)


class _Expression:
    """Reader of one condition."""

    def __init__(
        self, text: str, element: TreeElement, variables: Variables, extracted: Set[str], *, is_groovy: bool
    ) -> None:
        """Read the words of a condition."""
        self._element, self._variables, self._extracted = element, variables, extracted
        self._is_groovy = is_groovy
        self._words: list[tuple[str, str]] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None or len(text) > MOST_CONDITION_LETTERS:
                raise NotSaid
            self._words.append((match.lastgroup or "", match[0].strip()))
            at = match.end()
        self._at = 0

    def clauses(self) -> Clauses:
        """Return what the whole condition says."""
        clauses = self._or()
        if self._at < len(self._words):
            raise NotSaid
        return clauses

    def _takes(self, kind: str) -> str:
        """Return the next word if it is of a kind, and go on behind it; else nothing."""
        if self._at < len(self._words) and self._words[self._at][0] == kind:
            self._at += 1
            return self._words[self._at - 1][1]
        return ""

    def _needs(self, kind: str) -> None:
        if not self._takes(kind):
            raise NotSaid

    def _or(self, depth: int = 0) -> Clauses:
        clauses = self._and(depth)
        while self._takes("or"):
            clauses = either(clauses, self._and(depth))
        return clauses

    def _and(self, depth: int) -> Clauses:
        clauses = self._not(depth)
        while self._takes("and"):
            clauses = both(clauses, self._not(depth))
        return clauses

    def _not(self, depth: int) -> Clauses:
        if depth > MOST_ALTERNATIVES:
            raise NotSaid
        if self._takes("not"):
            return negated(self._not(depth + 1))
        start = self._at
        if not self._takes("open"):
            return self._comparison(depth)
        try:
            clauses = self._or(depth + 1)
            self._needs("close")
        except NotSaid:
            clauses = NEVER
        kind = self._words[self._at][0] if self._at < len(self._words) else ""
        if clauses == NEVER or kind in ("sign", "equals", "number"):
            # Brackets around one side of a comparison, as in `(vars.get("n") as int) > 3`.
            self._at = start
            return self._comparison(depth)
        return clauses

    def _comparison(self, depth: int) -> Clauses:
        start = self._at
        left = self._operand(depth)
        if self._takes("equals"):
            right = self._operand(depth)
            self._needs("close")
            return self._compared(left, "==", right)
        sign = self._takes("sign")
        is_alone = start == 0 and self._at == len(self._words)
        if not sign and self._is_groovy and left.is_got and not left.is_number and not is_alone:
            # Alone its text is what the controller looks at; among others it is true unless it is empty.
            return (*_has_value(left), (Comparison(left.variable, other=""),))
        if not sign:
            return self._compared(left, "==", _Operand("true"))
        return self._compared(left, _SIGNS.get(sign, sign), self._operand(depth))

    def _operand(self, depth: int) -> _Operand:
        if depth > MOST_ALTERNATIVES:
            raise NotSaid
        if self._takes("cast"):
            operand = replace(self._operand(depth + 1), is_number=True)
            self._needs("close")
        elif self._takes("open"):
            operand = self._operand(depth + 1)
            self._needs("close")
        else:
            operand = self._plain()
        while self._takes("number"):
            operand = replace(operand, is_number=True)
        return operand

    def _plain(self) -> _Operand:
        if text := self._takes("text"):
            inner = text[1:-1]
            if unset := _UNSET.fullmatch(inner):
                return _Operand(unset=self._variables.holes.get(unset[1], ""))
            return self._called(inner) if inner.startswith("${") else self._constant(inner)
        if self._takes("code"):
            if LATEST_CODE in self._variables.holes.values():
                raise NotSaid
            return _Operand(variable=LATEST_CODE, is_got=True)
        if self._takes("latest"):
            return _Operand(is_latest=True)
        if call_sign := self._takes("got"):
            name = re.split("[\"']", call_sign)[1]
            return replace(self._called(f"${{{name}}}"), is_got=True)
        if call := self._takes("call"):
            return replace(self._called(call), is_number=True)
        if word := self._takes("word"):
            if word == "null":
                return _Operand(is_null=True)
            return _Operand(word, is_number=_number(word) is not None)
        raise NotSaid

    def _called(self, text: str) -> _Operand:
        """Return a variable, or what the test fixes in its place."""
        name = text[2:-1].strip()
        if name == LAST_OK:
            return _Operand(is_latest=True)
        hole = self._variables.holes.get(name)
        if hole is not None and name in self._extracted:
            return _Operand(variable=hole)
        return self._constant(text)

    def _constant(self, text: str) -> _Operand:
        calls = [part for part in parsed(text) if isinstance(part, TextCall)]
        fixed = all(is_fixed(call, self._variables) for call in calls)
        value = self._variables.constant(text, self._element) if fixed else None
        if value is None or "${" in value:
            raise NotSaid
        return _Operand(value)

    def _compared(self, left: _Operand, sign: str, right: _Operand) -> Clauses:
        if left.is_constant:
            left, right, sign = right, left, _TURNED.get(sign, sign)
        if left.is_null or left.unset:
            left, right = right, left
        if right.is_null or right.unset:
            if sign not in ("==", "!="):
                raise NotSaid
            has_value = _has_value(left, right)
            return has_value if sign == "!=" else negated(has_value)
        if not right.is_constant:
            raise NotSaid
        if left.is_constant:
            return self._fixed(left, sign, right)
        if left.is_latest:
            if sign not in ("==", "!=") or right.text not in ("true", "false"):
                raise NotSaid
            return ((Comparison(latest="ok" if (right.text == "true") == (sign == "==") else "failed"),),)
        if sign in ("==", "!="):
            if self._is_groovy and left.is_got and right.is_number and not left.is_number:
                raise NotSaid  # a text is no number there, whatever it says
            equal = Comparison(left.variable, equal=right.text)
            return ((equal if sign == "==" else opposite_of(equal),),)
        number = _number(right.text)
        are_numbers = all if self._is_groovy else any  # the others make a number of a text beside one
        if number is None or not are_numbers((left.is_number, right.is_number)):
            raise NotSaid  # two texts are compared letter by letter
        return ((placed(left.variable, _ORDERS[sign], number),),)

    @staticmethod
    def _fixed(left: _Operand, sign: str, right: _Operand) -> Clauses:
        if sign not in ("==", "!="):
            raise NotSaid
        return ALWAYS if (left.text == right.text) == (sign == "==") else NEVER


def _has_value(left: _Operand, right: _Operand = _NULL) -> Clauses:
    """Return that a variable has a value, which is compared with null, or with its own name in braces."""
    is_asked = left.is_got if right.is_null else left.variable == right.unset and not left.is_got
    if not left.variable or left.variable == LATEST_CODE or not is_asked:
        raise NotSaid
    return ((Comparison(left.variable, is_set=True),),)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\s*-?\d{1,15}(?:\.\d{1,15})?\s*", text) else None
