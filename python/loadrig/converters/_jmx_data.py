"""Variables of a JMX file, before any request is read: fixed ones, and those of feeds and answers."""

import base64
import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from loadrig.base import user_files
from loadrig.converters._draft import FeedDraft, FileDraft
from loadrig.converters._jmx_checks import names_of
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_requests import safe_file_name
from loadrig.converters._jmx_text import Hole, Piece, Variables, free_name, hole_name
from loadrig.converters._jmx_tree import Property, TreeElement
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.model import Feed

TEXTS = texts_of(ConvertersJmeterTexts)


@dataclass(slots=True)
class RowTable:
    """Values that are drawn together, row by row. element: where they stand in the test.

    is_of_users: each row is a user's, for good.
    """

    element: TreeElement
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    is_of_users: bool = False


@dataclass(slots=True)
class Data:
    """Tables by the names of their feeds. Filled by `define`."""

    variables: Variables
    report: JmxReport
    source: TestSource
    tables: dict[str, RowTable] = field(default_factory=dict)

    def define(self, top: TreeElement) -> None:
        """Note every variable that an element of the test sets."""
        enabled = list(_enabled(top))
        for element in enabled:
            if element.kind == "TestPlan":
                self._fix(element, element.items("TestPlan.user_defined_variables", "Arguments.arguments"))
            elif element.kind == "Arguments":
                self._fix(element, element.items("Arguments.arguments"))
        for element in enabled:
            match element.kind:
                case "CSVDataSet":
                    self._rows_of_file(element)
                case "UserParameters":
                    self._rows_of_users(element)
                case "CounterConfig":
                    self._counter(element)
                case "RandomVariableConfig":
                    self._random(element)
                case _:
                    for name in names_of(element):
                        if name and name not in self.variables.holes:
                            self._hole(name, free_name(hole_name(name), self._taken()))

    def feeds(self, uses: dict[str, int], users: int | None) -> dict[str, FeedDraft]:
        """Return the feeds of the tables. uses: requests with a hole of each; users: None for visitors.

        A feed gives each request a row; where several requests need the row of one user, each user keeps its
        row for good, and there are as many rows as users.
        """
        feeds = {}
        for name, table in self.tables.items():
            rows = table.rows
            keeps = table.is_of_users or uses.get(name, 0) > 1
            if keeps and rows:
                if not table.is_of_users:
                    self.report.alter(table.element, TEXTS.row_for_good)
                rows = [rows[number % len(rows)] for number in range(max(len(rows), users or 1))]
            content = io.StringIO()
            writer = csv.writer(content, lineterminator="\n")
            writer.writerow(table.columns)
            writer.writerows(rows)
            file = FileDraft(f"{name}.csv", content.getvalue().encode())
            feed = Feed(csv=file.name, order="unique" if keeps else "sequential")
            feeds[name] = FeedDraft(feed, file)
        return feeds

    def login_hole(self, user: Sequence[Piece], password: Sequence[Piece]) -> Hole | None:
        """Return a hole for a user and a password, joined and encoded; None unless one table has them all.

        The table gets a column for it, as a plan cannot encode what fills a hole.
        """
        pieces = [*user, ":", *password]
        holes = {piece.name for piece in pieces if isinstance(piece, Hole)}
        feed = next(iter(holes)).partition(".")[0]
        table = self.tables.get(feed)
        if table is None or any(hole.partition(".")[0] != feed for hole in holes):
            return None
        places = {f"{feed}.{column}": number for number, column in enumerate(table.columns)}
        logins = [
            "".join(row[places[piece.name]] if isinstance(piece, Hole) else piece for piece in pieces)
            for row in table.rows
        ]
        encoded = [base64.b64encode(login.encode()).decode() for login in logins]
        for number, column in enumerate(table.columns):
            if [row[number] for row in table.rows] == encoded:
                return Hole(f"{feed}.{column}")
        column = free_name("login", table.columns)
        table.columns = (*table.columns, column)
        table.rows = [(*row, login) for row, login in zip(table.rows, encoded, strict=True)]
        return Hole(f"{feed}.{column}")

    def _taken(self) -> tuple[str, ...]:
        return (*self.variables.feeds, *self.tables, *self.variables.holes.values())

    def _hole(self, variable: str, hole: str) -> None:
        self.variables.holes[variable] = hole
        self.variables.fixed.pop(variable, None)

    def _fix(self, element: TreeElement, arguments: Sequence[Property]) -> None:
        for part in arguments:
            name = part.get("Argument.name").strip()
            if name:
                self.variables.fixed[name] = part.get("Argument.value")
        if arguments:
            self.report.carry(element)

    def _table(self, stem: str, names: Sequence[str], table: RowTable) -> None:
        feed = free_name(hole_name(stem), self._taken())
        self.tables[feed] = table
        for name, column in zip(names, table.columns, strict=True):
            self._hole(name, f"{feed}.{column}")

    # --- feeds ------------------------------------------------------------------------------------

    def _rows_of_file(self, element: TreeElement) -> None:
        file = self.variables.constant(element.get("filename"), element) or ""
        delimiter = (self.variables.constant(element.get("delimiter"), element) or ",").replace("\\t", "\t")[
            :1
        ]
        names = [name.strip() for name in element.get("variableNames").split(",") if name.strip()]
        rows = self._read_rows(element, file, delimiter)
        if not names and rows:
            names, rows = [name.strip() for name in rows[0]], rows[1:]
        elif element.is_true("ignoreFirstLine"):
            rows = rows[1:]
        if not names:
            self.report.drop(element, TEXTS.no_columns)
            return
        if not rows:
            self.report.alter(element, TEXTS.no_rows(file[:200]))
            rows = [names]
        else:
            self.report.carry(element)
            if not element.is_true("recycle"):
                self.report.alter(element, TEXTS.rows_anew)
            if element.get("shareMode") == "shareMode.thread":
                self.report.alter(element, TEXTS.rows_of_all)
        columns = _columns(names)
        padded = [tuple((*row, *[""] * len(names))[: len(names)]) for row in rows]
        stem = safe_file_name(file.replace("\\", "/").rpartition("/")[2]).partition(".")[0] or "rows"
        self._table(stem, names, RowTable(element, columns, padded))

    def _read_rows(self, element: TreeElement, file: str, delimiter: str) -> list[list[str]]:
        path = self.source.beside(file) if file else None
        if path is None:
            return []
        encoding = self.variables.constant(element.get("fileEncoding"), element) or "utf-8-sig"
        try:
            text = user_files.read_text(path, user_files.MOST_LIST_BYTES, encoding)
            lines = io.StringIO(text, newline="")
            if element.is_true("quotedData"):
                return [row for row in csv.reader(lines, delimiter=delimiter) if row]
            return [row for row in csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE) if row]
        except (OSError, ValueError, LookupError, csv.Error) as error:
            self.report.alter(element, TEXTS.bad_rows(str(error)[:200]))
            return []

    def _rows_of_users(self, element: TreeElement) -> None:
        names = [part.text.strip() for part in element.items("UserParameters.names") if part.text.strip()]
        rows = [
            tuple(self.variables.constant(part.text, element) or "" for part in user.parts)
            for user in element.items("UserParameters.thread_values")
        ]
        if not names or not rows:
            return
        padded = [tuple((*row, *[""] * len(names))[: len(names)]) for row in rows]
        self.report.carry(element)
        self._table(
            element.name or "parameters", names, RowTable(element, _columns(names), padded, is_of_users=True)
        )

    def _counter(self, element: TreeElement) -> None:
        name = element.get("CounterConfig.name").strip()
        if not name:
            return
        start = int(self.variables.number(element.get("CounterConfig.start"), element))
        step = int(self.variables.number(element.get("CounterConfig.incr"), element, 1))
        if step != 1 or element.get("CounterConfig.end") or element.get("CounterConfig.format"):
            self.report.alter(element, TEXTS.counts_by_one)
        if element.is_true("CounterConfig.per_user"):
            self.report.alter(element, TEXTS.counter_of_all)
        self.report.carry(element)
        self._hole(name, self.variables.feed(name, FeedDraft(Feed(counter=start))))

    def _random(self, element: TreeElement) -> None:
        name = element.get("variableName").strip()
        if not name:
            return
        low = int(self.variables.number(element.get("minimumValue"), element, 1))
        high = int(self.variables.number(element.get("maximumValue"), element, low))
        if element.get("outputFormat"):
            self.report.alter(element, TEXTS.no_format)
        self.report.carry(element)
        bounds = (min(low, high), max(low, high))
        self._hole(name, self.variables.feed(name, FeedDraft(Feed(random=bounds))))


def _columns(names: Sequence[str]) -> tuple[str, ...]:
    """Return names that columns can have, each once."""
    columns: list[str] = []
    for name in names:
        columns.append(free_name(hole_name(name), columns))
    return tuple(columns)


def _enabled(top: TreeElement) -> Iterator[TreeElement]:
    """Yield the elements that are switched on, all above them too."""
    waiting = [top]
    while waiting:
        element = waiting.pop()
        if element.is_enabled:
            yield element
            waiting.extend(reversed(element.children))
