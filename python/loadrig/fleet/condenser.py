"""Merger of some generators of a large fleet, in a process of its own: their lines in, few lines out.

Frames are taken here: testimony and sums are added up, and what goes on is a bundle, a size that does not
depend on the number of generators. All other lines go on as they are.
"""

import json
import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from loadrig.fleet.clocks import ClockOffset
from loadrig.fleet.hosts import MERGER, Heard, Seat
from loadrig.fleet.label_sums import LabelSums
from loadrig.fleet.merge import Bundler
from loadrig.fleet.testimony import Testimony, counts_of
from loadrig.recording import frame_document

FRAME = b'{"frame"'
"""Begin of a line that holds a frame: no other is read before the load."""

SEEN_EVERY_S = 1.0
"""Longest time in which nothing is said of generators that do speak, in seconds."""

Waiting = tuple[int, int, int, list[int]]
"""Frame that is in no bundle yet: its slot, its end, requests in flight then, and what it counted."""


class Condenser:
    """Merger of the generators that it is told of by its first order, see `order`.

    number: its own among the mergers of the fleet.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._bundler: Bundler | None = None
        self._testimonies: dict[int, Testimony] = {}
        self._sums = LabelSums(())
        self._has_labels = False
        self._waiting: dict[int, deque[Waiting]] = {}
        self._seen: set[int] = set()
        self._is_over = False
        self._written_s = 0.0

    def order(self, order: Mapping[str, Any]) -> Mapping[str, Any]:
        """Do what the fleet says; return the answer.

        `begin`: of all members the index, the label and the offset in nanoseconds, the labels of the whole
        fleet, the number of its generators, start and length of a frame, and the slot that the load is past
        where it takes the place of a lost one. `lose`: index of one that is lost.
        `move`: index, label and offset of a fresh generator in the place of a lost one. `sums`: the answer
        has all that was added up.
        """
        if "begin" in order:
            self._begin(order["begin"])
        elif "lose" in order:
            self._begun.lose(order["lose"])
            return {"bundles": list(self._bundles())}
        elif "move" in order:
            index, label, offset_ns = order["move"]
            self._testimonies[index].offset = _offset(offset_ns)
            self._sums.move(index, label)
        elif "sums" in order:
            states = [[index, each.state()] for index, each in self._testimonies.items()]
            return {"testimonies": states, "labels": self._sums.state()}
        return {}

    @property
    def _begun(self) -> Bundler:
        assert self._bundler is not None, "it has not begun"
        return self._bundler

    def _begin(self, load: Mapping[str, Any]) -> None:
        seats = [Seat(index, "", "", label=label) for index, label, _ in load["members"]]
        offsets_ns = [offset_ns for _, _, offset_ns in load["members"]]
        self._testimonies = {
            seat.index: Testimony(seat, _offset(offset_ns))
            for seat, offset_ns in zip(seats, offsets_ns, strict=True)
        }
        self._sums = LabelSums(seats, load["labels"])
        self._has_labels = len(load["labels"]) > 1
        members = [seat.index for seat in seats]
        self._waiting = {index: deque() for index in members}
        self._bundler = Bundler(
            members, load["generators"], load["start_ns"], load["frame_s"], load["reached"]
        )

    def take(self, heard: Sequence[Heard]) -> Iterator[Heard]:
        """Take what some generators said; yield what is to go on."""
        for each in heard:
            if each.line is None or not each.line.startswith(FRAME):
                yield from self._passed_on(each)
                continue
            testimony = self._testimonies[each.index]
            frame = frame_document.live(json.loads(each.line)["frame"])
            testimony.take(frame)
            self._sums.take(each.index, frame)
            self._begun.take(each.index, frame, testimony.offset.ns)
            slot = self._begun.reached(each.index)
            end_ns = testimony.last_end_ns or 0
            self._waiting[each.index].append((slot, end_ns, frame.in_flight, counts_of(frame)))
            self._seen.add(each.index)
        yield from map(self._line, self._bundles())
        # Where one keeps all others waiting there is no bundle, and they are not silent for it.
        if self._seen and time.monotonic() - self._written_s > SEEN_EVERY_S:
            yield self._line({"bundle": None})

    def _passed_on(self, heard: Heard) -> Iterator[Heard]:
        """Yield a line as it is, after what its generator had said before."""
        if self._bundler is not None:
            if heard.line is not None and heard.line.startswith(b'{"end"'):
                self._bundler.over(heard.index)
            # How far it came is needed where it is lost.
            yield from map(self._line, self._bundles())
            if heard.index in self._seen:
                yield self._line({"bundle": None})
        yield heard

    def _bundles(self) -> Iterator[dict[str, Any]]:
        if self._bundler is None:
            return
        while not self._is_over and (bundle := self._bundler.bundle()) is not None:
            self._is_over = bundle["is_last"]
            labels = self._sums.state() if self._has_labels else {}
            yield {"bundle": {**bundle, "carried": self._carried(bundle["reached"]), "labels": labels}}

    def _carried(self, reached: int) -> list[list[Any]]:
        """Return how far each is in the bundles up to a slot, and what it has counted since the last.

        Where we are lost, our generators' parts go on from there.
        """
        rows: list[list[Any]] = []
        for index, waiting in self._waiting.items():
            counts: list[int] = []
            end_ns = in_flight = 0
            while waiting and waiting[0][0] <= reached:
                _, end_ns, in_flight, more = waiting.popleft()
                counts = [a + b for a, b in zip(counts, more, strict=True)] if counts else more
            if counts:
                rows.append([index, end_ns, in_flight, counts])
        return rows

    def _line(self, message: dict[str, Any]) -> Heard:
        """Return a line with who was heard of since the last, and how far each of them is."""
        seen = [
            [index, each.last_end_ns, each.in_flight, self._begun.reached(index)]
            for index in sorted(self._seen)
            for each in (self._testimonies[index],)
        ]
        self._seen.clear()
        self._written_s = time.monotonic()
        line = json.dumps({**message, "merger": self._number, "seen": seen}).encode()
        return Heard(MERGER, line)


def _offset(ns: int) -> ClockOffset:
    return ClockOffset(ns, ns, 0, 0)
