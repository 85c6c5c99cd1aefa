"""Variables of a JMX file, before any request is read: fixed ones, and those of feeds and answers."""

import base64
import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from loadrig.base import user_files
from loadrig.converters._draft import FeedDraft, FileDraft, ScenarioDraft
from loadrig.converters._jmx_bodies import safe_file_name
from loadrig.converters._jmx_checks import names_of
from loadrig.converters._jmx_report import JmxReport
from loadrig.converters._jmx_rounds import ControllerRounds
from loadrig.converters._jmx_tables import RowTable, RowTables, ValueOf
from loadrig.converters._jmx_text import Variables
from loadrig.converters._jmx_tree import Property, TreeElement
from loadrig.converters._pieces import Hole, Piece, free_name, hole_name
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.jmeter import ConvertersJmeterTexts
from loadrig.plan.holes import holes_in
from loadrig.plan.model import Feed, FeedOrder, FeedSpan
from loadrig.plan.written import WrittenRequest

TEXTS = texts_of(ConvertersJmeterTexts)


@dataclass(slots=True)
class Data:
    """Variables and their tables, filled by `define`. of_groups: tables that are each group's."""

    variables: Variables
    report: JmxReport
    source: TestSource
    of_groups: list[RowTable] = field(default_factory=list)

    @property
    def rows(self) -> RowTables:
        """Tables of the variables."""
        return self.variables.rows

    def define(self, top: TreeElement) -> None:
        """Note every variable that an element of the test sets."""
        enabled, rounds = list(_enabled(top)), ControllerRounds(top)
        for element in enabled:
            if element.kind == "TestPlan":
                self._fix(element, element.items("TestPlan.user_defined_variables", "Arguments.arguments"))
            elif element.kind == "Arguments":
                self._fix(element, element.items("Arguments.arguments"))
        for element in enabled:
            match element.kind:
                case "CSVDataSet":
                    self._rows_of_file(element, rounds)
                case "UserParameters":
                    self._rows_of_users(element)
                case "CounterConfig":
                    self._counter(element, rounds)
                case "RandomVariableConfig":
                    self._random(element, rounds)
                case _:
                    for name in names_of(element):
                        if name and name not in self.variables.holes:
                            self._hole(name, free_name(hole_name(name), self._names_in_use()))

    def next_group(self) -> None:
        """Give the next thread group tables of its own, where only the threads of a group share one."""
        for table in self.of_groups:
            feed = self.variables.holes[table.names[0]].partition(".")[0]
            if feed in self.rows.tables and self.rows.tables[feed].names is table.names:
                self._table(replace(table))

    def feeds(self, users: int | None) -> dict[str, FeedDraft]:
        """Return the feeds of the tables. users: None for visitors.

        A feed gives each loop a row, or each user one for good; then there are as many rows as users.
        """
        feeds = {}
        for name, table in self.rows.tables.items():
            rows = table.rows
            if table.order == "unique" and rows:
                rows = [rows[number % len(rows)] for number in range(max(len(rows), users or 1))]
            content = io.StringIO()
            writer = csv.writer(content, lineterminator="\n")
            writer.writerow(table.columns)
            writer.writerows(rows)
            file = FileDraft(f"{name}.csv", content.getvalue().encode())
            feed = Feed(csv=file.name, order=table.order, per=table.per)
            feeds[name] = FeedDraft(feed, file)
        return feeds

    def login_hole(self, user: Sequence[Piece], password: Sequence[Piece]) -> Hole | None:
        """Return a hole for a user and a password, joined and encoded; None unless one table has them all."""
        pieces = [*user, ":", *password]
        holes = {piece.name for piece in pieces if isinstance(piece, Hole)}

        def login_of(value: ValueOf) -> str:
            login = "".join(piece if isinstance(piece, str) else value(piece.name) for piece in pieces)
            return base64.b64encode(login.encode()).decode()

        return self.rows.column(holes, login_of, "login")

    def _names_in_use(self) -> tuple[str, ...]:
        return (*self.variables.feeds, *self.rows.tables, *self.variables.holes.values())

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

    def _table(self, table: RowTable) -> None:
        feed = free_name(hole_name(table.stem), self._names_in_use())
        self.rows.tables[feed] = table
        for name, column in zip(table.names, table.columns, strict=False):
            self._hole(name, f"{feed}.{column}")

    # --- feeds ------------------------------------------------------------------------------------

    def _rows_of_file(self, element: TreeElement, rounds: ControllerRounds) -> None:
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
            rows, is_open = [names], True
        else:
            is_open = False
            self.report.carry(element)
            if not element.is_true("recycle"):
                self.report.alter(element, TEXTS.rows_anew)
        padded = [tuple((*row, *[""] * len(names))[: len(names)]) for row in rows]
        stem = safe_file_name(file.replace("\\", "/").rpartition("/")[2]).partition(".")[0] or "rows"
        share = element.get("shareMode")
        order: FeedOrder = "sequential_per_user" if share == "shareMode.thread" else "sequential"
        per = self._held(element, names, rounds)
        table = RowTable(stem, names, _columns(names), padded, order, per, is_open)
        self._table(table)
        if share == "shareMode.group":
            self.of_groups.append(table)

    def _held(self, element: TreeElement, names: Sequence[str], rounds: ControllerRounds) -> FeedSpan:
        """Return how long a value of an element holds; note where JMeter has the next one at another time."""
        held = rounds.held_for(element, names)
        if held is None:
            self.report.alter(element, TEXTS.value_of_rounds)
        return held or "loop"

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
            RowTable(element.name or "parameters", names, _columns(names), padded, "unique", "request")
        )

    def _counter(self, element: TreeElement, rounds: ControllerRounds) -> None:
        name = element.get("CounterConfig.name").strip()
        if not name:
            return
        start = int(self.variables.number(element.get("CounterConfig.start"), element))
        step = int(self.variables.number(element.get("CounterConfig.incr"), element, 1))
        if step != 1 or element.get("CounterConfig.end") or element.get("CounterConfig.format"):
            self.report.alter(element, TEXTS.counts_by_one)
        order: FeedOrder = (
            "sequential_per_user" if element.is_true("CounterConfig.per_user") else "sequential"
        )
        self.report.carry(element)
        feed = Feed(counter=start, order=order, per=self._held(element, [name], rounds))
        self._hole(name, self.variables.feed(name, FeedDraft(feed)))

    def _random(self, element: TreeElement, rounds: ControllerRounds) -> None:
        name = element.get("variableName").strip()
        if not name:
            return
        low = int(self.variables.number(element.get("minimumValue"), element, 1))
        high = int(self.variables.number(element.get("maximumValue"), element, low))
        if element.get("outputFormat"):
            self.report.alter(element, TEXTS.no_format)
        self.report.carry(element)
        bounds = (min(low, high), max(low, high))
        self._hole(
            name,
            self.variables.feed(
                name, FeedDraft(Feed(random=bounds, per=self._held(element, [name], rounds)))
            ),
        )


def holes_of(request: WrittenRequest) -> Iterator[str]:
    """Yield the names of the holes of a request."""
    paths = (
        request.get,
        request.post,
        request.put,
        request.patch,
        request.delete,
        request.head,
        request.options,
    )
    texts = (*paths, *request.headers.values(), request.body, *request.form.values(), *request.form)
    return (hole for text in texts if text for hole in holes_in(text))


def held_for_loops(
    feed: str, draft: FeedDraft, scenarios: Sequence[ScenarioDraft], rounds: Mapping[str, int]
) -> FeedDraft | None:
    """Return a feed whose values hold for a loop of a thread; None where a plan cannot say that.

    rounds: loop of the thread within a loop of the plan, by the request. Where there are several, a value
    holds for a request, if no other of the same round needs it.
    """
    users = [
        [rounds.get(step.request.name or "", 0) for step in scenario.steps if feed in _feeds_of(step.request)]
        for scenario in scenarios
    ]
    if draft.feed.per == "request" or all(len(set(of_scenario)) < 2 for of_scenario in users):
        return draft
    is_shared = any(len(set(of_scenario)) < len(of_scenario) for of_scenario in users)
    return None if is_shared else replace(draft, feed=replace(draft.feed, per="request"))


def _feeds_of(request: WrittenRequest) -> set[str]:
    return {hole.partition(".")[0] for hole in holes_of(request)}


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
