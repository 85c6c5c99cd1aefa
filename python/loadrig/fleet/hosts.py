"""Way to the generators of a fleet, wherever they run: lines of config go in, lines of frames come out.

A transport is a class with these methods. It moves lines and reads none: what is in them is the fleet's
business. All its methods are called from one thread. `fleet.local` is the one without another machine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self, runtime_checkable

from loadrig.base.errors import VoidError
from loadrig.fleet.reach import ServerWay


class UnreachableGenerator(Exception):
    """A generator that takes no line and gives no reading any more. Its text says how, as a clause."""


@dataclass(frozen=True, slots=True)
class Seat:
    """Place of one generator.

    index: number of its part, from 0. name: what people call it, unlike that of any other of the fleet. host:
    name or address of its machine. pid: its process, where that is on this machine, else None. label: what
    the host is called together with others, such as a region; empty where nothing was said. sources: the
    addresses from which its host connects to the servers, as far as they were looked at.
    """

    index: int
    name: str
    host: str
    pid: int | None = None
    label: str = ""
    sources: tuple[str, ...] = ()


MERGER = -1
"""Number of nobody's part: by it a merger is heard, see `fleet.gathering`."""


def lost_merger(number: int) -> bytes:
    """Return what is heard by MERGER where a merger is lost, before its generators are."""
    return b'{"lost": %d}' % number


@dataclass(frozen=True, slots=True)
class News:
    """Sign of life of one generator, or of its end.

    line: one line as it wrote it, without the newline; None where nothing more will come. why: where nothing
    more will come and it was not the generator that closed its output, what the transport says of the loss,
    as a clause. seat: of a fresh generator that was asked for by `Hosts.replace`, and is there now.
    """

    index: int
    line: bytes | None
    why: str = ""
    seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class ClockReading:
    """Reading of a host's monotonic clock between two readings of ours, in nanoseconds."""

    asked_ns: int
    there_ns: int
    answered_ns: int


class Hosts(Protocol):
    """Transport of a fleet. Used as a context manager, once; its end leaves nothing on any host.

    A generator ends by itself when its input closes, so a transport that loses its way to one must close that
    input. A Ctrl-C that ends the rig may not reach a generator.
    """

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None:
        """End every generator that has not ended, and wait until none is left."""

    def start(self, count: int) -> Sequence[Seat]:
        """Start so many generators, each without a config; return their seats, by index.

        Called once. Raises PlanError where the hosts that the plan asks for are not to be had, VoidError
        where one could not be started.
        """

    def reach(self, addresses: Sequence[str]) -> Mapping[int, ServerWay]:
        """Connect from the host of each generator to all addresses; return the way of each, by index.

        Called before any config is sent.
        """

    def send(self, index: int, line: bytes) -> None:
        """Give a generator one line, newline included. Lines of one generator keep their order.

        Raises UnreachableGenerator where it takes none any more.
        """

    def hear(self, within_s: float) -> Sequence[News]:
        """Return what any of them wrote since the last call, in each one's order.

        Waits for the first of it, at most so many seconds; empty where nobody wrote. After news without
        a line its generator is not heard again.
        """

    def clock(self, index: int) -> ClockReading:
        """Ask the clock of a generator's host: the one that `start_at_ns` counts on (CLOCK_MONOTONIC).

        One short question and its answer, after all lines that were sent to the generator before. It works
        also once the generator has ended. Raises UnreachableGenerator where the host does not answer.
        """

    def last_words(self, index: int) -> tuple[str, ...]:
        """Return the last lines that a generator wrote for a person; empty where nothing can be had."""

    def replace(self, index: int) -> Seat | None:
        """Start a fresh generator without a config in the place of a lost one; return its seat.

        None: that takes a while, and `hear` gives its seat, or its end where none could be had. None is
        started before the lost one has surely stopped. Raises UnreachableGenerator where none can be had.
        """

    def stop(self, index: int) -> None:
        """End one generator now, whatever it does, and wait for it. May be called again."""


@runtime_checkable
class JointHosts(Protocol):
    """Transport whose generators may all be lost by one thing."""

    def loss_of_all(self) -> VoidError | None:
        """Return why all are lost; None where each has its own reason."""
