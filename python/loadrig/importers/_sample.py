"""One request as another tool tells of it, and what is to be said of a file beside its requests."""

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Sample(NamedTuple):
    """One request that ended. A million of them pass in a minute, hence a tuple.

    start_ns: when it was sent, in ns since 1970. took_ns: from then to its end. outcome: as in a recording.
    status: of the answer, 0 where there was none. bytes: received, -1 where it is not known.
    is_transaction: it stands for several requests, which may have rows of their own.
    """

    start_ns: int
    took_ns: int
    route: str
    outcome: str
    status: int = 0
    bytes: int = -1
    is_transaction: bool = False


@dataclass(slots=True)
class Told:
    """What the files of a run say beside their requests. Filled by a member, read when all is read.

    users: by second since 1970, how many there were, the most that were told. left_out: rows that are no
    requests, by reason. notes: what a reader must know. warnings: what makes the load doubtful, by the tool's
    own words. requests_in: by label of a transaction, of how many requests its rows say that they consist.
    """

    users: dict[int, int] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    requests_in: Counter[str] = field(default_factory=Counter)

    def note(self, text: str) -> None:
        """Say something once, however many files or lines give reason to."""
        if text not in self.notes:
            self.notes.append(text)

    def warn(self, text: str) -> None:
        """Say once what makes the load doubtful."""
        if text not in self.warnings:
            self.warnings.append(text)
