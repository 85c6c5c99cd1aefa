"""Frames of n generators as frames of one: counters summed, histograms added, rows on one clock.

A frame belongs to the slot in which it ends: the number of whole frame lengths since the start, on its own
generator's clock. Frames are added to their slot as they come, so what is held is a few slots and, for each
generator, what it said last: nothing that grows with the length of the run. No percentile is ever averaged.

The rule for cutting is that of the engine for its threads: a merged frame ends where every generator that
goes on has ended a frame. One that was held up makes one long frame, and the merged one is as long.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadrig.fleet.messages import FrameBundle
from loadrig.fleet.slots import STANDS, SUMS, SlotRoute, SlotSum
from loadrig.recording.frame import OWN_KINDS, ROUTE_KINDS, FailedRequest
from loadrig.recording.frame_document import LiveFrameDocument

Json = dict[str, Any]

EXAMPLES_MOST = 3
"""Examples of each route and outcome that are shown of a whole run: as many as one generator shows."""

NO_OFFSET = 0


class _Gathering:
    """Slots that fill as frames come. members: numbers of those who are waited for; count: of generators.

    reached: slot that all of them are past already, where they go on for others.
    """

    def __init__(
        self, members: Iterable[int], count: int, start_ns: int, frame_s: float, reached: int = -1
    ) -> None:
        self._count = count
        self._frame_ns = max(1, round(frame_s * 1e9))
        self._start_ns = start_ns
        self._slots: dict[int, SlotSum] = {}
        self._reached = dict.fromkeys(members, reached)
        self._going_on = set(self._reached)
        self._crossed: set[int] = set()

    def reached(self, index: int) -> int:
        """Return the last slot that a generator has ended a frame in; -1 before its first."""
        return self._reached[index]

    @property
    def pending(self) -> int:
        """Number of slots that wait for a generator."""
        return len(self._slots)

    def take(self, index: int, frame: LiveFrameDocument, offset_ns: int = NO_OFFSET) -> None:
        """Add a frame of a generator. offset_ns: by how much its clock is ahead of ours."""
        since_ns = frame.t_ns + frame.len_ns - offset_ns - self._start_ns
        # Only the last frame of a generator ends within a slot that it has ended a frame in already.
        number = max(self._reached[index] + 1, (since_ns + self._slack_ns) // self._frame_ns)
        self._crossed.update(range(self._reached[index] + 1, number))
        self._reached[index] = number
        slot = self._slots.setdefault(number, SlotSum())
        slot.take(index, frame, offset_ns)
        # As many gaps as one generator samples, of each generator in turn: what is written stays as large.
        if number % self._count == index:
            slot.gaps_ns = frame.gaps_ns

    @property
    def _slack_ns(self) -> int:
        """Time by which a frame may end before its boundary on our clock: an offset is known to a little."""
        return self._frame_ns // 20

    def over(self, index: int) -> None:
        """Wait no more for a generator: it has ended, or is lost."""
        self._going_on.discard(index)


class Bundler(_Gathering):
    """Merger of some of many generators, for another merger: slots of all of them in one, nothing left out.

    What `Merger.take_bundle` makes of the bundles of all is what one merger makes of all frames. members:
    numbers of its generators; count: of those of the whole fleet. reached: see `_Gathering`.
    """

    def __init__(
        self, members: Iterable[int], count: int, start_ns: int, frame_s: float, reached: int = -1
    ) -> None:
        super().__init__(members, count, start_ns, frame_s, reached)
        self._sent = reached
        self._lost: list[int] = []

    def waits_for(self, index: int) -> bool:
        """Return whether a generator has neither ended nor is lost."""
        return index in self._going_on

    def lose(self, index: int) -> None:
        """Wait no more for a generator that is lost, see `Merger.lose`."""
        self.over(index)
        self._lost.append(index)

    def bundle(self) -> FrameBundle | None:
        """Return the slots that all that go on have come to; None where there is no other.

        The bundle after all have ended says so, and is the last.
        """
        behind = min((self._reached[index] for index in self._going_on), default=max(self._reached.values()))
        if behind <= self._sent and self._going_on and not self._lost:
            return None
        self._sent = max(self._sent, behind)
        ripe = sorted(number for number in self._slots if number <= self._sent)
        crossed = sorted(number for number in self._crossed if number <= self._sent)
        lost, self._lost = self._lost, []
        self._crossed.difference_update(crossed)
        return FrameBundle(
            reached=self._sent,
            crossed=tuple(crossed),
            lost=tuple(lost),
            is_last=not self._going_on,
            slots=tuple((number, self._slots.pop(number).document()) for number in ripe),
        )


class Merger(_Gathering):
    """Frames of a fleet on their way to be one.

    hosts: name of the host of each generator; those of one host share its local ports. threads: number of
    threads of each generator. start_ns: start of the load on our clock. frame_s: length of a frame. bundlers:
    number of those whose bundles come in place of frames; 0: frames come.
    """

    def __init__(
        self, hosts: Sequence[str], threads: int, start_ns: int, frame_s: float, bundlers: int = 0
    ) -> None:
        super().__init__(range(bundlers or len(hosts)), len(hosts), start_ns, frame_s)
        self._hosts, self._threads_each = list(hosts), threads
        self._until_ns = start_ns
        self._done = -1
        self._last = 0
        self._stands: dict[int, tuple[int, ...]] = {}
        self._ranges: dict[int, int] = {}
        self._frames = 0
        self._shown: Counter[tuple[str, str]] = Counter()

    @property
    def done(self) -> int:
        """Last slot that was given; -1 before the first."""
        return self._done

    def move(self, index: int, host: str) -> None:
        """Note that a generator is on another host from now on."""
        self._hosts[index] = host

    def take_bundle(self, bundler: int, bundle: FrameBundle) -> None:
        """Add what a bundler gave."""
        self._reached[bundler] = bundle.reached
        self._crossed.update(bundle.crossed)
        for number, document in bundle.slots:
            slot = SlotSum.of_document(document)
            if number in self._slots:
                self._slots[number].join(slot)
            else:
                self._slots[number] = slot
        for index in bundle.lost:
            self.forget(index)
        if bundle.is_last:
            self.over(bundler)

    def lose(self, index: int) -> None:
        """Wait no more for a generator that is lost; nothing of it stands any more."""
        self.over(index)
        self.forget(index)

    def forget(self, index: int) -> None:
        """Count nothing of a generator's last state any more."""
        self._stands.pop(index, None)
        for slot in self._slots.values():
            slot.stands.pop(index, None)

    def next_frame(self) -> Json | None:
        """Return the next merged frame, once all that go on have come to its end; None before."""
        if not self._slots:
            return None
        first = min(self._slots)
        if self._last in self._going_on and self._reached[self._last] < first:
            return None
        reached = max(self._slots)
        if self._going_on:
            # Who is behind is asked first the next time: with a thousand a look at all of them is dear.
            self._last = min(self._going_on, key=self._reached.__getitem__)
            reached = self._reached[self._last]
        for number in range(first, reached + 1):
            # Where all have ended, the rest is cut where it was cut.
            is_end = number == reached and not self._going_on
            if number in self._slots and (number not in self._crossed or is_end):
                return self._emitted(number)
        return None

    def _emitted(self, number: int) -> Json:
        ripe = sorted(each for each in self._slots if each <= number)
        slot = self._slots.pop(ripe[0])
        for each in ripe[1:]:
            slot.join(self._slots.pop(each))
        self._crossed = {each for each in self._crossed if each > number}
        self._done = number
        return self._row(slot)

    def _row(self, slot: SlotSum) -> Json:
        from_ns, self._until_ns = self._until_ns, max(self._until_ns, slot.until_ns)
        len_ns = self._until_ns - from_ns
        self._stands.update(slot.stands)
        self._ranges.update(slot.ranges)
        stands = dict(zip(STANDS, map(sum, zip(*self._stands.values(), strict=True)), strict=False))
        # Generators of one host have one range of ports between them.
        by_host = {self._hosts[index]: ports for index, ports in self._ranges.items()}
        n, self._frames = self._frames, self._frames + 1
        return {
            "n": n,
            "t_ns": from_ns,
            "len_ns": len_ns,
            **{name: slot.sums[name] for name in SUMS},
            **{name: stands.get(name, 0) for name in STANDS},
            "ports_range": sum(by_host.values()),
            "planned": slot.planned,
            "in_flight_s": slot.in_flight_s,
            "unsent_why": dict(slot.unsent_why),
            "routes": [_route_row(key, row) for key, row in sorted(slot.routes.items())],
            "status": dict(sorted(slot.status.items())),
            **{kind: slot.own[kind].encoded() if kind in slot.own else None for kind in OWN_KINDS},
            "threads": self._threads(slot, len_ns),
            "gaps_ns": list(slot.gaps_ns),
            "examples": self._examples(slot.examples),
        }

    def _threads(self, slot: SlotSum, len_ns: int) -> list[Json]:
        """Return the rows of all threads: generator by generator, also of those that are silent."""
        none = [[0, 0]] * self._threads_each
        return [
            {"cpu_ns": cpu, "run_delay_ns": delay, "busy_share": min(1.0, cpu / max(1, len_ns))}
            for index in range(len(self._hosts))
            for cpu, delay in slot.threads.get(index, none)
        ]

    def _examples(self, examples: list[FailedRequest]) -> list[Json]:
        shown = []
        # Of one instant in an order of their own: whose came first is by chance.
        for example in sorted(examples, key=lambda each: (each.t_ns, each.route, each.outcome, each.detail)):
            key = (example.route, example.outcome)
            self._shown[key] += 1
            if self._shown[key] <= EXAMPLES_MOST:
                shown.append(_example_row(example))
        return shown


def _example_row(example: FailedRequest) -> Json:
    """Return an example as a generator writes it: without headers where there was no answer."""
    row = {"t_ns": example.t_ns, "route": example.route, "outcome": example.outcome, "detail": example.detail}
    return {**row, "headers": list(example.headers)} if example.headers else row


def _route_row(key: tuple[str, str, str], row: SlotRoute) -> Json:
    route, route_class, outcome = key
    times = {kind: row.times[kind].encoded() if kind in row.times else None for kind in ROUTE_KINDS}
    return {
        "route": route, "class": route_class, "outcome": outcome, "count": row.count, "bytes": row.bytes,
        **times,
    }  # fmt: skip


WHYS = ("broken", "all_users_done", "loops", "list_done", "requests", "time", "stopped")
"""Reasons for an end. Where generators ended for different ones the greatest is the load's, as with
threads."""


def merged_end(ends: Sequence[Mapping[str, Any]]) -> Json:
    """Return the ends of all generators as one; times are on the clock that they are given in."""
    totals: Counter[str] = Counter()
    for end in ends:
        totals.update(end["totals"])
    return {
        "why": max((end["why"] for end in ends), key=WHYS.index, default="broken"),
        "t_ns": max((end["t_ns"] for end in ends), default=None),
        "totals": dict(totals),
        "max_rss_bytes": sum(end["max_rss_bytes"] for end in ends),
    }
