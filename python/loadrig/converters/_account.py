"""Account of what becomes of a test's parts, each a line of a text: carried, altered or dropped."""

from collections.abc import Mapping

from loadrig.converters._draft import Altered, Dropped
from loadrig.language.choice import texts_of
from loadrig.language.en.converters.room import ConvertersTexts

TEXTS = texts_of(ConvertersTexts)


class LineAccount:
    """Account of one test. A sentence about a part stands in it once."""

    def __init__(self) -> None:
        self._dropped: dict[Dropped, None] = {}
        self._altered: dict[Altered, None] = {}
        self._carried: dict[str, int] = {}

    def carry(self, what: str, count: int = 1) -> None:
        """Note that the plan says some parts of a kind as the test does."""
        self._carried[what] = self._carried.get(what, 0) + count

    def drop(self, line: int, what: str, why: str) -> None:
        """Note that the plan leaves out a part. line: its number, from 1."""
        self._dropped[Dropped(TEXTS.at_line(line), what, why, line)] = None

    def alter(self, line: int, what: str, how: str) -> None:
        """Note that the plan says a part otherwise than the test."""
        self._altered[Altered(TEXTS.at_line(line), what, how, line)] = None

    def alter_whole(self, what: str, how: str) -> None:
        """Note that the plan says something otherwise that stands at no line of the test."""
        self._altered[Altered(TEXTS.whole_test, what, how)] = None

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Parts that were left out, by their lines."""
        return tuple(sorted(self._dropped, key=lambda part: part.order))

    @property
    def altered(self) -> tuple[Altered, ...]:
        """Parts that the plan says otherwise, by their lines."""
        return tuple(sorted(self._altered, key=lambda part: part.order))

    @property
    def carried(self) -> Mapping[str, int]:
        """Parts that the plan says as the test does, by their kind."""
        return dict(self._carried)
