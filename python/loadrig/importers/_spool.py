"""Samples put in order of time on the disk: in memory there is never more than half a minute of them.

Rows of other tools are written when a request ends, by many threads, in batches, or one generator's file
after the other's: in no order that may be relied on. Each goes to the piece of time in which it ended, as 32
bytes; then the pieces are read in order. So no row is ever late, whatever the order, and hours take no more
memory than minutes: a list of pieces, and numbers by second.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadrig.base import private
from loadrig.base.clock import NS
from loadrig.base.later import Later
from loadrig.importers._outcomes import OUTCOMES
from loadrig.importers._sample import LONGEST_NAME, RequestSample
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.importers import ImportersSampleErrors
from loadrig.recording.files import making

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

ERRORS = texts_of(ImportersSampleErrors)

PIECE_NS = 30 * NS

KEPT = 512
"""Number of samples of a piece that wait in memory before they are appended to its file: 16 kB."""

MOST_ROUTES = 200
"""Number of routes with a name of their own. All further ones share one name: labels with an identity in them
(/users/17) would make a histogram for each of them and second."""

OTHERS = "(other routes)"

LONGEST_NS = 86_400 * NS
"""Longest time of a request, a day in ns. A longer one is in another unit, and makes millions of frames."""

FARTHEST = 2**62
"""Greatest number of nanoseconds or bytes that is taken in: sums of two still fit into 64 bits."""

_ROW = struct.Struct("<qqqIHBB")
_NUMBERS = {outcome: number for number, outcome in enumerate(OUTCOMES)}


@dataclass(slots=True)
class _Piece:
    """Samples that ended within 30 s. first_ns: the earliest start among them. last_ns: the latest end."""

    waiting: bytearray
    first_ns: int
    last_ns: int


class Spool:
    """Samples on their way into a recording. Used once: all samples are put, then read.

    routes: names by number. counts: number of samples by kind (requests, transactions). knows_bytes: the
    size of every answer was told.
    """

    def __init__(self, folder: Path) -> None:
        """Make an empty spool. folder: one that exists, is empty, and is removed by who made it."""
        self._folder = folder
        self._pieces: dict[int, _Piece] = {}
        self._routes: dict[str, int] = {}
        self.counts = {False: 0, True: 0}
        self.folded = 0
        self.knows_bytes = True

    @property
    def routes(self) -> list[str]:
        """Names of the routes by their number."""
        return list(self._routes)

    def put(self, sample: RequestSample) -> None:
        """Take a sample in. Raise VoidError where the disk is full, OverflowError where it is no time."""
        number = self._routes.get(sample.route)
        if number is None:
            number = self._new_route(sample.route)
        end_ns = sample.start_ns + sample.took_ns
        if sample.took_ns > LONGEST_NS:
            raise OverflowError(ERRORS.endless_request(f"{sample.took_ns / 3600 / NS:,.0f}"))
        if not 0 <= sample.start_ns <= end_ns < FARTHEST or sample.bytes >= FARTHEST:
            raise OverflowError(ERRORS.numbers_of_nothing)
        key = end_ns // PIECE_NS
        piece = self._pieces.get(key)
        if piece is None:
            piece = self._pieces[key] = _Piece(bytearray(), sample.start_ns, end_ns)
        elif sample.start_ns < piece.first_ns:
            piece.first_ns = sample.start_ns
        piece.last_ns = max(piece.last_ns, end_ns)
        if sample.bytes < 0:
            self.knows_bytes = False
        piece.waiting += _ROW.pack(
            sample.start_ns, sample.took_ns, max(0, sample.bytes), number, sample.status,
            _NUMBERS[sample.outcome], sample.is_transaction,
        )  # fmt: skip
        self.counts[sample.is_transaction] += 1
        if len(piece.waiting) >= KEPT * _ROW.size:
            self._flush(key)

    def spans(self) -> list[tuple[int, int]]:
        """Yield the earliest start and latest end of the samples of each piece, in order of time."""
        return [(self._pieces[key].first_ns, self._pieces[key].last_ns) for key in sorted(self._pieces)]

    def pieces(self, *, with_transactions: bool) -> "Iterator[tuple[int, Any]]":
        """Yield the end of each piece of time and its rows: start, took, bytes, route, status, outcome, kind.

        May be called again. Raise VoidError where the disk is full.
        """
        kind = np.dtype(
            [("start", "<i8"), ("took", "<i8"), ("bytes", "<i8"), ("route", "<u4"), ("status", "<u2"),
             ("outcome", "u1"), ("transaction", "u1")]
        )  # fmt: skip
        for key in sorted(self._pieces):
            self._flush(key)
            rows = np.fromfile(self._path(key), dtype=kind)
            yield (key + 1) * PIECE_NS, rows if with_transactions else rows[rows["transaction"] == 0]

    def _new_route(self, name: str) -> int:
        # A label is foreign text that terminals and pages will show.
        name = "".join(c if c.isprintable() else " " for c in name[:LONGEST_NAME]).strip() or "requests"
        if len(self._routes) >= MOST_ROUTES:
            self.folded += 1
            name = OTHERS
        return self._routes.setdefault(name, len(self._routes))

    def _flush(self, key: int) -> None:
        piece = self._pieces[key]
        if piece.waiting:
            path = self._path(key)
            with making(path), open(path, "ab", opener=private.opener) as file:
                file.write(piece.waiting)
            piece.waiting.clear()

    def _path(self, key: int) -> Path:
        return self._folder / f"{key}.samples"
