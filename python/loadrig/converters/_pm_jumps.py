"""Requests that scripts of Postman ask for next: `setNextRequest("Pay")`, with what must hold for it.

Read are names and null that stand there, at the top of a script or in an `if` that a plan can say.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from loadrig.converters._clauses import ALWAYS, Clauses, NotSaid, both, negated
from loadrig.converters._javascript import tree_of
from loadrig.converters._k6_files import Unread
from loadrig.converters._k6_methods import constant
from loadrig.converters._k6_tree import named_parts, text_in
from loadrig.converters._pm_answers import AnswerReader
from loadrig.converters._pm_scripts import MOST_LETTERS
from loadrig.plan.requests import Extract

CALLS = ("pm.execution.setNextRequest", "postman.setNextRequest")
MOST_BRANCHES_DEEP = 10
"""Branches within branches that are gone into, at most."""

_WORD = "setNextRequest"


@dataclass(frozen=True, slots=True)
class ScriptJump:
    """Request that a script asks for next. target: its name or id; None ends the loop.

    clauses: what must hold of its variables. places: those of the variables in the answer.
    """

    target: str | None
    clauses: Clauses
    places: Mapping[str, Extract]

    @property
    def text(self) -> str:
        """Return the call, as a person looks for it."""
        return f"{_WORD}({'null' if self.target is None else repr(self.target)})"


def jumps_of(text: str) -> tuple[tuple[ScriptJump, ...], str]:
    """Return the jumps of a script, and the script without them: as it was, where one cannot be read."""
    if _WORD not in text or len(text) > MOST_LETTERS:
        return (), text
    root = tree_of(text)
    if root.has_error:
        return (), text
    reader = _JumpReader()
    try:
        for statement in named_parts(root):
            reader.read(statement, ALWAYS)
        return tuple(reader.effective()), reader.rest_of(text)
    except (Unread, NotSaid, ValueError, AttributeError):
        return (), text


class _JumpReader:
    """Reader of the statements of a script."""

    def __init__(self) -> None:
        self._answer = AnswerReader({})
        self._jumps: list[ScriptJump] = []
        self._spans: list[tuple[int, int]] = []

    def read(self, statement: Any, guard: Clauses, deep: int = 0) -> None:
        """Take the jumps of a statement that runs where a guard holds. Raise Unread, NotSaid."""
        if deep > MOST_BRANCHES_DEEP:
            raise NotSaid
        if statement.type in ("lexical_declaration", "variable_declaration"):
            self._answer.declare(statement)
        if _WORD not in text_in(statement):
            return
        match statement.type:
            case "expression_statement":
                self._jump(named_parts(statement)[0], guard)
                self._spans.append((statement.start_byte, statement.end_byte))
            case "statement_block" | "else_clause":
                for inner in named_parts(statement):
                    self.read(inner, guard, deep + 1)
            case "if_statement":
                self._branches(statement, guard, deep)
            case _:
                raise Unread

    def _branches(self, statement: Any, guard: Clauses, deep: int) -> None:
        parts = [statement.child_by_field_name(part) for part in ("consequence", "alternative")]
        condition = self._answer.condition().clauses(statement.child_by_field_name("condition"))
        count = len(self._spans)
        for branch, clauses in zip(parts, (condition, negated(condition)), strict=True):
            if branch is not None:
                self.read(branch, both(guard, clauses), deep + 1)
        if all(_is_only_jump(part) for part in parts if part is not None):
            self._spans[count:] = [(statement.start_byte, statement.end_byte)]

    def _jump(self, call: Any, guard: Clauses) -> None:
        name = "".join(text_in(call.child_by_field_name("function")).split())
        (argument,) = named_parts(call.child_by_field_name("arguments"))
        if name not in CALLS:
            raise Unread
        value = self._answer.value(argument)
        target = None if value is None else constant(value)
        self._jumps.append(ScriptJump(target, guard, self._answer.step.extract))

    def effective(self) -> Iterator[ScriptJump]:
        """Yield the jumps with what must hold for them to be the last that is asked for. Raise NotSaid."""
        for number, jump in enumerate(self._jumps):
            clauses = jump.clauses
            for later in self._jumps[number + 1 :]:
                clauses = both(clauses, negated(later.clauses))
            if all(clauses):
                yield replace(jump, clauses=tuple(dict.fromkeys(clauses)))

    def rest_of(self, text: str) -> str:
        """Return the script without what was read."""
        content, place, rest = text.encode("utf-8", "surrogatepass"), 0, b""
        for begin, end in sorted(self._spans):
            rest += content[place:begin]
            place = end
        return (rest + content[place:]).decode("utf-8", "surrogatepass")


def _is_only_jump(branch: Any) -> bool:
    """Return whether a branch does nothing but jump, and write to the console."""
    if branch.type in ("statement_block", "else_clause", "if_statement"):
        inner = [part for part in named_parts(branch) if part.type != "parenthesized_expression"]
        return all(map(_is_only_jump, inner))
    return _WORD in text_in(branch) or text_in(branch).startswith("console.")
