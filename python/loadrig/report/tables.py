"""Tables column by column: the head of a column stands beside the function that fills it."""

from collections.abc import Callable, Iterable
from typing import TypeAlias, TypeVar

from loadrig.report.model import Cell, Column, Table

Row = TypeVar("Row")

FilledColumn: TypeAlias = tuple[Column, Callable[[Row], Cell | str]]
"""Head of a column, and the function that returns its cell, or only the text of that, for a row."""


def left(title: str, fill: Callable[[Row], Cell | str], rank: int = 0, *, doc: str = "") -> FilledColumn[Row]:
    """Return a column of texts. rank, doc: as of a Column."""
    return Column(title, "left", rank, doc), fill


def right(
    title: str, fill: Callable[[Row], Cell | str], rank: int = 0, *, doc: str = ""
) -> FilledColumn[Row]:
    """Return a column of numbers. rank, doc: as of a Column."""
    return Column(title, "right", rank, doc), fill


def table_of(
    rows: Iterable[Row],
    *columns: FilledColumn[Row],
    caption: str = "",
    notes: tuple[str, ...] = (),
    marked: Callable[[Row], bool] = lambda _: False,
    folded: bool = False,
) -> Table:
    """Return the table of these rows. marked: whether a row stands out. The rest as of a Table."""
    entries = tuple(rows)
    return Table(
        tuple(head for head, _ in columns),
        tuple(tuple(_cell(fill(row)) for _, fill in columns) for row in entries),
        caption,
        notes,
        frozenset(number for number, row in enumerate(entries) if marked(row)),
        folded,
    )


def _cell(content: Cell | str) -> Cell:
    return Cell(content) if isinstance(content, str) else content
