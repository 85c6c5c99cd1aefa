"""Large fleet on this machine: processes that each have some generators and put their frames together."""

import json
import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector
from typing import Any, Self

from loadrig.base import private, talks
from loadrig.base.base_texts import texts
from loadrig.base.errors import VoidError
from loadrig.base.refused import starting
from loadrig.base.safe_python import safe_python
from loadrig.fleet.dealing import dealt
from loadrig.fleet.hosts import ClockReading, Heard, Seat, UnreachableGenerator
from loadrig.fleet.link import FleetLink
from loadrig.fleet.reach import unreached
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.fleet import FleetGroupErrors

ERRORS = texts_of(FleetGroupErrors)

STARTS_WITHIN_S = 60.0
"""Longest wait until a process has started its generators, in seconds: a thousand take some twenty."""

ANSWERS_WITHIN_S = 10.0
"""Longest wait for an answer of a process, in seconds: it may be at a second of a thousand's frames."""

ENDS_WITHIN_S = 15.0
"""Time in which a process and its generators have to end, in seconds; these have five of them."""


class LocalGroups:
    """Processes of this machine, and theirs. log: file in which all of them write messages to a person."""

    def __init__(self, log: Path, mergers: int) -> None:
        self._log, self._mergers = log, mergers
        self._links: list[FleetLink] = []
        self._group_of: dict[int, int] = {}
        self._stack = ExitStack()
        self._selector = DefaultSelector()
        self.groups: Sequence[Sequence[int]] = ()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._selector.close()
        self._stack.close()

    def start(self, count: int) -> Sequence[Seat]:
        """Start the processes, and let each start its generators; they do so side by side."""
        self.groups = dealt(count, self._mergers)
        processes = []
        with starting("generator"):
            for number, group in enumerate(self.groups):
                processes.append(self._started(number, group))
        # All of them hear first that it is over, so that the wait is that of the slowest, not the sum.
        self._stack.callback(_close_all, processes)
        seats: list[Seat] = []
        for link in self._links:
            answer = link.answer(STARTS_WITHIN_S)
            if answer is None:
                words = talks.last_lines(self._log)
                raise VoidError.of(ERRORS.group_failed(), code="rig.refused", detail=words)
            seats += [Seat(**seat) for seat in json.loads(b" ".join(answer))["seats"]]
        return seats

    def _started(self, number: int, group: range) -> subprocess.Popen[bytes]:
        house = str(Path(__file__).resolve().parents[2])
        paths = os.pathsep.join(filter(None, (house, os.environ.get("PYTHONPATH", ""))))
        with open(self._log, "ab", opener=private.opener) as log:
            process = subprocess.Popen(
                safe_python("-m", "loadrig.fleet._local_group"),
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log, start_new_session=True,
                env={**os.environ, "PYTHONPATH": paths},
            )  # fmt: skip
        self._stack.callback(talks.end, process, ENDS_WITHIN_S)
        link = FleetLink(process, group, ERRORS.group_gone, str)
        self._stack.callback(link.close)
        rules = {"number": number, "first": group.start, "count": len(group), "log": str(self._log)}
        link.write(json.dumps(rules).encode() + b"\n")
        self._links.append(link)
        self._group_of.update(dict.fromkeys(group, number))
        self._selector.register(link.fileno(), EVENT_READ, link)
        return process

    def _link(self, index: int) -> FleetLink:
        return self._links[self._group_of[index]]

    def tell(self, number: int, order: Mapping[str, Any]) -> Mapping[str, Any]:
        """Give a merger an order."""
        answer = self._asked(self._links[number], b"G 0 %s\n" % json.dumps(order).encode())
        document: Mapping[str, Any] = json.loads(b" ".join(answer[2:]))
        return document

    def _asked(self, link: FleetLink, line: bytes) -> list[bytes]:
        link.write(line)
        answer = link.answer(ANSWERS_WITHIN_S)
        if answer is None or answer[0] != line[:1]:
            raise UnreachableGenerator(texts().no_longer_listens)
        return answer

    def reach(self, addresses: Sequence[str]) -> Mapping[int, tuple[str, str]]:
        """Connect once, for all of them."""
        lacking = unreached(addresses)
        return {} if lacking is None else dict.fromkeys(self._group_of, lacking)

    def send(self, index: int, line: bytes) -> None:
        """Let a line be written; one whose generator takes it no more is heard of by its end."""
        self._link(index).write(b"S %d %s" % (index, line))

    def hear(self, within_s: float) -> Sequence[Heard]:
        """Read what the processes brought."""
        deadline = time.monotonic() + within_s
        heard = self._heard()
        while not heard and self._selector.get_map():
            ready = self._selector.select(max(0.0, deadline - time.monotonic()))
            if not ready:
                break
            for key, _ in ready:
                if not key.data.read(0.0) and not key.data.is_open:
                    self._selector.unregister(key.fd)
            heard = self._heard()
        return heard

    def _heard(self) -> list[Heard]:
        return [each for link in self._links for each in link.heard()]

    def clock(self, index: int) -> ClockReading:
        """Let the process read the clock, after whatever it was given before."""
        answer = self._asked(self._link(index), b"C %d\n" % index)
        return ClockReading(*map(int, answer[2:]))

    def last_words(self, index: int) -> tuple[str, ...]:
        """Return the last lines of the log, which all of them share."""
        del index
        return talks.last_lines(self._log)

    def again(self, index: int) -> None:
        """Let another process be started."""
        link = self._link(index)
        link.write(b"A %d\n" % index)
        link.awaits(index)

    def stop(self, index: int) -> None:
        """Let a generator be killed."""
        self._asked(self._link(index), b"X %d\n" % index)


def _close_all(processes: Sequence[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        assert process.stdin is not None
        with suppress(BrokenPipeError):  # it has ended
            process.stdin.close()
