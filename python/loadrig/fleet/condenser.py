"""Merger of some generators of a large fleet, in a process of its own: their lines in, few lines out.

Frames are taken here: testimony and sums are added up, and what goes on is a bundle, a size that does not
depend on the number of generators. All other lines go on as they are.
"""

import json
import math
import time
from collections import deque
from collections.abc import Iterator, Sequence

import msgspec
from msgspec import structs

from loadrig.fleet.clocks import ClockOffset
from loadrig.fleet.hosts import MERGER, News, Seat, UnreachableGenerator
from loadrig.fleet.label_sums import LabelSums
from loadrig.fleet.merge import Bundler
from loadrig.fleet.messages import (
    CarriedBundle,
    CarriedCounts,
    LabelState,
    MergerAnswer,
    MergerLine,
    MergerLoad,
    MergerOrder,
    Stand,
)
from loadrig.fleet.testimony import Testimony, counts_of
from loadrig.recording import frame_document
from loadrig.recording.frame_document import LiveFrameDocument

FRAME = b'{"frame"'
"""Begin of a line that holds a frame: no other is read before the load."""

SEEN_EVERY_S = 1.0
"""Longest time in which nothing is said of generators that do speak, in seconds."""

Waiting = tuple[int, int, str, LiveFrameDocument]
"""Frame that is in no bundle yet: its slot, its end, the label that it counts for, and itself."""


class Condenser:
    """Merger of the generators that it is told of by its first order, see `order`.

    number: its own among the mergers of the fleet.
    """

    def __init__(self, number: int) -> None:
        self._number = number
        self._bundler: Bundler | None = None
        self._testimonies: dict[int, Testimony] = {}
        self._labels: dict[int, str] = {}
        self._has_labels = False
        self._waiting: dict[int, deque[Waiting]] = {}
        self._heard_of: set[int] = set()
        self._is_over = False
        self._written_s = 0.0

    def order(self, message: bytes | str) -> bytes:
        """Do what the fleet says, a `MergerOrder`; return the `MergerAnswer`. Both are JSON."""
        return msgspec.json.encode(self._answer(msgspec.json.decode(message, type=MergerOrder)))

    def _answer(self, order: MergerOrder) -> MergerAnswer:
        if order.begin is not None:
            self._begin(order.begin)
        elif order.lose is not None:
            self._begun.lose(order.lose)
            return MergerAnswer(bundles=tuple(self._bundles()))
        elif order.move is not None:
            index, label, offset_ns = order.move
            stand = self._stand(index)
            self._testimonies[index].begin_anew(_offset(offset_ns))
            self._labels[index] = label
            return MergerAnswer(stand=stand)
        elif order.sums:
            states = tuple((index, each.state()) for index, each in self._testimonies.items())
            return MergerAnswer(testimonies=states, labels=self._carried(math.inf)[1])
        return MergerAnswer()

    @property
    def _begun(self) -> Bundler:
        assert self._bundler is not None, "it has not begun"
        return self._bundler

    def _begin(self, load: MergerLoad) -> None:
        self._testimonies = {
            index: Testimony(Seat(index, "", "", label=label), _offset(offset_ns))
            for index, label, offset_ns in load.members
        }
        self._labels = {member.generator: member.label for member in load.members}
        self._has_labels = load.has_labels
        self._waiting = {member.generator: deque() for member in load.members}
        self._bundler = Bundler(self._labels, load.generators, load.start_ns, load.frame_s, load.reached)

    def take(self, news: Sequence[News]) -> Iterator[News]:
        """Take what some generators said; yield what is to go on."""
        for each in news:
            if each.line is None or not each.line.startswith(FRAME):
                yield from self._passed_on(each)
                continue
            testimony = self._testimonies[each.index]
            frame = frame_document.live(json.loads(each.line)["frame"])
            try:
                # What comes of a lost one after it was given up is in no total, as without mergers.
                is_next = self._begun.waits_for(each.index) and testimony.take(frame)
            except UnreachableGenerator as how:
                yield from self._passed_on(News(each.index, None, str(how)))
                continue
            if not is_next:
                continue
            self._begun.take(each.index, frame, testimony.offset.ns)
            slot, end_ns = self._begun.reached(each.index), testimony.last_end_ns or 0
            self._waiting[each.index].append((slot, end_ns, self._labels[each.index], frame))
            self._heard_of.add(each.index)
        yield from map(self._line, self._bundles())
        # Where one keeps all others waiting there is no bundle, and they are not silent for it.
        if self._heard_of and time.monotonic() - self._written_s > SEEN_EVERY_S:
            yield self._line(None)

    def _passed_on(self, news: News) -> Iterator[News]:
        """Yield a line as it is, after what its generator had said before."""
        if self._bundler is not None:
            if news.line is not None and news.line.startswith(b'{"end"'):
                self._bundler.over(news.index)
            # How far it came is needed where it is lost.
            yield from map(self._line, self._bundles())
            if news.index in self._heard_of:
                yield self._line(None)
        yield news

    def _bundles(self) -> Iterator[CarriedBundle]:
        if self._bundler is None:
            return
        while not self._is_over and (bundle := self._bundler.bundle()) is not None:
            self._is_over = bundle.is_last
            carried, labels = self._carried(bundle.reached)
            yield CarriedBundle(**structs.asdict(bundle), carried=carried, labels=labels)

    def _carried(self, reached: float) -> tuple[tuple[CarriedCounts, ...], LabelState]:
        """Return how far each is in the bundles up to a slot, and what they have counted since the last.

        Where we are lost, our generators' parts go on from there, so nothing of a later frame is in it.
        """
        rows: list[CarriedCounts] = []
        sums = LabelSums(())
        for index, waiting in self._waiting.items():
            counts: list[int] = []
            end_ns = in_flight = 0
            while waiting and waiting[0][0] <= reached:
                _, end_ns, label, frame = waiting.popleft()
                in_flight, more = frame.in_flight, counts_of(frame)
                counts = [a + b for a, b in zip(counts, more, strict=True)] if counts else more
                if self._has_labels:
                    sums.count(label, frame)
            if counts:
                rows.append(CarriedCounts(index, end_ns, in_flight, tuple(counts)))
        return tuple(rows), sums.state()

    def _stand(self, index: int) -> Stand:
        """Return how far a generator is."""
        testimony = self._testimonies[index]
        return Stand(index, testimony.last_end_ns, testimony.in_flight, self._begun.reached(index))

    def _line(self, bundle: CarriedBundle | None) -> News:
        """Return a line with who was heard of since the last, and how far each of them is."""
        stands = tuple(map(self._stand, sorted(self._heard_of)))
        self._heard_of.clear()
        self._written_s = time.monotonic()
        return News(MERGER, msgspec.json.encode(MergerLine(merger=self._number, seen=stands, bundle=bundle)))


def _offset(ns: int) -> ClockOffset:
    return ClockOffset(ns, ns, 0, 0)
