"""Account of what becomes of the parts of a test: carried, altered or dropped, each by its place, once."""

from collections import Counter

from loadrig.converters._draft import Altered, Dropped


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
        self._dropped[Dropped(place, what, why, order)] = None

    def alter(self, place: str, what: str, how: str, order: int) -> None:
        """Note that the plan says a part otherwise than the test."""
        self._altered[Altered(place, what, how, order)] = None

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
        """Parts that the plan says as the test does, by their kind, the most frequent first."""
        return dict(self._carried.most_common())
