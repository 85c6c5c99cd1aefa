"""Large fleet on this machine: processes that each have some generators and put their frames together."""

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Self

import msgspec

from loadrig.base import private, processes, talks
from loadrig.base.base_texts import texts
from loadrig.base.errors import VoidError
from loadrig.base.refused import starting
from loadrig.base.safe_python import safe_python
from loadrig.fleet.dealing import dealt
from loadrig.fleet.hosts import ClockReading, News, Seat, UnreachableGenerator
from loadrig.fleet.link import FleetLink
from loadrig.fleet.messages import CarrierAnswer, GroupRules, MergerAnswer, MergerOrder
from loadrig.fleet.reach import ServerWay, way_to
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.fleet import FleetGroupErrors

ERRORS = texts_of(FleetGroupErrors)

STARTS_WITHIN_S = 60.0
"""Longest wait until a process has started its generators, in seconds: a thousand take some twenty."""

ANSWERS_WITHIN_S = 10.0
"""Longest wait for an answer of a process, in seconds: it may be at a second of a thousand's frames."""

ENDS_WITHIN_S = 15.0
"""Time in which a process and its generators have to end, in seconds; these have five of them."""

LOOKS_EVERY_S = 0.01
"""Time between two looks whether a generator of a lost merger has ended, in seconds."""


class LocalGroups:
    """Processes of this machine, and theirs. log: file in which all of them write messages to a person."""

    def __init__(self, log: Path, mergers: int) -> None:
        self._log, self._mergers = log, mergers
        self._links: dict[int, FleetLink] = {}
        self._group_of: dict[int, int] = {}
        self._pids: dict[int, int] = {}
        self._coming: set[int] = set()
        self._stack = ExitStack()
        self._selector = DefaultSelector()
        self.groups: Sequence[range] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        self._stack.close()

    def start(self, count: int) -> Sequence[Seat]:
        """Start the processes, and let each start its generators; they do so side by side."""
        self.groups = dealt(count, self._mergers)
        started = []
        with starting("generator"):
            for number, group in enumerate(self.groups):
                started.append(self._started(number, group))
        # All of them hear first that it is over, so that the wait is that of the slowest, not the sum.
        self._stack.callback(_close_all, started)
        seats: list[Seat] = []
        for link in self._links.values():
            answer = link.answer(STARTS_WITHIN_S)
            if answer is None:
                words = talks.last_lines(self._log)
                raise VoidError.of(ERRORS.group_failed(), code="rig.refused", detail=words)
            seats += msgspec.json.decode(b" ".join(answer), type=CarrierAnswer).seats
        self._note(*seats)
        return seats

    def _note(self, *seats: Seat) -> None:
        self._pids.update({seat.index: seat.pid for seat in seats if seat.pid is not None})

    def _started(self, number: int, group: range, is_second: bool = False) -> subprocess.Popen[bytes]:
        """Start a merger's process. is_second: whether it takes the place of a lost one."""
        house = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (house, os.environ.get("PYTHONPATH", ""))))
        with open(self._log, "ab", opener=private.opener) as log:
            process = subprocess.Popen(
                safe_python("-m", "loadrig.fleet._local_group"),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
                env={**os.environ, "PYTHONPATH": paths},
            )  # fmt: skip
        self._stack.callback(talks.end, process, ENDS_WITHIN_S)
        gone = partial(ERRORS.group_gone, str(number + 1), str(group.start + 1), str(group.stop))
        link = FleetLink(process, group, gone, str, number)
        self._stack.callback(link.close)
        rules = GroupRules(
            number=number, first=group.start, count=len(group), log=str(self._log), is_second=is_second
        )
        link.write(msgspec.json.encode(rules) + b"\n")
        self._links[number] = link
        self._group_of.update(dict.fromkeys(group, number))
        self._selector.register(link.fileno(), EVENT_READ, link)
        return process

    def _link(self, index: int) -> FleetLink:
        return self._links[self._group_of[index]]

    def tell(self, number: int, order: MergerOrder) -> MergerAnswer:
        """Give a merger an order."""
        answer = self._asked(self._links[number], b"G 0 %s\n" % msgspec.json.encode(order))
        return msgspec.json.decode(b" ".join(answer[2:]), type=MergerAnswer)

    def _asked(self, link: FleetLink, line: bytes) -> list[bytes]:
        link.write(line)
        answer = link.answer(ANSWERS_WITHIN_S)
        if answer is None or answer[0] != line[:1]:
            raise UnreachableGenerator(texts().no_longer_listens)
        return answer

    def reach(self, addresses: Sequence[str]) -> Mapping[int, ServerWay]:
        """Connect once, for all of them."""
        return dict.fromkeys(self._group_of, way_to(addresses))

    def send(self, index: int, line: bytes) -> None:
        """Let a line be written; one whose generator takes it no more is heard of by its end."""
        self._link(index).write(b"S %d %s" % (index, line))

    def hear(self, within_s: float) -> Sequence[News]:
        """Read what the processes brought."""
        deadline = time.monotonic() + within_s
        news = self._news()
        while not news and self._selector.get_map():
            ready = self._selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                break
            for key, _ in ready:
                if not key.data.read(0.0) and not key.data.is_open:
                    self._selector.unregister(key.fd)
            news = self._news()
        return news

    def _news(self) -> list[News]:
        news = [each for link in self._links.values() for each in link.news()]
        self._note(*(each.seat for each in news if each.seat is not None))
        return news

    def clock(self, index: int) -> ClockReading:
        """Let the process read the clock, after whatever it was given before."""
        answer = self._asked(self._link(index), b"C %d\n" % index)
        return ClockReading(*map(int, answer[2:]))

    def last_words(self, index: int) -> tuple[str, ...]:
        """Return the last lines of the log, which all of them share."""
        del index
        return talks.last_lines(self._log)

    def replace(self, index: int) -> None:
        """Let another process be started; where its merger is lost, another one with all that it had."""
        number = self._group_of[index]
        if not self._links[number].is_open:
            try:
                self._started(number, self.groups[number], is_second=True)
            except OSError as error:
                raise UnreachableGenerator(str(error)) from error
            self._coming.update(self.groups[number])
        link = self._links[number]
        if index in self._coming:
            self._coming.discard(index)
        else:
            link.write(b"A %d\n" % index)
        link.awaits(index)

    def stop(self, index: int) -> None:
        """Let a generator be killed; one whose merger is lost ends by itself, as its input has closed."""
        link = self._link(index)
        if link.is_open and index not in self._coming:
            self._asked(link, b"X %d\n" % index)
        elif not _has_ended(self._pids[index], ENDS_WITHIN_S):
            raise UnreachableGenerator(texts().no_longer_listens)


def _has_ended(pid: int, within_s: float) -> bool:
    """Return whether a process that is not our child has ended, or does so in time."""
    deadline = time.monotonic() + within_s
    while (stat := processes.stat(pid)) is not None and stat.state != "Z":
        if time.monotonic() > deadline:
            return False
        time.sleep(LOOKS_EVERY_S)
    return True


def _close_all(started: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in started:
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended
            process.stdin.close()
