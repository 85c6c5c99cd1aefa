"""Target of a request of JMeter, its path with the query, where values of variables stand in it.

JMeter sends them as they are, or as it encodes arguments. A plan takes what fills a hole at the beginning of
a target as a path with a query, and escapes all others so that each stays one value. Where that differs, rows
get a column with the beginning of the target.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from loadrig.converters._jmx_charsets import Charset
from loadrig.converters._jmx_tables import ValueOf
from loadrig.converters._jmx_text import Variables
from loadrig.converters._pieces import Hole, Piece
from loadrig.plan.holes import literal

NOT_AT_THE_START = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in '#"<>')
"""Signs of a value that stay as they are at the beginning of a target: those of `encode.rs`."""


@dataclass(frozen=True, slots=True)
class TargetPart:
    """A part of a target. encode: what JMeter does to it, whether it is fixed or fills a hole.

    is_joint: whether it is the sign before the arguments, `?` or, behind such a sign, `&`.
    """

    piece: Piece
    encode: Callable[[str], str]
    is_joint: bool = False


@dataclass(frozen=True, slots=True)
class WrittenTarget:
    """A target as a template, and the holes whose values are sent with other signs than JMeter sends."""

    template: str
    otherwise: tuple[str, ...] = ()


def template_of_parts(parts: Sequence[TargetPart]) -> str:
    """Return the template of a target whose values need no care."""
    return _joined(
        parts,
        lambda part: (
            f"{{{part.piece.name}}}" if isinstance(part.piece, Hole) else literal(part.encode(part.piece))
        ),
    )


def written_target(parts: Sequence[TargetPart], variables: Variables) -> WrittenTarget:
    """Return a target whose values are sent as JMeter sends them, as far as a plan can."""
    otherwise, last = [], -1
    for number, part in enumerate(parts):
        if isinstance(part.piece, Hole) and not _is_same(part, number == 0, variables):
            otherwise.append(part.piece.name)
            last = number
    if last < 0:
        return WrittenTarget(template_of_parts(parts))
    joint = next((number for number, part in enumerate(parts) if part.is_joint), -1)
    head = parts[: max(last, joint) + 1]

    def text_of(value: ValueOf) -> str:
        return _joined(
            head,
            lambda part: part.encode(value(part.piece.name) if isinstance(part.piece, Hole) else part.piece),
        )

    holes = {part.piece.name for part in head if isinstance(part.piece, Hole)}
    if (hole := variables.rows.column(holes, text_of, "target")) is None:
        return WrittenTarget(template_of_parts(parts), tuple(dict.fromkeys(otherwise)))
    return WrittenTarget(f"{{{hole.name}}}{template_of_parts(parts[len(head) :])}")


def escape_of(kind: str) -> Callable[[str], str] | None:
    """Return what a plan does to values in a body of a type; None where it sends them as they are.

    Source: `body_place` of `compose.rs`, and `encode.rs`.
    """
    essence = kind.partition(";")[0].strip().lower()
    if essence == "application/x-www-form-urlencoded":
        return Charset().quoted
    if essence.endswith(("/json", "+json")):
        return lambda value: json.dumps(value, ensure_ascii=False)[1:-1]
    return None


def _joined(parts: Sequence[TargetPart], text_of: Callable[[TargetPart], str]) -> str:
    text = ""
    for part in parts:
        text += ("&" if "?" in text else "?") if part.is_joint else text_of(part)
    return text


def _is_same(part: TargetPart, is_start: bool, variables: Variables) -> bool:
    """Return whether whatever fills a hole is sent as JMeter sends it."""
    assert isinstance(part.piece, Hole)
    values = variables.values_of(part.piece.name)
    if values is None:
        return is_start
    signs = NOT_AT_THE_START if is_start else ""
    return all(part.encode(value) == quote(value, safe=signs) for value in values)
