"""Values of a locustfile that its text tells: literals, and what is chosen among literals."""

import ast
import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

from loadrig.converters._draft import FeedDraft, FileDraft
from loadrig.plan.holes import literal
from loadrig.plan.model import Feed, FeedOrder

MOST_ITEMS = 10_000
"""Items of a list or a dict at most, with those of what is in it."""

LONGEST_WAIT_S = 1e6
"""Pause in seconds up to which a number is one: eleven days."""


_COLUMN = re.compile(r"[A-Za-z_]\w*", re.ASCII)


class Computed(Exception):
    """A value that only running the file would tell. node: where it stands."""

    def __init__(self, node: ast.AST) -> None:
        self.node = node
        super().__init__()


@dataclass(frozen=True, slots=True)
class MixedText:
    """A text with holes. parts: texts, each with whether it is the name of a hole."""

    parts: tuple[tuple[str, bool], ...]

    @property
    def template(self) -> str:
        """Template of a plan."""
        return "".join(f"{{{text}}}" if is_hole else literal(text) for text, is_hole in self.parts)

    @property
    def constant(self) -> str | None:
        """Text itself; None where it has holes."""
        return None if any(is_hole for _, is_hole in self.parts) else "".join(text for text, _ in self.parts)

    def __add__(self, other: "MixedText") -> "MixedText":
        return MixedText((*self.parts, *other.parts))


@dataclass(frozen=True, slots=True)
class AnswerValue:
    """Answer of a request, or a place in its JSON. number: of the request in its task. path: in the JSON."""

    number: int
    path: str | None = None


@dataclass(frozen=True, slots=True)
class ChosenValue:
    """Value that is drawn anew each time. hole: the name of its feed."""

    hole: str


DrawnFor = Literal["request", "user", "all"]
"""Purpose of a drawn value: each request, each user at its beginning, or all users when the file is read."""

Value = Any
"""Text (MixedText), number, True, False, None, list or dict of such, AnswerValue or ChosenValue."""


class DrawingCall(NamedTuple):
    """Call that draws a value. line, column: where it stands."""

    line: int
    column: int
    drawn_for: DrawnFor


@dataclass(slots=True)
class ChosenFeeds:
    """Feeds that chosen values need, by their names. draws: the call of each. counts: how often it draws.

    numbers: holes of tables whose values are numbers. sharing: how many requests need a value of each.
    drawn_for: what a value is drawn for where nobody says it.
    """

    drafts: dict[str, FeedDraft] = field(default_factory=dict)
    draws: dict[str, DrawingCall] = field(default_factory=dict)
    counts: Counter[str] = field(default_factory=Counter)
    numbers: set[str] = field(default_factory=set)
    drawn_for: DrawnFor = "request"
    sharing: Counter[str] = field(default_factory=Counter)
    _origins: dict[str, tuple[Feed, DrawingCall, bytes]] = field(default_factory=dict)

    def add(
        self, base: str, feed: Feed, place: tuple[int, int] = (0, 0), drawn_for: DrawnFor | None = None,
        table: bytes = b"",
    ) -> str:  # fmt: skip
        """Return the name of the feed that says the same, a new one if there is none.

        place: of a call that draws; each call draws for itself, and has a feed of its own.
        table: rows that the feed takes, as CSV.
        """
        drawn_for = drawn_for or self.drawn_for
        if drawn_for != "request" and (feed.random or feed.order == "shuffled"):
            feed = replace(feed, order="per_user")
        draw = DrawingCall(*place, drawn_for)
        name, number = base, 1
        while self._origins.get(name, origin := (feed, draw, table)) != origin:
            number += 1
            name = f"{base}_{number}"
        self._origins[name], self.draws[name] = origin, draw
        file = FileDraft(f"{name}.csv", table) if table else None
        self.drafts[name] = FeedDraft(replace(feed, csv=file.name) if file else feed, file)
        self.counts[name] += 1
        return name

    def add_rows(self, base: str, rows: "RowsOfTexts", order: FeedOrder, node: ast.expr) -> str:
        """Return the name of the feed of a call that takes a row of a table, a new one if there is none."""
        drawn_for: DrawnFor = "user" if order in ("unique", "per_user") else "request"
        table = csv_of(rows.columns, rows.rows)
        name = self.add(base, Feed(order=order), place_of(node), drawn_for, table)
        self.numbers |= {f"{name}.{column}" for column in rows.numbers}
        return name

    def used(self, requests: Sequence[object], others: object = None) -> dict[str, FeedDraft]:
        """Return the feeds that fill holes of requests or of other parts of a plan.

        A value holds for a loop where several requests share what one call draws.
        """
        texts, rest = [repr(request) for request in requests], repr(others)
        drafts = {}
        for name, draft in self.drafts.items():
            sharing = sum(_is_used(name, text) for text in texts)
            if sharing > 1 == self.counts[name] and self.draws[name].drawn_for == "request":
                draft = replace(draft, feed=replace(draft.feed, per="loop"))
            if sharing or _is_used(name, rest):
                drafts[name] = draft
                self.sharing[name] = sharing
        return drafts

    def values_of(self, hole: str) -> Sequence[str] | None:
        """Return the texts that may fill a hole, none for whole numbers; None where an answer fills it."""
        name, _, column = hole.partition(".")
        draft = self.drafts.get(name)
        if draft is None:
            return None
        if draft.file is None:
            return draft.feed.values
        return [row[column] for row in csv.DictReader(io.StringIO(draft.file.content.decode()))]

    def of_one(self, texts: Sequence[str]) -> frozenset[str]:
        """Return the feeds that one call draws from and just one of some texts of requests needs."""
        return frozenset(
            name
            for name in self.drafts
            if self.counts[name] == 1 == sum(_is_used(name, text) for text in texts)
        )

    def is_overdrawn(self, name: str, draft: FeedDraft) -> bool:
        """Return whether a plan draws a value more often than the test, which makes a call several times."""
        is_shared = self.sharing[name] > self.counts[name] and self.draws[name].drawn_for == "request"
        return is_shared and draft.feed.per == "request"

    def is_number(self, hole: str) -> bool:
        """Return whether what fills a hole is a number in the test."""
        feed = self.feed_of(hole)
        return hole in self.numbers or (feed is not None and bool(feed.random))

    def feed_of(self, hole: str) -> Feed | None:
        """Return the feed that fills a hole; None where an answer does."""
        draft = self.drafts.get(hole.partition(".")[0])
        return None if draft is None else draft.feed

    def is_of_user(self, hole: str) -> bool:
        """Return whether a hole is filled by a feed from which each user has one value for good."""
        feed = self.feed_of(hole)
        return feed is not None and feed.order in ("per_user", "unique")


def place_of(node: ast.expr) -> tuple[int, int]:
    """Return the line and the column at which an expression stands."""
    return node.lineno, node.col_offset


def csv_of(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    """Return a table as a CSV file has it."""
    stream = io.StringIO()
    csv.writer(stream, lineterminator="\n").writerows([columns, *rows])
    return stream.getvalue().encode()


def _is_used(feed: str, text: str) -> bool:
    return f"{{{feed}}}" in text or f"{{{feed}." in text


class RowsOfTexts(NamedTuple):
    """Table of texts. numbers: the columns in which not all values were texts."""

    columns: list[str]
    rows: list[list[str]]
    numbers: frozenset[str]


def rows_of(choices: Value, node: ast.AST) -> RowsOfTexts:
    """Return a list of dicts or of lists as a table. Raise Computed where it is none."""
    if not isinstance(choices, list) or not choices or len(choices) > MOST_ITEMS:
        raise Computed(node)
    first = choices[0]
    keys: list[Any] = list(first) if isinstance(first, dict) else list(range(len(as_list(first, node))))
    columns = [key if isinstance(key, str) else f"part_{key + 1}" for key in keys]
    if not keys or not all(_COLUMN.fullmatch(column) for column in columns):
        raise Computed(node)
    rows = []
    for choice in choices:
        own_keys = list(choice) if isinstance(choice, dict) else list(range(len(as_list(choice, node))))
        is_alike = own_keys == keys and isinstance(choice, dict) is isinstance(first, dict)
        texts = [text_of(choice[key], node).constant for key in keys] if is_alike else [None]
        if any(text is None or not text.isprintable() for text in texts):
            raise Computed(node)
        rows.append([str(text) for text in texts])
    numbers = {
        column
        for key, column in zip(keys, columns, strict=True)
        if not all(isinstance(choice[key], MixedText) for choice in choices)
    }
    return RowsOfTexts(columns, rows, frozenset(numbers))


def as_list(value: Value, node: ast.AST) -> list[Value]:
    """Return a value that is a list. Raise Computed for any other."""
    if not isinstance(value, list):
        raise Computed(node)
    return value


def text_of(value: Value, node: ast.AST) -> MixedText:
    """Return a value as Python's str() would. Raise Computed."""
    match value:
        case MixedText():
            return value
        case ChosenValue(hole=hole):
            return MixedText(((hole, True),))
        case bool() | int() | float() | None:
            return MixedText(((str(value), False),))
        case _:
            raise Computed(node)


def needs_answer(value: Value, extracts: Collection[str]) -> bool:
    """Return whether a value is known only once an answer is there. extracts: holes that answers fill."""
    match value:
        case AnswerValue():
            return True
        case MixedText(parts=parts):
            return any(is_hole and text in extracts for text, is_hole in parts)
        case dict():
            return any(needs_answer(part, extracts) for part in value.values())
        case list():
            return any(needs_answer(part, extracts) for part in value)
        case _:
            return False


def dotted(node: ast.AST) -> str:
    """Return a name with its dots: "random.choice"; empty for all else."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=base), attr=name):
            return f"{base}.{name}"
        case ast.Attribute(value=ast.Attribute(value=ast.Name(id=base), attr=middle), attr=name):
            return f"{base}.{middle}.{name}"
        case _:
            return ""


def shown_code(node: ast.AST) -> str:
    """Return the first line of a part of the file, shortened."""
    try:
        text = ast.unparse(node).partition("\n")[0]
    except (ValueError, RecursionError, AttributeError):
        text = type(node).__name__
    return text if len(text) <= 80 else f"{text[:79]}…"
