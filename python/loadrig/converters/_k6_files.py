"""Files beside a k6 script, and feeds made of the lists in them."""

import csv
import io
import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from loadrig.base.errors import PlanError
from loadrig.converters._locust_values import ChosenFeeds, ChosenValue, MixedText, csv_of
from loadrig.converters._source import TestSource
from loadrig.plan.model import Feed, FeedOrder

MOST_FILE_BYTES = 1_000_000
"""Bytes of a file that a script opens, at most."""

MOST_LETTERS_MADE = 100_000_000
"""Letters of all texts that the expressions of a script make, at most: each may add up long ones."""

MOST_ROWS = 50_000
"""Entries of a list that a script picks from, at most."""

_NAME = r"[A-Za-z_]\w*"
_MODULO = rf"(?:-1)?\)?(?:%{_NAME}\.length)?"
_INDICES: tuple[tuple[re.Pattern[str], FeedOrder], ...] = (
    (re.compile(rf"Math\.floor\(Math\.random\(\)\*{_NAME}\.length\)", re.ASCII), "shuffled"),
    (re.compile(rf"\(?(?:__VU|(?:{_NAME}\.)?vu\.idInTest){_MODULO}", re.ASCII), "unique"),
    (re.compile(rf"(?:{_NAME}\.)?scenario\.iterationInTest%{_NAME}\.length", re.ASCII), "sequential"),
    (
        re.compile(
            rf"(?:__ITER|(?:{_NAME}\.)?vu\.iterationIn(?:Scenario|Instance))%{_NAME}\.length", re.ASCII
        ),
        "sequential_per_user",
    ),
)
_OF_ITERATIONS = ("sequential", "sequential_per_user")
_COLUMN = re.compile(_NAME, re.ASCII)


class Unread(Exception):
    """A value that only running the script would tell."""


@dataclass(slots=True)
class ScriptFeeds(ChosenFeeds):
    """Feeds of a script. source: the script. folder: that of the file that is read now.

    letters: those of all texts that its expressions have made.
    """

    source: TestSource | None = None
    folder: Path | None = None
    letters: int = 0

    def hold(self, text: MixedText) -> None:
        """Count a text that is made. Raise Unread where all of them would take too much memory."""
        self.letters += sum(len(part) for part, _ in text.parts)
        if self.letters > MOST_LETTERS_MADE:
            raise Unread

    def path_of(self, name: str) -> Path | None:
        """Return the path of a file that is named in the file read now; None outside the script's folder."""
        if self.source is None:
            return None
        root = self.source.path.resolve().parent
        try:
            path = ((self.folder or root) / name).resolve()
            return path if path.is_relative_to(root) and path.is_file() else None
        except (OSError, ValueError):
            return None

    def opened(self, name: str) -> str:
        """Return the text of a file. Raise Unread."""
        path = self.path_of(name)
        try:
            if path is None or path.stat().st_size > MOST_FILE_BYTES:
                raise Unread
            return TestSource(path).text()
        except (OSError, PlanError):
            raise Unread from None

    def chosen(self, label: str, choices: Any, order: FeedOrder, place: tuple[int, int]) -> Any:
        """Return an entry of a list, picked anew each time: of texts a value, of objects one with their keys.

        place: of the expression; each draws for itself where chance does. Raise Unread where entries are of
        another kind.
        """
        if not isinstance(choices, list) or not 0 < len(choices) <= MOST_ROWS:
            raise Unread
        # What the number of an iteration picks is the same in all of it, wherever it is asked for.
        feed = Feed(order=order, per="loop" if order in _OF_ITERATIONS else "request")
        place = place if order == "shuffled" else (0, 0)
        if not isinstance(choices[0], dict):
            texts = tuple(_cell(choice) for choice in choices)
            return _hole(self.add(label, replace(feed, values=texts), place), choices)
        if any(not isinstance(choice, dict) for choice in choices):
            raise Unread
        columns = [key for key in choices[0] if _COLUMN.fullmatch(key)]
        rows = [[_cell(choice.get(key)) for key in columns] for choice in choices]
        if not columns:
            raise Unread
        name = self.add(label, feed, place, table=csv_of(columns, rows))
        return {key: _hole(f"{name}.{key}", [choice[key] for choice in choices]) for key in columns}


def _hole(name: str, choices: Sequence[Any]) -> Any:
    """Return a hole that JSON.stringify quotes where its values are texts. Raise Unread where some are."""
    texts = sum(isinstance(choice, MixedText) for choice in choices)
    if texts not in (0, len(choices)):
        raise Unread
    return MixedText(((name, True),)) if texts else ChosenValue(name)


def _cell(value: Any) -> str:
    """Return a text that a feed gives. Raise Unread."""
    match value:
        case MixedText():
            text = value.constant
        case True | False:
            text = "true" if value else "false"
        case int() | float() if math.isfinite(value):
            text = str(int(value)) if value == int(value) else repr(value)
        case _:
            text = None
    # What JSON escapes would stand in a body as it is.
    if not text or not text.isprintable() or '"' in text or "\\" in text:
        raise Unread
    return text


def label_of(expression: str) -> str:
    """Return the name of a feed that is made of a list, after the name of the list."""
    return re.sub(r"\W", "", expression, flags=re.ASCII).lstrip("_0123456789")[:40] or "item"


def order_of(index: str) -> FeedOrder:
    """Return the order in which an index picks entries, by its text. Raise Unread."""
    bare = re.sub(r"\s+", "", index[:200])
    for pattern, order in _INDICES:
        if pattern.fullmatch(bare):
            return order
    raise Unread


def json_value(text: str) -> Any:
    """Return the value of a JSON document as one of the script. Raise Unread."""
    try:
        return _script_value(json.loads(text))
    except (ValueError, RecursionError):
        raise Unread from None


def _script_value(value: Any) -> Any:
    match value:
        case str():
            return MixedText(((value, False),))
        case list():
            return [_script_value(item) for item in value]
        case dict():
            return {key: _script_value(item) for key, item in value.items()}
        case _:
            return value


def csv_value(text: str, *, has_header: bool) -> dict[str, Any]:
    """Return what papaparse makes of a text: its rows as `data`. Raise Unread."""
    try:
        rows = [row for row in csv.reader(io.StringIO(text), strict=True) if any(row)]
    except csv.Error:
        raise Unread from None
    if len(rows) > MOST_ROWS:
        raise Unread
    return {"data": _script_value(_with_names(rows) if has_header else rows)}


def _with_names(rows: Sequence[list[str]]) -> list[dict[str, str]]:
    return [dict(zip(rows[0], row, strict=False)) for row in rows[1:]] if rows else []
