"""Account of what becomes of a document's parts: carried, altered or dropped, each by its place."""

from collections import Counter

from loadrig.converters._draft import Altered, Dropped

MOST_PARTS = 5_000
"""Sentences that are told apart by an account at most: a file may have any number of parts."""

MOST_NAME = 200
"""Letters of a place or of a part's name at most: a foreign name may have a million."""


class DocumentAccount:
    """Account of one document. place, order: where the work is now, set by whoever goes through it.

    A sentence about the same part of a place stands in it once.
    """

    def __init__(self) -> None:
        self.place = ""
        self.order = 0
        self._dropped: dict[Dropped, None] = {}
        self._altered: dict[Altered, None] = {}
        self._carried: Counter[str] = Counter()

    def carry(self, kind: str, count: int = 1) -> None:
        """Note that the plan says so many parts of a kind as the document does."""
        self._carried[kind] += count

    def drop(self, what: str, why: str) -> None:
        """Note that the plan leaves out a part of the present place."""
        if len(self._dropped) < MOST_PARTS:
            self._dropped[Dropped(self.place[:MOST_NAME], what[:MOST_NAME], why, self.order)] = None

    def alter(self, what: str, how: str) -> None:
        """Note that the plan says a part of the present place otherwise than the document."""
        if len(self._altered) < MOST_PARTS:
            self._altered[Altered(self.place[:MOST_NAME], what[:MOST_NAME], how, self.order)] = None

    @property
    def dropped(self) -> tuple[Dropped, ...]:
        """Parts that were left out, in the document's order."""
        return tuple(sorted(self._dropped, key=lambda part: part.order))

    @property
    def altered(self) -> tuple[Altered, ...]:
        """Parts that the plan says otherwise, in the document's order."""
        return tuple(sorted(self._altered, key=lambda part: part.order))

    @property
    def carried(self) -> dict[str, int]:
        """Numbers of parts that the plan says as the document does, by their kind."""
        return dict(self._carried.most_common())
