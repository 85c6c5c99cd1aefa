"""Rows of CSV with their lines, in constant memory; and whether the last one may be torn."""

import csv
from collections.abc import Iterator
from typing import NamedTuple

from loadrig.importers._source import LONGEST, ResultsFile
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors

ERRORS = texts_of(ImportersSampleErrors)

MOST_LINES = 50
"""Lines of a torn row at most. The longest that are written in a row are those of a stack trace."""


class CsvRow(NamedTuple):
    """Row of a CSV. line: number of its first line. is_last_and_open: nothing shows that it is complete."""

    fields: list[str]
    line: int
    is_last_and_open: bool


def rows(source: ResultsFile, dialect: type[csv.Dialect]) -> Iterator[CsvRow]:
    """Yield the rows that are not empty. Raise PlanError `import.bad-line` where a quote has no end."""
    was_closed = True

    def lines() -> Iterator[str]:
        nonlocal was_closed
        for line in source.text_lines():
            was_closed = line.endswith("\n")
            yield line

    before = csv.field_size_limit(LONGEST)
    try:
        reader = csv.reader(lines(), dialect, strict=True)
        begins = 1
        while True:
            try:
                fields = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                # A quote that nobody closed in the middle of a file would swallow all that follows it.
                if reader.line_num - begins <= MOST_LINES and (not was_closed or _is_at_end(error)):
                    source.was_torn = True
                    return
                raise source.bad(ERRORS.open_quote(str(error)), line=begins) from error
            if fields:
                yield CsvRow(fields, begins, not was_closed)
            begins = reader.line_num + 1
    finally:
        csv.field_size_limit(before)


def _is_at_end(error: csv.Error) -> bool:
    return "unexpected end of data" in str(error)
