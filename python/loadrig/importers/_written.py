"""Samples on the disk become a recording: a frame a second, histograms, the manifest, the seal.

What the tool did not tell is not written: such a recording has no times from when a request was due, no
connections, no CPU, no settings of a generator. Its clock begins at the first request.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.base.documents import plain
from loadrig.base.later import Later
from loadrig.importers._outcomes import ANSWERED, OUTCOMES
from loadrig.importers._spool import Spool
from loadrig.importers._summed import SummedFrames
from loadrig.language.choice import texts_of
from loadrig.language.en.importers import ImportersTexts
from loadrig.recording import frame_document
from loadrig.recording.layout import TrialFolder
from loadrig.recording.manifest_document import ImportedDocument
from loadrig.recording.writer import TrialWriter

TEXTS = texts_of(ImportersTexts)

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

SHORT_NS = NS // 2
"""Length in ns below which the last stretch is joined to the second before: so little time gives no rate."""


class Frames:
    """Samples of a spool, cut into seconds from the first request on.

    origin_ns: send of the first request, in ns since 1970. end_ns: end of the last one. n: number of seconds.
    """

    def __init__(self, spool: Spool, users: Mapping[int, int], *, with_transactions: bool) -> None:
        """Read where the spool begins and ends. spool: with at least one sample of a kind that is wanted."""
        self._spool = spool
        self._with_transactions = with_transactions
        bounds = [
            (int(rows["start"].min()), int((rows["start"] + rows["took"]).max()))
            for _, rows in self._pieces()
            if rows.size
        ]
        self.origin_ns = min(first for first, _ in bounds)
        self.end_ns = max(last for _, last in bounds)
        length_ns = self.end_ns - self.origin_ns
        self.n = max(1, length_ns // NS + (length_ns % NS >= SHORT_NS))
        # A recording needs a length even where its only request took no time.
        self.length_ns = max(1, length_ns)
        self.sent, self.in_flight_ns = self._starts()
        self._users = self._users_at_end(users)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the frames in order, as a recording keeps them."""
        ended_in_all = 0
        sent_in_all = np.cumsum(self.sent)
        for number, rows in self._rows_by_second():
            frame = self._frame(number, rows)
            ended_in_all += frame["answered"] + frame["failed"]
            frame["in_flight"] = int(sent_in_all[number]) - ended_in_all
            yield frame

    def _pieces(self) -> "Iterator[tuple[int, Any]]":
        return self._spool.pieces(with_transactions=self._with_transactions)

    def _starts(self) -> "tuple[Any, Any]":
        """Return the requests sent in each second, and the ns of requests in flight."""
        sent = np.zeros(self.n, dtype=np.int64)
        in_flight = np.zeros(self.n, dtype=np.int64)
        steps = np.zeros(self.n + 1, dtype=np.int64)
        last = self.n - 1
        for _, rows in self._pieces():
            start = rows["start"] - self.origin_ns
            end = start + rows["took"]
            first, final = np.minimum(start // NS, last), np.minimum(end // NS, last)
            np.add.at(sent, first, 1)
            within = first == final
            np.add.at(in_flight, first[within], (end - start)[within])
            np.add.at(in_flight, first[~within], ((first + 1) * NS - start)[~within])
            np.add.at(in_flight, final[~within], (end - final * NS)[~within])
            # Seconds between the first and the last are whole: +1 where they begin, -1 where they end.
            np.add.at(steps, first[~within] + 1, 1)
            np.add.at(steps, final[~within], -1)
        return sent, in_flight + np.cumsum(steps)[: self.n] * NS

    def _users_at_end(self, users: Mapping[int, int]) -> list[int] | None:
        """Return the users of each second, the last that were told until then; None where none were told."""
        if not users:
            return None
        by_second = {(second * NS - self.origin_ns) // NS: number for second, number in sorted(users.items())}
        # Before the first number told, that number is used: zero would be a figure that nobody gave.
        counts, latest = [], by_second[min(by_second)]
        for number in range(self.n):
            latest = by_second.get(number, latest)
            counts.append(latest)
        return counts

    def _rows_by_second(self) -> "Iterator[tuple[int, Any]]":
        """Yield every second with the rows that ended in it."""
        due, last = 0, self.n - 1
        rest: list[Any] = []
        for end_ns, rows in itertools.chain(self._pieces(), [(None, None)]):
            if rows is not None:
                rest.append(rows)
            # Seconds count from the first request, pieces from 1970: the last second of a piece may go on.
            whole = self.n if end_ns is None else max(0, min(last, (end_ns - self.origin_ns) // NS))
            if whole <= due:
                continue
            together = np.concatenate(rest)
            second = np.minimum((together["start"] + together["took"] - self.origin_ns) // NS, last)
            order = np.argsort(second, kind="stable")
            together, second = together[order], second[order]
            edges = np.searchsorted(second, np.arange(due, whole + 1))
            for place, number in enumerate(range(due, whole)):
                yield number, together[edges[place] : edges[place + 1]]
            rest = [together[edges[-1] :].copy()]
            due = whole

    def _frame(self, number: int, rows: Any) -> dict[str, Any]:
        routes, counts = [], Counter[str]()
        for route, outcome in sorted(
            {(int(r), int(o)) for r, o in zip(rows["route"], rows["outcome"], strict=True)}
        ):
            chosen = rows[(rows["route"] == route) & (rows["outcome"] == outcome)]
            counts[OUTCOMES[outcome]] += int(chosen.size)
            routes.append(self._route(self._spool.routes[route], OUTCOMES[outcome], chosen))
        t_ns = number * NS
        answered = sum(count for outcome, count in counts.items() if outcome in ANSWERED)
        codes, code_counts = np.unique(rows["status"][rows["status"] > 0], return_counts=True)
        return {
            "n": number, "t_ns": t_ns,
            "len_ns": self.length_ns - t_ns if number == self.n - 1 else NS,
            "sent": int(self.sent[number]), "answered": answered, "failed": counts.total() - answered,
            "in_flight": 0, "in_flight_s": float(self.in_flight_ns[number]) / NS,
            "routes": routes,
            "status": {str(code): int(count) for code, count in zip(codes, code_counts, strict=True)},
            **({} if self._users is None else {"users": self._users[number]}),
        }  # fmt: skip

    def _route(self, name: str, outcome: str, rows: Any) -> dict[str, Any]:
        times = Histogram()
        for took, count in zip(*np.unique(rows["took"], return_counts=True), strict=True):
            times.record(max(1, int(took)), int(count))
        route = {"route": name, "class": "service", "outcome": outcome, "count": int(rows.size)}
        if self._spool.knows_bytes:
            route["bytes"] = int(rows["bytes"].sum())
        return {**route, "service": times.encode()}


def write(folder: TrialFolder, frames: Frames | SummedFrames, name: str, imported: ImportedDocument) -> None:
    """Write a sealed recording. imported: as in the manifest.

    Raises VoidError if the folder cannot be written, PlanError `recording.already-sealed`.
    """
    created = datetime.fromtimestamp(frames.origin_ns / 1e9, UTC).astimezone()
    facts = {
        "created": created.isoformat(timespec="seconds"),
        "wall_ns": frames.origin_ns,
        "monotonic_ns": 0,
        "plan_name": name,
        "setting": {},
        "index": 1,
        "block": 0,
        "repeat": 0,
        "is_base": True,
        "load": {"model": None},
        "goals": [],
        "start_ns": 0,
        "measured": {"from_ns": 0, "to_ns": frames.length_ns, "why": TEXTS.all_of_files},
        "imported": plain(imported),
    }
    with TrialWriter(folder, facts) as writer:
        for frame in frames:
            writer.frame(frame_document.imported(frame))
        writer.seal()
