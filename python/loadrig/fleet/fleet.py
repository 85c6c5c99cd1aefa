"""A fleet as one generator: made ready, begun at one instant, heard as one stream, steered, ended.

It is used as `engine.process.Generator` is, so whoever runs a trial need not know how many there are.
"""

import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import Any, Self

from loadrig.base.clock import NS
from loadrig.base.errors import PlanError, Span, TargetError, VoidError
from loadrig.base.talks import MEANWHILE_S, Message
from loadrig.engine.process import READY_WITHIN_S, SILENT_FOR_S, GeneratorReady, ending, readiness
from loadrig.fleet.addresses import addresses_elsewhere
from loadrig.fleet.clocks import EXCHANGES, ClockOffset
from loadrig.fleet.gathering import MergedHosts, MergerTree, OneMerger
from loadrig.fleet.hosts import MERGER, Hosts, JointHosts, News, Seat, UnreachableGenerator
from loadrig.fleet.merge import merged_end
from loadrig.fleet.takeover import can_be_taken_over
from loadrig.fleet.testimony import Testimony
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine_refusals import EngineRefusals
from loadrig.language.en.errors.fleet import FleetErrors
from loadrig.language.en.fleet import FleetTexts
from loadrig.recording.frame_document import LiveFrameDocument, live
from loadrig.recording.manifest_document import GeneratorEnd

ERRORS, REFUSALS = texts_of(FleetErrors), texts_of(EngineRefusals)
TEXTS = texts_of(FleetTexts)

LEAD_NS = NS // 20
"""Time from an order to its instant beside what the ways to the hosts take, in nanoseconds: ten times that of
a generator alone, as lines of one fleet are written one after the other."""

LOOKS = 10
"""Looks for who has fallen silent within the time that one may be silent; each goes through all of them."""

WAYS = 4
"""Round trips to every host that the time between an order and its instant has room for: the line, the look
at the clock after it, and as much again for a way that is slow just then."""


NO_LABELS: Mapping[str, str] = {}


class GeneratorFleet:
    """Run of a fleet. Made by a trial; used as a context manager, once."""

    def __init__(self, hosts: Hosts, count: int, labels: Mapping[str, str] = NO_LABELS) -> None:
        """labels: what a host is called together with others, by its name."""
        self._hosts, self._count, self._labels = hosts, count, labels
        self._stack = ExitStack()
        self._seats: list[Seat] = []
        self._owns: list[Message] = []
        self._testimonies: list[Testimony] = []
        self._merger: OneMerger | None = None
        self._frame_s, self._threads = 1.0, 1
        self._start_ns = 0
        self._listened_ns = 0
        self._heard_ns: list[int] = []
        self._looked_ns = 0
        self._going_on: set[int] = set()
        self._ends: dict[int, Message] = {}
        self._orders, self._order_ns = 0, 0
        self._whole = ""
        self._is_as_planned = True
        self._awaited: dict[int, str] = {}
        self._is_collected = False
        self.end: GeneratorEnd | None = None

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(self._hosts)
            self._seats = [self._labelled(seat) for seat in self._hosts.start(self._count)]
            self._check_labels()
            self._stack = stack.pop_all()
        return self

    def _labelled(self, seat: Seat) -> Seat:
        return replace(seat, label=self._labels.get(seat.host, seat.label))

    def _check_labels(self) -> None:
        """Refuse a label of a host that the fleet does not have: it would be missing from what it sums up."""
        hosts = dict.fromkeys(seat.host for seat in self._seats)
        for host in self._labels:
            if host not in hosts:
                wording = ERRORS.no_such_host(host, ", ".join(hosts))
                raise PlanError.of(wording, code="fleet.no-such-host", where=Span(f"fleet.labels: {host}"))

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End every generator that has not ended, and wait for them. May be called twice."""
        self._stack.close()

    @property
    def pids(self) -> tuple[int, ...]:
        """Processes of those generators that run on this machine."""
        return tuple(seat.pid for seat in self._seats if seat.pid is not None)

    @property
    def hosts(self) -> tuple[str, ...]:
        """Addresses of other machines, and other networks of this one, from which the load is made."""
        return addresses_elsewhere(self._seats)

    @property
    def lead_ns(self) -> int:
        """Time that an order needs before its instant, so that all have it by then."""
        return LEAD_NS + WAYS * sum(each.offset.round_trip_ns for each in self._testimonies)

    @property
    def is_whole(self) -> bool:
        """Whether all generators have a part in the last frame that was given, but those at their end."""
        return not any(
            each.lost and self._merged.done > self._merged.reached(index)
            for index, each in enumerate(self._testimonies)
        )

    @property
    def loss(self) -> str:
        """Loss of a part of the load, in a sentence; empty as long as all of it is made."""
        if self.is_whole:
            return ""
        seat, how = self.losses[0]
        return TEXTS.generator_lost(seat.name, seat.host, how)

    @property
    def losses(self) -> tuple[tuple[Seat, str], ...]:
        """Generators that are lost, each with how, as a clause."""
        return tuple((each.seat, each.lost) for each in self._testimonies if each.lost)

    @property
    def _merged(self) -> OneMerger:
        assert self._merger is not None, "it has not begun"
        return self._merger

    def prepare(self, config: Message) -> GeneratorReady:
        """Send each its part of the load and wait until all are ready; return what they say together.

        config: of the whole load, with its secrets in place. Raises TargetError where a host cannot connect
        to the server, PlanError where a generator refuses its part, VoidError where one cannot work.
        """
        self._check_ways((config["server"], *config.get("further_servers", ())))
        self._frame_s = float(config["frame_s"])
        # Written once, as it may hold a feed of a million rows: the last keys are each generator's own.
        whole = json.dumps({key: value for key, value in config.items() if key != "cpus"})[:-1]
        self._owns = [
            {"cpus": self._cpus(seat, config), "part": _part(seat.index, self._count)} for seat in self._seats
        ]
        if can_be_taken_over(config):
            self._whole = whole
        for seat in self._seats:
            try:
                self._hosts.send(seat.index, _line(whole, self._owns[seat.index]))
            except UnreachableGenerator as how:
                raise self._failed(seat, str(how)) from how
        ready = self._all_ready()
        self._testimonies = [Testimony(seat, self._offset(seat)) for seat in self._seats]
        warnings = Counter(warning for each in ready.values() for warning in each.warnings)
        # Fewer than were asked for, where a part has fewer connections.
        self._threads = ready[0].threads
        return replace(ready[0], threads=self._threads * self._count, warnings=tuple(warnings))

    def _check_ways(self, servers: Sequence[Message]) -> None:
        """Look from all hosts whether the servers can be connected to, at each of their addresses."""
        addresses = [
            address
            for server in servers
            for address in ([server["unix"]] if server["unix"] else server["addresses"])
        ]
        try:
            ways = self._hosts.reach(addresses)
        except UnreachableGenerator as how:
            raise self._failed(self._seats[0], str(how)) from how
        self._seats = [replace(seat, sources=tuple(ways[seat.index].sources)) for seat in self._seats]
        lacking = {index: way.lacking for index, way in ways.items() if way.lacking is not None}
        if not lacking:
            return
        hosts = ", ".join(dict.fromkeys(self._seats[index].host for index in sorted(lacking)))
        address, reason = lacking[min(lacking)]
        wording = ERRORS.no_way_to_target(address, hosts, reason)
        raise TargetError.of(wording, code="fleet.no-way-to-target", where=Span(f"fleet: {hosts}"))

    def _cpus(self, seat: Seat, config: Message) -> list[int]:
        """Return the cores of a generator: on this machine its share of them, elsewhere none."""
        cpus, threads = config["cpus"], int(config["threads"])
        if seat.pid is None or not cpus:
            return []
        return [cpus[(seat.index * threads + thread) % len(cpus)] for thread in range(threads)]

    def _all_ready(self) -> dict[int, GeneratorReady]:
        ready: dict[int, GeneratorReady] = {}
        deadline = time.monotonic() + READY_WITHIN_S
        while len(ready) < self._count:
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                silent = next(seat for seat in self._seats if seat.index not in ready)
                raise self._failed(silent, ERRORS.silent_for(f"{READY_WITHIN_S:.0f}"))
            for news in self._hosts.hear(left_s):
                seat = self._seats[news.index]
                if news.line is None:
                    raise self._failed(seat, news.why or ERRORS.ended_too_early)
                message: Message = json.loads(news.line)
                own = readiness(message)
                if own is None:
                    raise self._failed(seat, ERRORS.not_ready(str(message)[:200]))
                ready[news.index] = own
        return ready

    def _offset(self, seat: Seat) -> ClockOffset:
        try:
            return ClockOffset.of([self._hosts.clock(seat.index) for _ in range(EXCHANGES)])
        except UnreachableGenerator as how:
            raise self._failed(seat, str(how)) from how

    def begin(self, at_ns: int) -> None:
        """Let arrivals start at one instant of our monotonic clock, on all hosts."""
        self._start_ns = at_ns
        load = (self._testimonies, self._threads, at_ns, self._frame_s)
        hosts = self._hosts
        try:
            if isinstance(hosts, MergedHosts) and hosts.groups:
                self._merger = MergerTree(hosts, *load)
            else:
                self._merger = OneMerger(*load)
        except UnreachableGenerator as how:
            raise self._failed(self._seats[0], str(how)) from how
        self._going_on = set(range(self._count))
        self._heard_ns = [at_ns - time.monotonic_ns()] * self._count
        reached = self._tell(lambda index: {"start_at_ns": at_ns + self._testimonies[index].offset.ns})
        for index, reached_ns in reached.items():
            self._testimonies[index].start_late_ns = max(0, reached_ns - at_ns)

    def level(self, to: float, at_ns: int) -> None:
        """Give the whole load another level from this instant of our clock on, as `Generator.level`."""
        self._leave_plan()
        self._order(
            lambda index: {"level": {"to": to, "at_ns": at_ns + self._testimonies[index].offset.ns}},
        )

    def renew(self, why: str) -> None:
        """Let the load go on over new connections, as `Generator.renew`."""
        self._order(lambda _: {"renew": why})

    def stop(self, why: str) -> None:
        """Ask all for the end, as `Generator.stop`."""
        self._leave_plan()
        self._order(lambda _: {"stop": why})

    def _leave_plan(self) -> None:
        """Note that another load is due than was planned: a fresh generator would not know of it."""
        self._is_as_planned = False
        for index in list(self._awaited):
            self._lose(index, "")

    def _order(self, message_to: Callable[[int], Message]) -> None:
        """Tell all that go on something, and keep how long it took to reach the last."""
        began_ns = time.monotonic_ns()
        reached = self._tell(message_to)
        if reached:
            self._orders += 1
            self._order_ns = max(self._order_ns, max(reached.values()) - began_ns)

    def _tell(self, message_to: Callable[[int], Message]) -> dict[int, int]:
        """Send each that goes on a message; return by when it surely was there, on our clock.

        One that takes none has ended in the same instant, or is lost: its output will say which. One that
        took it and whose host does not answer may never have read it, so it is lost.
        """
        listening = []
        for index in sorted(self._going_on - self._awaited.keys()):
            with suppress(UnreachableGenerator):
                self._hosts.send(index, json.dumps(message_to(index)).encode() + b"\n")
                listening.append(index)
        reached: dict[int, int] = {}
        for index in listening:
            # The clock is asked after the line was sent, so it had come by what is answered.
            try:
                reached[index] = self._hosts.clock(index).there_ns - self._testimonies[index].offset.low_ns
            except UnreachableGenerator as how:
                self._lose(index, str(how))
        return reached

    def next_frame(self, meanwhile: Callable[[], None] | None = None) -> LiveFrameDocument | None:
        """Return the next frame of the whole load; None when all have ended, and then `end` is set.

        meanwhile: called a few times a second as long as no frame comes. One that dies or falls silent is
        replaced, where its part can be taken over, else left out from then on, see `is_whole`. Raises
        VoidError when none is left.
        """
        while True:
            if (frame := self._merged.next_frame()) is not None:
                return live(frame)
            if not self._going_on:
                if not self._ends:
                    raise self._all_lost()
                self._finish()
                return None
            news = self._listen(MEANWHILE_S if meanwhile else self._frame_s)
            for each in news:
                self._take(each)
            self._lose_the_silent()
            if meanwhile and not news:
                meanwhile()

    def _listen(self, within_s: float) -> Sequence[News]:
        """Return what was said. Nobody was silent in the time in which we were busy with something else."""
        began_ns = time.monotonic_ns()
        news = self._hosts.hear(within_s)
        self._listened_ns += time.monotonic_ns() - began_ns
        return news

    def _take(self, news: News) -> None:
        index = news.index
        if index == MERGER and news.line is not None:
            assert isinstance(self._merged, MergerTree)  # mergers speak where there are some
            for each in self._merged.take_bundle(json.loads(news.line)):
                self._heard_ns[each] = self._listened_ns
            return
        if index not in self._going_on:
            return
        if news.seat is not None:
            how = self._awaited[index]
            if not self._is_handed_over(index, news.seat, how):
                self._lose(index, how)
            return
        if news.line is None:
            self._lose(index, news.why or ERRORS.died_midway)
            return
        self._heard_ns[index] = self._listened_ns
        message: Message = json.loads(news.line)
        testimony = self._testimonies[index]
        if "frame" in message:
            try:
                self._merged.take(index, message["frame"])
            except UnreachableGenerator as how:
                self._lose(index, str(how))
        elif "ready" in message:
            self._go_on(index)
        elif "refused" in message:
            self._lose(index, str(message["refused"]["what"]))
        elif "end" in message:
            end: Message = message["end"]
            self._ends[index] = {**end, "t_ns": end["t_ns"] - testimony.offset.ns}
            self._going_on.discard(index)
            self._merged.over(index)

    def _lose_the_silent(self) -> None:
        """Leave out those that have said nothing for too long: each writes a frame an interval."""
        patience_s = self._frame_s + SILENT_FOR_S
        patience_ns = int(patience_s * NS)
        if self._listened_ns - self._looked_ns < patience_ns // LOOKS:
            return
        self._looked_ns = self._listened_ns
        for index in sorted(self._going_on - self._awaited.keys()):
            if self._listened_ns - self._heard_ns[index] > patience_ns:
                self._lose(index, ERRORS.silent_for(f"{patience_s:.0f}"))

    def _is_taken_over(self, index: int, how: str) -> bool:
        """Return whether a fresh generator goes on with the part of a lost one: started, and given its part.

        At most once for each part: what kills two would kill the third. Not after an order that changed what
        is due, as the fresh one would not know of it.
        """
        is_first = not self._testimonies[index].is_second
        if not self._whole or not self._is_as_planned or not is_first:
            return False
        try:
            seat = self._hosts.replace(index)
        except UnreachableGenerator:
            return False
        if seat is None:
            self._awaited[index] = how
            return True
        return self._is_handed_over(index, seat, how)

    def _is_handed_over(self, index: int, seat: Seat, how: str) -> bool:
        """Return whether a fresh generator got the part of a lost one."""
        testimony, seat = self._testimonies[index], self._labelled(seat)
        try:
            offset = ClockOffset.of([self._hosts.clock(index) for _ in range(EXCHANGES)])
            self._merged.move(index, seat, offset.ns)
            own = {**self._owns[index], "resume_s": testimony.ended_s(self._start_ns)}
            if seat.pid is None:
                own["cpus"] = []  # those of this machine are no other's
            self._hosts.send(index, _line(self._whole, own))
        except UnreachableGenerator:
            return False
        self._awaited.pop(index, None)
        if seat.host != testimony.seat.host:
            how = ERRORS.elsewhere(how, testimony.seat.host)
        self._seats[index] = seat
        testimony.pass_on(seat, offset, how, self._start_ns)
        self._heard_ns[index] = self._listened_ns
        return True

    def _go_on(self, index: int) -> None:
        """Let the one that takes over begin at the instant at which all began, which is past."""
        testimony = self._testimonies[index]
        testimony.taken_over_s = (time.monotonic_ns() - self._start_ns) / NS
        with suppress(UnreachableGenerator):
            start_ns = self._start_ns + testimony.offset.ns
            self._hosts.send(index, json.dumps({"start_at_ns": start_ns}).encode() + b"\n")

    def _stopped(self, index: int) -> bool:
        """Stop a lost generator, as it may still load the server; return whether it surely is stopped."""
        try:
            self._hosts.stop(index)
        except UnreachableGenerator:
            return False
        return True

    def _lose(self, index: int, how: str) -> None:
        if index in self._awaited:
            # None could be had in its place, or none that knows what is due now.
            how = self._awaited.pop(index)
        elif self._stopped(index) and self._is_taken_over(index, how):
            return
        self._going_on.discard(index)
        self._testimonies[index].lost = how
        self._merged.lose(index)

    def _finish(self) -> None:
        """Set the end of the whole load, and compare the clocks once more."""
        for index, testimony in enumerate(self._testimonies):
            if not testimony.lost:
                with suppress(UnreachableGenerator):
                    testimony.offset_after = ClockOffset.of(
                        self._hosts.clock(index) for _ in range(EXCHANGES)
                    )
        self._collect()
        # One that took over tells of its own requests alone.
        for index, end in self._ends.items():
            if self._testimonies[index].is_second:
                end["totals"] = dict(self._testimonies[index].sums.totals)
        self.end = ending(
            merged_end([self._ends.get(index) or each.end() for index, each in enumerate(self._testimonies)])
        )

    def _collect(self) -> None:
        """Bring here what mergers have added up, once."""
        if self._merger is not None and not self._is_collected:
            self._is_collected = True
            self._merger.collect()

    def facts(self) -> dict[str, Any]:
        """Return what a recording keeps of the fleet, see recording.fleet_document."""
        return {"fleet": self._facts()}

    def _facts(self) -> dict[str, Any]:
        self._collect()
        return {
            "generators": [each.to_json(self._start_ns) for each in self._testimonies],
            "labels": self._merger.sums.to_json() if self._merger else [],
            "orders": self._orders,
            "order_us": self._order_ns / 1e3 if self._orders else None,
        }

    def _all_lost(self) -> VoidError:
        last = self._testimonies[-1]
        joint = self._hosts.loss_of_all() if isinstance(self._hosts, JointHosts) else None
        return joint or self._failed(last.seat, last.lost)

    def _failed(self, seat: Seat, how: str) -> VoidError:
        wording = ERRORS.generator_failed(seat.name, seat.host, how)
        return VoidError.of(wording, code="engine.broken", detail=self._hosts.last_words(seat.index))


def _line(whole: str, own: Message) -> bytes:
    """Return a config as a line: the keys of the whole load, and those of one generator after them."""
    return f"{whole}, {json.dumps(own)[1:]}\n".encode()


def _part(index: int, of: int) -> Message:
    return {"index": index, "of": of}


def check_connections(most: int, generators: int) -> None:
    """Raise PlanError where a load has fewer connections than generators, as they would say later."""
    if most < generators:
        wording = REFUSALS.fleet_too_large(str(most), str(generators))
        raise PlanError.of(wording, code="engine.fleet-too-large", where=Span("workload.connections.most"))
