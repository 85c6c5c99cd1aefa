"""Request as another tool tells of it, and the facts of a file beside its requests."""

import math
from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple

from loadrig.base.printable import in_one_line
from loadrig.language.choice import texts_of
from loadrig.language.en.importers import ImportersTexts
from loadrig.recording.manifest_document import OUTCOMES_UNTOLD, StatedTime

TEXTS = texts_of(ImportersTexts)

MOST_STATED = 2_000
"""Number of stated times at most: a dozen of each of as many routes as have names of their own."""


LONGEST_NAME = 200
"""Letters of a foreign name that are kept at most: a label may have megabytes, and stands in many places."""


class RequestSample(NamedTuple):
    """Request that ended. A tuple, as a million samples pass in a minute.

    start_ns: when it was sent, in ns since 1970. took_ns: from the send to the end. outcome: as in a
    recording. status: of the answer, 0 without an answer. bytes: received, -1 where it is not known.
    is_transaction: the sample stands for several requests, which may have rows of their own.
    """

    start_ns: int
    took_ns: int
    route: str
    outcome: str
    status: int = 0
    bytes: int = -1
    is_transaction: bool = False


@dataclass(slots=True)
class RunFacts:
    """Facts that the files of a run tell beside their requests. Filled by a member, read after the last row.

    users: number of users by second since 1970, the greatest where several were told. left_out: number of
    rows that are no requests, by reason. notes: sentences that a reader must know. warnings: what makes the
    load doubtful, by the tool's own words. requests_in: number of requests in the transactions, by label.
    untold: what the files leave open, by its word in `ImportedDocument.untold`.

    Of a file of sums: began_ns: when the load began, in ns since 1970, None where it is not told. times: what
    its times count, where the file says so. from_due: they count from when a request was due. stated: times
    that the tool worked out.
    """

    users: dict[int, int] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    requests_in: Counter[str] = field(default_factory=Counter)
    began_ns: int | None = None
    times: str = ""
    from_due: bool = False
    stated: list[StatedTime] = field(default_factory=list)
    untold: set[str] = field(default_factory=set)

    def note(self, text: str) -> None:
        """Add a note, once, however many files or lines give reason to."""
        if text not in self.notes:
            self.notes.append(text)

    def lacks_outcomes(self, form: str) -> None:
        """Note that the file does not say how requests ended. form: its name."""
        self.untold.add(OUTCOMES_UNTOLD)
        self.note(TEXTS.no_outcomes(form))

    def state(self, route: str, **times_ms: float) -> None:
        """Add times that the tool worked out, in ms, by name; `p99_9` is the 99.9th percentile."""
        for name, ms in times_ms.items():
            if len(self.stated) < MOST_STATED and math.isfinite(ms) and ms >= 0:
                # A name of somebody else may be no text: half of a pair of surrogates cannot be written.
                route, name = (in_one_line(text[:LONGEST_NAME]) for text in (route, name.replace("_", ".")))
                self.stated.append(StatedTime(route, name, ms))

    def warn(self, text: str) -> None:
        """Add a warning, once, that makes the load doubtful."""
        if text not in self.warnings:
            self.warnings.append(text)
