"""Place where the frames of a fleet are put together: this process, or mergers that each have some."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Protocol, runtime_checkable

import msgspec
from msgspec import structs

from loadrig.base.talks import Message
from loadrig.engine.process import cleaned, without_secrets
from loadrig.fleet.hosts import Seat, UnreachableGenerator
from loadrig.fleet.label_sums import LabelSums
from loadrig.fleet.merge import Merger
from loadrig.fleet.messages import (
    BundledSlot,
    CarriedBundle,
    GeneratorSums,
    MergerAnswer,
    MergerLine,
    MergerLoad,
    MergerMember,
    MergerOrder,
    Stand,
)
from loadrig.fleet.testimony import Testimony


@runtime_checkable
class MergedHosts(Protocol):
    """Transport of a fleet whose frames are put together on their way, see `fleet.condenser`.

    What it hears of generators then has lines with `bundle` in place of those with `frame`.
    """

    @property
    def groups(self) -> Sequence[Sequence[int]]:
        """Generators of each merger; empty where frames come as they are."""

    def tell(self, number: int, order: MergerOrder) -> MergerAnswer:
        """Give a merger an order and return its answer. Raises UnreachableGenerator where it gives none."""


class OneMerger:
    """Merger of all frames, in this process."""

    def __init__(
        self, testimonies: Sequence[Testimony], threads: int, start_ns: int, frame_s: float, bundlers: int = 0
    ) -> None:
        seats = [each.seat for each in testimonies]
        self.sums = LabelSums(seats)
        self._testimonies = testimonies
        self._merger = Merger([seat.host for seat in seats], threads, start_ns, frame_s, bundlers)

    @property
    def done(self) -> int:
        """Last slot that was given; -1 before the first."""
        return self._merger.done

    def next_frame(self) -> Message | None:
        """Return the next merged frame, see `Merger.next_frame`."""
        return self._merger.next_frame()

    def reached(self, index: int) -> int:
        """Return the last slot that a generator has ended a frame in; -1 before its first."""
        return self._merger.reached(index)

    def take(self, index: int, document: Message) -> None:
        """Take a frame of a generator. Raises UnreachableGenerator where one before it has never come."""
        testimony = self._testimonies[index]
        frame = cleaned(document)
        if testimony.take(frame):
            self.sums.take(index, frame)
            self._merger.take(index, frame, testimony.offset.ns)

    def over(self, index: int) -> None:
        """Wait no more for a generator that has ended."""
        self._merger.over(index)

    def lose(self, index: int) -> None:
        """Wait no more for a generator that is lost."""
        self._merger.lose(index)

    def move(self, index: int, seat: Seat, offset_ns: int) -> None:
        """Let a fresh generator go on in the place of a lost one, by its own clock.

        From then on its testimony says how far the lost one was.
        """
        del offset_ns
        self.sums.move(index, seat.label)
        self._merger.move(index, seat.host)

    def collect(self) -> None:
        """Bring here what was added up elsewhere; once, at the end."""


class MergerTree(OneMerger):
    """Merger of the bundles of several mergers; what it gives is what one merger would."""

    def __init__(
        self,
        hosts: MergedHosts,
        testimonies: Sequence[Testimony],
        threads: int,
        start_ns: int,
        frame_s: float,
    ) -> None:
        """Let the mergers begin. Raises UnreachableGenerator where one does not."""
        super().__init__(testimonies, threads, start_ns, frame_s, len(hosts.groups))
        self._hosts = hosts
        self._number = {index: number for number, group in enumerate(hosts.groups) for index in group}
        self._reached = dict.fromkeys(self._number, -1)
        self._load = MergerLoad(
            generators=len(testimonies),
            start_ns=start_ns,
            frame_s=frame_s,
            has_labels=len({each.seat.label for each in testimonies}) > 1,
            members=(),
            reached=-1,
        )
        self._carried: dict[int, tuple[int, int]] = {}
        self._before: dict[int, tuple[Counter[str], int]] = {}
        self._gone: set[int] = set()
        self._unbegun: set[int] = set()
        for number, group in enumerate(hosts.groups):
            self._begin(number, group)

    def _begin(self, number: int, group: Iterable[int]) -> None:
        """Tell a merger its generators. Raises UnreachableGenerator where it takes no order."""
        testimonies = [self._testimonies[index] for index in group]
        members = (MergerMember(each.seat.index, each.seat.label, each.offset.ns) for each in testimonies)
        reached = self._merger.reached(number)
        load = structs.replace(self._load, members=tuple(members), reached=reached)
        self._hosts.tell(number, MergerOrder(begin=load))

    def reached(self, index: int) -> int:
        """Return the last slot of which its merger has heard."""
        return self._reached[index]

    def take_bundle(self, message: Message) -> Sequence[int]:
        """Take what a merger says, or that it is lost; return the generators that it has heard of."""
        line = msgspec.convert(message, MergerLine)
        if line.lost is not None:
            self._lose_merger(line.lost)
            return ()
        for stand in line.seen:
            self._see(stand)
        if line.bundle is not None:
            self._add(line.merger, line.bundle)
        return [stand.generator for stand in line.seen]

    def _see(self, stand: Stand) -> None:
        self._testimonies[stand.generator].see(stand.end_ns, stand.in_flight)
        self._reached[stand.generator] = stand.reached

    def _add(self, number: int, bundle: CarriedBundle) -> None:
        slots = tuple((each, _without_secrets(slot)) for each, slot in bundle.slots)
        self._merger.take_bundle(number, structs.replace(bundle, slots=slots))
        for index, end_ns, in_flight, counts in bundle.carried:
            self._carried[index] = end_ns, in_flight
            self._testimonies[index].sums.count(counts)
        self.sums.add(bundle.labels)

    def _lose_merger(self, number: int) -> None:
        """Go back to what a lost merger has given: frames that it still held are lost with it."""
        if number in self._unbegun:
            return
        self._unbegun.add(number)
        for index in self._hosts.groups[number]:
            testimony = self._testimonies[index]
            testimony.see(*self._carried.get(index, (None, 0)))
            self._reached[index] = self._merger.reached(number)
            self._before[index] = Counter(testimony.sums.totals), testimony.sums.missed

    def over(self, index: int) -> None:
        """Note the end of a generator: its merger has seen it before it was passed on."""
        self._gone.add(index)

    def lose(self, index: int) -> None:
        """Let its merger wait no more for it; where that is lost with all it has, wait no more for that."""
        number = self._number[index]
        self._gone.add(index)
        if number not in self._unbegun:
            try:
                answer = self._hosts.tell(number, MergerOrder(lose=index))
            except UnreachableGenerator:
                self._lose_merger(number)
            else:
                for bundle in answer.bundles:
                    self._add(number, bundle)
                return
        self._merger.forget(index)
        if self._gone.issuperset(self._hosts.groups[number]):
            self._merger.over(number)

    def move(self, index: int, seat: Seat, offset_ns: int) -> None:
        """Let its merger know of the other clock. Raises UnreachableGenerator where it is lost."""
        number = self._number[index]
        if number in self._unbegun:
            self._begin(number, (each for each in self._hosts.groups[number] if each not in self._gone))
            self._unbegun.discard(number)
        stand = self._hosts.tell(number, MergerOrder(move=MergerMember(index, seat.label, offset_ns))).stand
        if stand is not None and stand.end_ns is not None:  # a fresh merger has heard of nobody
            self._see(stand)
        super().move(index, seat, offset_ns)

    def collect(self) -> None:
        """Bring here what the mergers have added up; of a lost one there is what it gave alone."""
        for number in range(len(self._hosts.groups)):
            if number in self._unbegun:
                continue
            with suppress(UnreachableGenerator):
                answer = self._hosts.tell(number, MergerOrder(sums=True))
                for index, sums in answer.testimonies:
                    self._load_testimony(index, sums)
                self.sums.add(answer.labels)

    def _load_testimony(self, index: int, sums: GeneratorSums) -> None:
        testimony = self._testimonies[index]
        testimony.load(sums)
        totals, missed = self._before.get(index, (Counter(), 0))
        testimony.sums.totals.update(totals)
        testimony.sums.missed += missed


def _without_secrets(slot: BundledSlot) -> BundledSlot:
    """Return a slot whose examples hold no secret: those are this process's to know, and no merger's."""
    examples = tuple(
        replace(
            example,
            detail=without_secrets(example.detail),
            headers=tuple(map(without_secrets, example.headers)),
        )
        for example in slot.examples
    )
    return structs.replace(slot, examples=examples)
