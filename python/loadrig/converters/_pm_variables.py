"""Variables of Postman in texts: what collection and environment fix, and holes for what they do not.

`{{name}}` is a value of a file, a value that a script takes from an answer, a secret that a person sets, or a
feed. Source: the guide "Variables" of Postman, and `lib/superstring` of postmanlabs/postman-collection.
"""

import random
import re
import uuid
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime

from loadrig.base.masks import is_secret_name
from loadrig.converters._account import DocumentAccount
from loadrig.converters._draft import FeedDraft, FileDraft
from loadrig.converters._jmx_text import Hole, Piece, free_name, hole_name, template_of
from loadrig.converters._secret_holes import secret_variable
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

    set_by_scripts: names that some answer gives a value. time_s: when the file was written, since 1970.
    """

    def __init__(
        self, values: Mapping[str, str], open_secrets: Collection[str], set_by_scripts: Collection[str],
        account: DocumentAccount, seed: int, time_s: int,
    ) -> None:  # fmt: skip
        self.feeds: dict[str, FeedDraft] = {}
        self._values = values
        self._open_secrets = open_secrets
        self._set_by_scripts = set_by_scripts
        self._account = account
        self._seed, self._time_s = seed, time_s
        self._holes: dict[str, str] = {}
        self._is_set: set[str] = set()

    def set(self, name: str) -> str:
        """Note that an answer has given a variable its value. Return the hole that it fills."""
        self._is_set.add(name)
        return self._hole(name)

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
        if name in self._is_set or name not in self._values:
            return match[0]
        return self._values[name]

    def _open(self, name: str) -> Piece:
        """Return the hole for a variable that no file fixes."""
        if name.startswith("$"):
            return self._dynamic(name)
        if name in self._set_by_scripts:
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
            self._holes[name] = free_name(hole_name(name.removeprefix("$")), self._holes.values())
        return self._holes[name]
