"""Tables of a JMX file's variables: rows that are drawn together, and columns that are made of others."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from loadrig.converters._pieces import Hole, free_name
from loadrig.plan.model import FeedOrder, FeedSpan

ValueOf = Callable[[str], str]
"""Function that returns what fills a hole in a row, by the hole's name."""


@dataclass(slots=True)
class RowTable:
    """Values that are drawn together, row by row. stem: what their feed is called after.

    names: of the variables that the columns fill. is_open: whether nobody could read the rows that are meant.
    """

    stem: str
    names: Sequence[str]
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    order: FeedOrder = "sequential"
    per: FeedSpan = "loop"
    is_open: bool = False


@dataclass(slots=True)
class RowTables:
    """Tables by the names of their feeds."""

    tables: dict[str, RowTable] = field(default_factory=dict)

    def values(self, hole: str) -> Sequence[str] | None:
        """Return what fills a hole, row by row; None where no table does, or its rows are not known."""
        feed, _, column = hole.partition(".")
        table = self.tables.get(feed)
        if table is None or table.is_open or column not in table.columns:
            return None
        place = table.columns.index(column)
        return [row[place] for row in table.rows]

    def column(self, holes: Collection[str], text_of: Callable[[ValueOf], str], stem: str) -> Hole | None:
        """Return a hole for a text that is made of others' values; None unless one table has them all.

        The table gets a column for it, as a plan neither joins nor encodes what fills a hole. text_of: makes
        the text of a row. stem: of the column's name.
        """
        feeds = {hole.partition(".")[0] for hole in holes}
        table = self.tables.get(next(iter(feeds))) if len(feeds) == 1 else None
        if table is None or table.is_open:
            return None
        (feed,) = feeds
        places = {f"{feed}.{column}": number for number, column in enumerate(table.columns)}
        texts = [
            text_of({hole: row[place] for hole, place in places.items()}.__getitem__) for row in table.rows
        ]
        for number, column in enumerate(table.columns):
            if [row[number] for row in table.rows] == texts:
                return Hole(f"{feed}.{column}")
        column = free_name(stem, table.columns)
        table.columns = (*table.columns, column)
        table.rows = [(*row, text) for row, text in zip(table.rows, texts, strict=True)]
        return Hole(f"{feed}.{column}")
