"""Process that has some generators of a large fleet on this machine, and puts their frames together.

It ends when its input closes, and with it its generators; where it is killed theirs closes too. Orders and
answers are those of `fleet._ray_carrier`, and `G 0 ORDER`, an order of `fleet.condenser` with its answer.
"""

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from selectors import EVENT_READ, DefaultSelector

import msgspec

from loadrig.fleet.condenser import Condenser
from loadrig.fleet.hosts import News, Seat, UnreachableGenerator
from loadrig.fleet.local import CHUNK_BYTES, LocalHosts
from loadrig.fleet.messages import CarrierAnswer, GroupRules


class LocalGroup:
    """Generators of one merger. first: number of the first of them in the fleet."""

    def __init__(self, hosts: LocalHosts, first: int, number: int) -> None:
        self._hosts, self._first = hosts, first
        self._condenser = Condenser(number)

    def say(self, line: bytes) -> None:
        """Write a line; a parent that is gone is heard of by our input."""
        try:
            sys.stdout.buffer.write(line + b"\n")
            sys.stdout.buffer.flush()
        except BrokenPipeError:
            os._exit(1)

    def start(self, count: int, is_second: bool) -> None:
        """Start the generators, and say their seats: each as one that takes over, where a merger was lost."""
        seats = tuple(self._seat(seat) for seat in self._hosts.start(count))
        if not is_second:
            self.say(msgspec.json.encode(CarrierAnswer(seats=seats)))
            return
        for seat in seats:
            self.say(b"A %d %s" % (seat.index, msgspec.json.encode(seat)))

    def _seat(self, seat: Seat) -> Seat:
        index = self._first + seat.index
        return replace(seat, index=index, name=str(index + 1))

    def carry(self) -> None:
        """Carry what was said."""
        news = [News(self._first + each.index, each.line, each.why) for each in self._hosts.hear(0.0)]
        for each in self._condenser.take(news):
            if each.line is None:
                self.say(b"E %d %s" % (each.index, each.why.encode()))
            else:
                self.say(b"L %d %s" % (each.index, each.line))

    def obey(self, line: bytes) -> None:
        """Do what an order says."""
        word, digits, *rest = line.split(b" ", 2)
        index = int(digits) - self._first
        if word == b"G":
            self.say(b"G 0 " + self._condenser.order(rest[0]))
        elif word == b"S":
            # One that takes no line has ended, which is heard of by its output.
            with suppress(UnreachableGenerator):
                self._hosts.send(index, rest[0] + b"\n")
        elif word == b"C":
            reading = self._hosts.clock(index)
            now_ns = b"%d %d %d" % (reading.asked_ns, reading.there_ns, reading.answered_ns)
            self.say(b"C %s %s" % (digits, now_ns))
        elif word == b"X":
            self._hosts.stop(index)
            self.say(b"X %s" % digits)
        elif word == b"A":
            self._replace(index, digits)

    def _replace(self, index: int, digits: bytes) -> None:
        try:
            seat = self._hosts.replace(index)
        except UnreachableGenerator as how:
            self.say(b"N %s %s" % (digits, str(how).encode()))
            return
        self.say(b"A %s %s" % (digits, msgspec.json.encode(self._seat(seat))))


def main() -> int:
    """Carry lines until our parent closes our input; return the exit code of the process."""
    # Byte by byte, as the orders after it are waited for by the kernel and not by a buffer of ours.
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as lines:
        rules = msgspec.json.decode(lines.readline(), type=GroupRules)
    with LocalHosts(Path(rules.log)) as hosts, DefaultSelector() as selector:
        group = LocalGroup(hosts, rules.first, rules.number)
        group.start(rules.count, rules.is_second)
        orders = sys.stdin.fileno()
        selector.register(orders, EVENT_READ)
        selector.register(hosts.fileno(), EVENT_READ)
        pending = b""
        while True:
            for key, _ in selector.select():
                if key.fd != orders:
                    group.carry()
                    continue
                chunk = os.read(orders, CHUNK_BYTES)
                if not chunk:
                    return 0
                *whole, pending = (pending + chunk).split(b"\n")
                for line in whole:
                    group.obey(line)


if __name__ == "__main__":
    sys.exit(main())
