"""Variables of Postman in texts: what collection and environment fix, and holes for what they do not.

`{{name}}` is a value of a file, a value that a script takes from an answer, a secret that a person sets, or a
feed. Source: the guide "Variables" of Postman, and `lib/superstring` of postmanlabs/postman-collection.
"""

import random
import re
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime

from loadrig.base.masks import is_secret_name
from loadrig.converters._account import DocumentAccount
from loadrig.converters._draft import FeedDraft, FileDraft
from loadrig.converters._pieces import Hole, Piece, free_name, hole_name, template_of
from loadrig.converters._pm_data import DataTable, Row, same_in_all, table_of
from loadrig.converters._secret_holes import secret_variable
from loadrig.converters._source import TestSource
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.postman import ConvertersPostmanTexts
from loadrig.plan.model import Feed

TEXTS = texts_of(ConvertersPostmanTexts)

MADE_VALUES = 1_000
"""Values that are made beforehand for a variable that has a new one each time."""

DEEPEST_VARIABLE = 20
"""Variables within each other at most: as many as Postman follows."""

MOST_LETTERS = 200_000
"""Letters of a text at most, once its variables are filled: each may name others many times."""

_VARIABLE = re.compile(r"\{\{([^{}]{1,200})\}\}")
_UUIDS = ("$guid", "$randomUUID")


class PostmanVariables:
    """Variables of a collection. values: what the files fix. open_secrets: names of secrets without a value.

    of_environment: names that the environment fixes. set_by_scripts: names that some script gives a value.
    time_s: when the file was written, since 1970.
    """

    def __init__(
        self, values: Mapping[str, str], of_environment: Collection[str], open_secrets: Collection[str],
        set_by_scripts: Collection[str], account: DocumentAccount, seed: int, time_s: int,
    ) -> None:  # fmt: skip
        self.feeds: dict[str, FeedDraft] = {}
        self._values = dict(values)
        self._of_environment = set(of_environment)
        self._used: set[str] = set()
        self._open_secrets = open_secrets
        self._set_by_scripts = set_by_scripts
        self._account = account
        self._seed, self._time_s = seed, time_s
        self._holes: dict[str, str] = {}
        self._is_set: set[str] = set()
        self._of_data: set[str] = set()
        self._data_names: frozenset[str] = frozenset()
        self._table: DataTable | None = None
        self._row = ""

    # --- a row of data for each iteration ---------------------------------------------------------

    def give_rows(self, rows: Sequence[Row], source: TestSource) -> None:
        """Give each iteration a row of variables, which hide those of other files. source: their file."""
        self._of_data = {name for row in rows for name in row}
        self._data_names = frozenset(self._of_data)
        same = same_in_all(rows)
        holes: list[str] = []
        for name in sorted(self._of_data - same.keys()):
            holes.append(free_name(hole_name(name), holes))
        columns = dict(zip(sorted(self._of_data - same.keys()), holes, strict=True))
        for name in self._set_by_scripts:
            if name in self._of_data and not all(name in row for row in rows):
                self._account.alter(f"{{{{{name}}}}}", TEXTS.row_without)
        if columns:
            self._table = table_of(rows, columns, self._in_row, source)
        self._values |= same

    @property
    def uses_rows(self) -> bool:
        """Whether a text that was read so far has a variable of the rows."""
        return bool(self._used & self._data_names)

    def is_hidden(self, name: str) -> bool:
        """Return whether the rows have a variable: they hide what scripts give to an environment."""
        return name in self._of_data

    def is_other_text(self, scope: str, name: str) -> bool:
        """Return whether a script gets another text for a variable of a scope than is filled in for it."""
        is_set = name in self._set_by_scripts
        if scope.lower() == "environment" and name not in self._of_environment and not is_set:
            return name in self._values
        is_hidden = name in self._of_environment and scope in ("collectionVariables", "globals", "Global")
        return is_hidden or _VARIABLE.search(self._values.get(name, "")) is not None

    def release(self, name: str) -> None:
        """Note that a script sets a variable of its own, which hides that of the rows from now on."""
        self._of_data.discard(name)

    def row_feed(self, hole: str) -> str:
        """Return the feed of rows that fills a hole; nothing for a hole that no row fills."""
        return self._row if hole.partition(".")[0] == self._row else ""

    def row_has(self, signs: re.Pattern[str], hole: str) -> bool:
        """Return whether a row fills a hole with some signs."""
        column = hole.partition(".")[2]
        return self._table is not None and self.row_feed(hole) != "" and self._table.has(signs, column)

    def _in_row(self, name: str, row: Row) -> str:
        """Return the text of a variable in a row, as newman fills it: without a value it keeps its braces."""
        text = f"{{{{{name}}}}}"
        for _ in range(DEEPEST_VARIABLE):
            filled = _VARIABLE.sub(lambda match: self._value_in_row(match, row), text)
            if filled == text or len(filled) > MOST_LETTERS:
                break
            text = filled
        return text

    def _value_in_row(self, match: re.Match[str], row: Row) -> str:
        name = match[1].strip()
        value = row[name] if name in row else self._values.get(name)
        return match[0] if value is None else value

    def _in_table(self, name: str) -> bool:
        return self._table is not None and name in self._of_data and name in self._table.columns

    def _cell(self, name: str) -> Hole:
        assert self._table is not None
        if not self._row:
            self._row = free_name("data", self._holes.values())
            self.feeds[self._row] = self._table.feed(TEXTS.row_of(self._table.name, len(self._table.rows)))
        return Hole(f"{self._row}.{self._table.columns[name]}")

    # --- single variables -------------------------------------------------------------------------

    def set(self, name: str) -> str:
        """Note that an answer has given a variable its value. Return the hole that it fills."""
        self._is_set.add(name)
        return self._hole(name)

    def own(self, stem: str) -> str:
        """Return a hole of the plan's own, which no variable of the collection has."""
        hole = free_name(hole_name(stem), (self._row, *self._holes.values()))
        self._holes[f"\0{hole}"] = hole
        return hole

    def assign(self, name: str, text: str, *, is_weak: bool) -> None:
        """Note that a script has given a variable a fixed value. is_weak: one of an environment hides it."""
        if is_weak and name in self._of_environment:
            return
        if not is_weak:
            self._of_environment.add(name)
        if name in self._used and self._values.get(name) != text:
            self._account.alter(f"{{{{{name}}}}}", TEXTS.set_after_use)
        self._is_set.discard(name)
        self._values[name] = text

    def expanded(self, text: str) -> str:
        """Return a text with all that is fixed in place; what is left in double braces is not."""
        for _ in range(DEEPEST_VARIABLE):
            filled = _VARIABLE.sub(self._fixed, text)
            if filled == text:
                return text
            if len(filled) > MOST_LETTERS:
                self._account.alter(text[:80], TEXTS.long_text(MOST_LETTERS))
                return text[:MOST_LETTERS]
            text = filled
        self._account.alter(text[:80], TEXTS.no_end)
        return text

    def pieces(self, text: str) -> list[Piece]:
        """Return a text as fixed pieces and holes."""
        pieces: list[Piece] = []
        rest, place = self.expanded(text), 0
        for match in _VARIABLE.finditer(rest):
            pieces.append(rest[place : match.start()])
            place = match.end()
            pieces.append(self._open(match[1].strip()))
        return [piece for piece in (*pieces, rest[place:]) if piece != ""]

    def template(self, text: str, encode: Callable[[str], str] = str) -> str:
        """Return a text as a template of a plan. encode: what is done to what is fixed."""
        return template_of(self.pieces(text), encode)

    def constant(self, text: str) -> str | None:
        """Return a text that the files fix; None for one that has a hole."""
        rest = self.expanded(text)
        return None if _VARIABLE.search(rest) else rest

    def _fixed(self, match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in self._is_set or name not in self._values or self._in_table(name):
            return match[0]
        self._used.add(name)
        return self._values[name]

    def _open(self, name: str) -> Piece:
        """Return the hole for a variable that no file fixes."""
        if name.startswith("$"):
            return self._dynamic(name)
        if self._in_table(name):
            self._used.add(name)
            return self._cell(name)
        if name in self._set_by_scripts:
            self._used.add(name)
            if name not in self._is_set:
                self._account.alter(f"{{{{{name}}}}}", TEXTS.set_later)
            return Hole(self._hole(name))
        if name in self._open_secrets or is_secret_name(name):
            variable = secret_variable(name)
            self._account.alter(f"{{{{{name}}}}}", TEXTS.secret_wanted(variable))
            return Hole(f"env:{variable}")
        hole = self._hole(name)
        if hole not in self.feeds:
            self.feeds[hole] = FeedDraft(Feed(values=(name,)), comment=TEXTS.nothing_sets(hole))
            self._account.alter(f"{{{{{name}}}}}", TEXTS.nothing_sets(hole))
        return Hole(hole)

    def _dynamic(self, name: str) -> Piece:
        """Return what stands for a variable of Postman's own, which has a new value each time."""
        match name:
            case "$timestamp":
                draft, how = FeedDraft(Feed(counter=self._time_s)), TEXTS.time_counted
            case "$randomInt":
                draft, how = FeedDraft(Feed(random=(0, 1000))), ""
            case "$isoTimestamp":
                self._account.alter(name, TEXTS.time_of_the_file)
                return datetime.fromtimestamp(self._time_s, UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
            case _ if name in _UUIDS:
                source = random.Random(f"{self._seed}{name}")
                values = [str(uuid.UUID(int=source.getrandbits(128), version=4)) for _ in range(MADE_VALUES)]
                file = FileDraft(f"{hole_name(name[1:])}.txt", ("\n".join(values) + "\n").encode())
                draft, how = FeedDraft(Feed(lines=file.name), file), TEXTS.made_beforehand(MADE_VALUES)
            case _:
                self._account.alter(name, TEXTS.no_such_dynamic)
                return name.removeprefix("$")
        hole = self._hole(name)
        self.feeds.setdefault(hole, draft)
        if how:
            self._account.alter(name, how)
        return Hole(hole)

    def _hole(self, name: str) -> str:
        if name not in self._holes:
            names = (self._row, *self._holes.values())
            self._holes[name] = free_name(hole_name(name.removeprefix("$")), names)
        return self._holes[name]
