"""Data files of a collection's run, as newman takes them by `-d`: a row of variables for each iteration.

Source: `lib/run/options.js` of postmanlabs/newman, version 6, and what newman sends.
"""

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from loadrig.converters._document import JsonValue, list_of, object_of, read_document, text_in
from loadrig.converters._draft import FeedDraft, FileDraft
from loadrig.converters._read import plain_stem
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.postman import ConvertersPostmanErrors
from loadrig.plan.model import Feed

ERRORS = texts_of(ConvertersPostmanErrors)

MOST_ROWS = 100_000
"""Rows of a data file at most: each request that needs one has all of them in memory."""

_BLANKS = " \t\f"
_CELL = re.compile(
    rf'[{_BLANKS}]*+(?:"((?:[^"]|"")*+)"[{_BLANKS}]*+|((?!")[^,\r\n]*+))(,|\r\n|\n|\r|\Z)',
)
_END = re.compile(rf"[{_BLANKS}]*\Z")
_WHOLE = re.compile(r"[-+]?[1-9]+\d*", re.ASCII)
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_OTHER_BASE = re.compile(r"0(?:[xX][0-9A-Fa-f]+|[bB][01]+|[oO][0-7]+)")
_MOST_DIGITS, _MOST_ZEROS = 21, 6
"""Digits before the point, and zeros behind it, that JavaScript writes without an exponent. Source: ECMA-262,
Number::toString."""

ESCAPED_IN_TARGETS = re.compile(r"[^A-Za-z0-9._~-]")
"""Signs that a hole of a path, a query or a form escapes."""

ESCAPED_IN_JSON = re.compile(r'["\\\x00-\x1f]')
"""Signs that a hole of a JSON body escapes."""


@dataclass(frozen=True, slots=True)
class DataTable:
    """Rows that differ, by the names of their variables. name: of the file that they come from.

    columns: of the feeds, by the variable's name.
    """

    name: str
    columns: Mapping[str, str]
    rows: Sequence[Sequence[str]]
    file: FileDraft

    def feed(self, comment: str) -> FeedDraft:
        """Return a feed of the rows, in their order, one for all requests of a loop."""
        return FeedDraft(Feed(csv=self.file.name, per="loop"), self.file, comment)

    def has(self, signs: re.Pattern[str], column: str) -> bool:
        """Return whether some value of a column has some signs."""
        place = list(self.columns.values()).index(column)
        return any(signs.search(row[place]) for row in self.rows)


Row = Mapping[str, str | None]
"""Variables of an iteration by their names. None: it has one, without a value."""


def read_rows(source: TestSource) -> list[Row] | None:
    """Return the rows of a data file, JSON or CSV; None for a file of another kind, such as an environment.

    Raise PlanError `import.bad-test`, `import.too-large`.
    """
    text = source.text().removeprefix("\ufeff")
    if text.lstrip().startswith("{"):
        return None
    if text.lstrip().startswith("["):
        entries = list_of(read_document(source))
        if any(map(is_variable, entries)):
            return None
        rows = [_row(entry) for entry in entries]
    else:
        rows = _rows_of_csv(text, source)
    if not rows:
        raise source.bad(ERRORS.no_rows, ERRORS.rows_wanted, place=source.name)
    if len(rows) > MOST_ROWS:
        raise source.bad(ERRORS.many_rows(MOST_ROWS), ERRORS.fewer_rows, place=source.name)
    return rows


def same_in_all(rows: Sequence[Row]) -> dict[str, str]:
    """Return the variables that have one value in all rows."""
    return {
        name: value
        for name, value in rows[0].items()
        if value is not None and all(row.get(name) == value for row in rows)
    }


def table_of(
    rows: Sequence[Row], names: Mapping[str, str], filled: Callable[[str, Row], str], source: TestSource
) -> DataTable:
    """Return the rows as a table. names: columns by their variables. filled: a variable's text in a row."""
    cells = [[filled(name, row) for name in names] for row in rows]
    stream = io.StringIO()
    # Quotes around all: a carriage return within a value would end its row.
    writer = csv.writer(stream, lineterminator="\n", quoting=csv.QUOTE_ALL)
    writer.writerows([list(names.values()), *cells])
    file = FileDraft(f"{plain_stem(source.path.with_suffix(''))}.rows.csv", stream.getvalue().encode())
    return DataTable(source.name, names, cells, file)


def is_variable(entry: JsonValue) -> bool:
    """Return whether an entry of a list is a variable, as old files of globals hold them, and no row."""
    return {"key", "value"} <= object_of(entry).keys() and bool({"type", "enabled"} & object_of(entry).keys())


def _row(entry: JsonValue) -> Row:
    # Newman takes an entry that is no object for a row without variables.
    return {name: _written(value) for name, value in object_of(entry).items()}


def _written(value: JsonValue) -> str | None:
    """Return a value as JavaScript writes it; None where a variable has none."""
    match value:
        case dict():
            return "[object Object]"
        case list():
            return ",".join(_written(item) or "" for item in value)
        case int() | float() if not isinstance(value, bool):
            return _number_text(float(str(value)))
        case None:
            return None
        case _:
            return text_in(value)


def _number_text(number: float) -> str:
    """Return a number as JavaScript writes it."""
    if not math.isfinite(number):
        return "Infinity" if number > 0 else "-Infinity"
    _, digits, exponent = Decimal(repr(abs(number))).normalize().as_tuple()
    assert isinstance(exponent, int)  # it is a text in what is not finite alone
    text, point = "".join(map(str, digits)), len(digits) + exponent
    if not number:
        return "0"
    sign = "-" if number < 0 else ""
    if -_MOST_ZEROS < point <= 0:
        return f"{sign}0.{text.rjust(len(text) - point, '0')}"
    if 0 < point <= _MOST_DIGITS:
        fraction = text[point:]
        return sign + text[:point].ljust(point, "0") + (f".{fraction}" if fraction else "")
    return f"{sign}{text[0]}{'.' if text[1:] else ''}{text[1:]}e{point - 1:+d}"


def _cast(text: str) -> str:
    """Return what newman makes of a value without quotes: what begins as a number may be that number."""
    if _WHOLE.fullmatch(text):
        return _number_text(float(text))
    if _OTHER_BASE.fullmatch(text):
        return "0"
    if _NUMBER.fullmatch(text) and math.isfinite(float(text)):
        return _number_text(float(text))
    return text


def _rows_of_csv(text: str, source: TestSource) -> list[Row]:
    header: list[str] | None = None
    rows: list[Row] = []
    place = 0
    while not _END.match(text, place):
        cells, place = _record(text, place, source, is_header=header is None)
        if header is None:
            header = cells
        else:
            rows.append(dict(zip(header, cells, strict=False)))
    return rows


def _record(text: str, place: int, source: TestSource, *, is_header: bool) -> tuple[list[str], int]:
    """Return the cells of a record, and where the next begins."""
    cells: list[str] = []
    while True:
        match = _CELL.match(text, place)
        if match is None:
            line = text.count("\n", 0, place) + 1
            raise source.bad(ERRORS.open_quote, ERRORS.close_quote, line=line)
        quoted, plain = match[1], match[2]
        if quoted is not None:
            cells.append(quoted.replace('""', '"'))
        else:
            cells.append(plain.rstrip(_BLANKS) if is_header else _cast(plain.rstrip(_BLANKS)))
        place = match.end()
        if match[3] != ",":
            return cells, place
