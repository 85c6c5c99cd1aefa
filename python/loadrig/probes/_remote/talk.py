"""A conversation with an observer on another host: hello, clocks compared, config, lines heard, farewell."""

import threading
import time
from collections.abc import Callable, Iterator

from loadrig.base.clock import NS
from loadrig.base.error_words import ErrorWords
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_remote import ProbesRemoteTalkErrors
from loadrig.probes._remote import link as _link
from loadrig.probes._remote import wire as _wire
from loadrig.probes._remote.clocks import Alignment, Exchange

ERRORS = texts_of(ProbesRemoteTalkErrors)

FIRST_EXCHANGES, LATER_EXCHANGES = 20, 8
"""Exchanges in a row: at the start, and at each later comparison of clocks."""

EXCHANGE_AT_S = (1.0, 3.0, 10.0)
"""Seconds after the first comparison: soon, so that a drift is known before it has grown; then every 30 s."""

EXCHANGE_EVERY_S = 30.0

GREET_S = 30.0
"""Seconds that the observer there may take to say hello: to connect, log in, and start an interpreter."""

PONG_S = 2.0
"""Seconds to wait for an answer."""

SILENT_S = 15.0
"""Seconds of silence, beyond the time between two samples, after which the connection counts as lost."""

FAREWELL_S = 5.0
"""Seconds that the observer there may take for its last sample."""


class Talk:
    """Conversation over a link, from the rig's side. Used by one thread.

    via, python: as in the plan, for the commands in errors' mends. every_s: the time
    between two samples. take: is called with every message that this class does not handle itself.
    stopping: set to end the conversation.
    """

    def __init__(
        self,
        link: _link.Link,
        via: str,
        python: str,
        every_s: float,
        take: Callable[[_wire.Message], None],
        stopping: threading.Event,
    ) -> None:
        self.hello: _wire.Hello | None = None
        self.align = Alignment()
        self.heard_ns = time.monotonic_ns()
        self._link = link
        self._via, self._python = via, python
        self._silent_s = every_s + SILENT_S
        self._take = take
        self._stopping = stopping

    def greet(self) -> bool:
        """Wait for the hello, and compare clocks; False if asked to stop meanwhile.

        What a login shell prints before the hello is kept as last words. Raises Unavailable, Ended.
        """
        until = time.monotonic() + GREET_S
        while not self.hello:
            if self._stopping.is_set():
                return False
            if time.monotonic() >= until:
                raise self._silent(ERRORS.no_hello(f"{GREET_S:.0f}", self._via))
            arrival = self._link.next(until)
            if arrival is None:
                continue
            self.heard_ns = arrival[0]
            match _wire.parsed(arrival[1]):
                case {"hello": {"protocol": _, "loadrig": _} as packed}:
                    hello = _wire.content(_wire.Hello, packed)
                    if hello.protocol != _wire.PROTOCOL:
                        raise _link.other_protocol(hello.loadrig, hello.protocol, self._via, self._python)
                    self.hello = hello
                case _:
                    self._link.keep([arrival[1]])
        self._compare(FIRST_EXCHANGES)
        if self.align.clock is None and not self._stopping.is_set():
            raise self._silent(ERRORS.no_answer(self._via))
        return not self._stopping.is_set()

    def observe(self, order: _wire.ObserverOrder) -> None:
        """Let it observe until asked to stop, then say farewell. Raises Unavailable, Ended."""
        self._link.send("config", order)
        due = _exchange_times(time.monotonic())
        compare_at = next(due)
        while not self._stopping.is_set():
            silent_at = self.heard_ns / NS + self._silent_s
            self._pass_on(self._link.next(min(compare_at, silent_at)))
            now = time.monotonic()
            if now >= silent_at:
                raise self._silent(ERRORS.nothing_said(f"{self._silent_s:.0f}", self._via))
            if now >= compare_at:
                self._compare(LATER_EXCHANGES)
                compare_at = next(due)
        self._compare(LATER_EXCHANGES)
        self._link.send("stop", True)
        until = time.monotonic() + FAREWELL_S
        while (arrival := self._link.next(until)) is not None or time.monotonic() < until:
            if arrival is not None and _wire.parsed(arrival[1]) == {"end": True}:
                return
            self._pass_on(arrival)

    def _compare(self, n: int) -> None:
        """Ask for the time, `n` times in a row; a lost answer ends the burst."""
        burst: list[Exchange] = []
        for _ in range(n):
            t0_ns = time.monotonic_ns()
            self._link.send("ping", t0_ns)
            exchange = self._pong(t0_ns)
            if exchange is None:
                break
            burst.append(exchange)
        self.align.add(burst)

    def _pong(self, t0_ns: int) -> Exchange | None:
        until = time.monotonic() + PONG_S
        while time.monotonic() < until:
            arrival = self._link.next(until)
            match _wire.parsed(arrival[1]) if arrival else None:
                case {"pong": packed} if arrival:
                    asked_ns, t1_ns, t2_ns = _wire.content(tuple[int, int, int], packed)
                    if asked_ns == t0_ns:
                        self.heard_ns = arrival[0]
                        return Exchange(t0_ns, t1_ns, t2_ns, arrival[0])
                case _:
                    self._pass_on(arrival)
        return None

    def _pass_on(self, arrival: tuple[int, bytes] | None) -> None:
        if arrival is None:
            return
        self.heard_ns = arrival[0]
        message = _wire.parsed(arrival[1])
        if message is not None:
            self._take(message)

    @staticmethod
    def _silent(wording: ErrorWords) -> Unavailable:
        return Unavailable.of(wording, code="probe.no-answer")


def _exchange_times(began: float) -> Iterator[float]:
    """Yield when clocks are compared again, by time.monotonic()."""
    for after_s in EXCHANGE_AT_S:
        yield began + after_s
    n = 1
    while True:
        yield began + n * EXCHANGE_EVERY_S
        n += 1
