"""Account of what becomes of the parts of a test: carried, altered or dropped, each by its place, once."""

from collections import Counter

from loadrig.converters._draft import Altered, Dropped
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.room import ConvertersTexts

TEXTS = texts_of(ConvertersTexts)

MOST_PARTS = 5_000
"""Sentences that an account tells apart at most, of each kind: a file may have any number of parts."""

MOST_NAME = 200
"""Letters of a place or of a part's name at most: a foreign name may have a million."""


class PartsAccount:
    """Account of one file. A sentence about a place stands in it once."""

    def __init__(self) -> None:
        self._dropped: dict[Dropped, None] = {}
        self._altered: dict[Altered, None] = {}
        self._carried: Counter[str] = Counter()

    def carry(self, kind: str, count: int = 1) -> None:
        """Note that the plan says parts as the test does. kind: their name, of several of them."""
        self._carried[kind] += count

    def drop(self, place: str, what: str, why: str, order: int) -> None:
        """Note that the plan leaves out a part."""
        if len(self._dropped) < MOST_PARTS:
            self._dropped[Dropped(place[:MOST_NAME], what[:MOST_NAME], why, order)] = None

    def alter(self, place: str, what: str, how: str, order: int) -> None:
        """Note that the plan says a part otherwise than the test."""
        if len(self._altered) < MOST_PARTS:
            self._altered[Altered(place[:MOST_NAME], what[:MOST_NAME], how, order)] = None

    @property
    def length(self) -> tuple[int, int]:
        """Numbers of sentences so far, to which `cut` goes back."""
        return len(self._dropped), len(self._altered)

    def cut(self, length: tuple[int, int]) -> None:
        """Take back the sentences that were noted since, of parts that are listed as a whole instead."""
        self._dropped = dict.fromkeys(list(self._dropped)[: length[0]])
        self._altered = dict.fromkeys(list(self._altered)[: length[1]])

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Parts that were left out, by their places."""
        return tuple(sorted(self._dropped, key=lambda part: part.order))

    @property
    def altered(self) -> tuple[Altered, ...]:
        """Parts that the plan says otherwise, by their places."""
        return tuple(sorted(self._altered, key=lambda part: part.order))

    @property
    def carried(self) -> dict[str, int]:
        """Numbers of parts that the plan says as the test does, by their kind, the most frequent first."""
        return dict(self._carried.most_common())


class DocumentAccount:
    """Account of a document. place, order: where the work is now, set by whoever goes through it."""

    def __init__(self) -> None:
        self.place = ""
        self.order = 0
        self.parts = PartsAccount()
        self.carry = self.parts.carry

    def drop(self, what: str, why: str) -> None:
        """Note that the plan leaves out a part of the present place."""
        self.parts.drop(self.place, what, why, self.order)

    def alter(self, what: str, how: str) -> None:
        """Note that the plan says a part of the present place otherwise than the document."""
        self.parts.alter(self.place, what, how, self.order)


class LineAccount:
    """Account of a text whose parts are lines."""

    def __init__(self) -> None:
        self.parts = PartsAccount()
        self.carry = self.parts.carry

    def drop(self, line: int, what: str, why: str) -> None:
        """Note that the plan leaves out a part. line: its number, from 1."""
        self.parts.drop(TEXTS.at_line(line), what, why, line)

    def alter(self, line: int, what: str, how: str) -> None:
        """Note that the plan says a part otherwise than the test."""
        self.parts.alter(TEXTS.at_line(line), what, how, line)

    def alter_whole(self, what: str, how: str) -> None:
        """Note that the plan says something otherwise that stands at no line of the test."""
        self.parts.alter(TEXTS.whole_test, what, how, 0)
