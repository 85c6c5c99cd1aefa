"""Proxy in front of a dependency: starts its process, sets the delay of the way, asks and ends it.

The process ends by itself when our end of its standard input closes, so a killed rig leaves none behind; a
lease names it nevertheless, as everything that the rig starts. What is emulated, and what is not, is
described at the head of the crate loadrig-proxy.
"""

import ipaddress
import os
import socket
import sys
import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from loadrig.base import leases, processes, sockets
from loadrig.base.errors import VoidError
from loadrig.base.leased import CHANGE, ProcessFacts
from loadrig.base.leases import Lease
from loadrig.base.loopback import reached
from loadrig.base.talks import BrokenTalk, Message, ProcessTalk
from loadrig.base.unavailable import Unavailable
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsProxyErrors
from loadrig.language.en.interventions import InterventionsProxyTexts

TEXTS = texts_of(InterventionsProxyTexts)
ERRORS = texts_of(InterventionsProxyErrors)

ANSWERS_WITHIN_S = 20.0
"""Longest wait for an answer, in seconds. It comes within a millisecond unless something hangs."""

PROGRAM = (sys.executable, "-I", "-S", str(Path(__file__).with_name("_proxy_process.py")))
"""Command that starts the proxy's process."""

LOOPBACK = "127.0.0.1"

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ProxyCounters:
    """Counts of what has passed since the proxy was started. A chunk is what one read has found.

    t_ns: when, on the rig's clock. accepted: connections of clients. open: those that are open now. refused:
    those that the dependency turned away. *_to: to the dependency. *_from: from it. round_trips: chunks to
    the dependency that were a connection's first, or the first since the dependency had sent something: one
    after the other. lost: chunks that were held as if lost. delayed: chunks that were held for the delay
    alone and are gone. delayed_ns: how long those were held together: the delay that there really was, with
    what it takes to wake up.
    """

    t_ns: int
    accepted: int
    open: int
    refused: int
    bytes_to: int
    chunks_to: int
    bytes_from: int
    chunks_from: int
    round_trips: int
    lost: int
    delayed: int
    delayed_ns: int


class ProxyReady(msgspec.Struct, frozen=True):
    """Answer to the start: the port at which the proxy listens."""

    port: int


class ProxyChange(msgspec.Struct, frozen=True):
    """Answer to a change: the instant from which it holds, on the rig's clock."""

    t_ns: int


class ProxyRefusal(msgspec.Struct, frozen=True):
    """Answer to what makes no sense: the reason."""

    what: str


class ProxyAnswer(msgspec.Struct, frozen=True):
    """Answer of the proxy, of which one part is there."""

    ready: ProxyReady | None = None
    set: ProxyChange | None = None
    counters: ProxyCounters | None = None
    refused: ProxyRefusal | None = None


class Proxy:
    """Proxy on a port of its own, running while its context lasts; entered once, used by any thread.

    host, port: the dependency. log: where its process writes what it has to say to a person. cpus: the cores
    that it keeps to; by default the system chooses.
    Entering raises Unavailable where it cannot begin; everything after that VoidError if it has died.
    """

    def __init__(self, host: str, port: int, log: Path, cpus: Sequence[int] = ()) -> None:
        self._to, self._log, self._cpus = (numeric(host, port), port), log, tuple(cpus)
        self._talk: ProcessTalk | None = None
        self._lease: Lease | None = None
        self._turn = threading.Lock()
        self.host = self._to[0] if ipaddress.ip_address(self._to[0]).is_loopback else LOOPBACK
        self.port = 0

    def __enter__(self) -> Self:
        marker = leases.new_marker()
        facts = ProcessFacts(marker=marker, command=TEXTS.proxy_to(_address(*self._to)), of=CHANGE)
        self._lease = leases.take(facts)
        try:
            self._talk = ProcessTalk(PROGRAM, self._log, {**os.environ, leases.MARKER: marker})
            self._lease = self._lease.update(replace(facts, pid=self.pid, start=processes.start_of(self.pid)))
            start = {"listen": 0, "host": self.host, "to": _address(*self._to), "cpus": self._cpus}
            answer = self._answer(start)
            self.port = self._content(answer, answer.ready).port
        except (VoidError, OSError) as error:
            self.close()
            reason = str(error) if isinstance(error, VoidError) else ERRORS.no_proxy(str(error))
            wording = ERRORS.failed_start(reason, str(self._log))
            raise Unavailable.of(wording, code="prove.no-proxy") from None
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def pid(self) -> int:
        """Process id of the proxy."""
        assert self._talk is not None
        return self._talk.pid

    def set(
        self,
        *,
        delay_s: float = 0.0,
        loss: float = 0.0,
        bytes_per_s: float | None = None,
        connections: int | None = None,
    ) -> int:
        """Set delay, loss and limits of the way; return since when they hold, in nanoseconds.

        What is not named is as without a proxy. delay_s: how long each chunk to the dependency is held, at
        least, so that each sequential round trip takes that much longer. loss: share of the chunks, either
        way, that are held for 200 ms, as if they had been lost and sent again. bytes_per_s: in each
        direction, of all connections together. connections: most at once; others wait to be accepted. Raises
        ValueError if a value makes no sense.
        """
        settings = {"delay_s": delay_s, "loss": loss, "bytes_per_s": bytes_per_s, "connections": connections}
        answer = self._answer({"set": settings})
        if answer.refused is not None:
            raise ValueError(answer.refused.what)
        return self._content(answer, answer.set).t_ns

    def counters(self) -> ProxyCounters:
        """Return the counters of what has passed until now."""
        answer = self._answer({"ask": "counters"})
        return self._content(answer, answer.counters)

    def close(self) -> None:
        """End the process, with all its connections, and wait for it. May be called twice."""
        if self._talk is not None:
            self._talk.close()
        if self._lease is not None:
            self._lease.end()

    def _answer(self, message: Message) -> ProxyAnswer:
        with self._turn:
            reply = self._asked(message)
        try:
            answer = msgspec.convert(reply, ProxyAnswer)
        except msgspec.ValidationError:
            answer = ProxyAnswer()
        if answer == ProxyAnswer():
            raise self._broken(ERRORS.strange_answer(str(reply)))
        return answer

    def _content(self, answer: ProxyAnswer, content: T | None) -> T:
        """Return the part of an answer that was asked for. Raises VoidError where it is another answer."""
        if content is None:
            raise self._broken(answer.refused.what if answer.refused else ERRORS.strange_answer(str(answer)))
        return content

    def _asked(self, message: Message) -> Message:
        assert self._talk is not None
        try:
            self._talk.send(message)
            answer = self._talk.read(ANSWERS_WITHIN_S)
        except BrokenTalk as how:
            raise self._broken(str(how)) from None
        if answer is None:
            raise self._broken(ERRORS.ended)
        return answer

    def _broken(self, how: str) -> VoidError:
        return VoidError.of(
            ERRORS.broken_proxy(_address(*self._to), how, self._log.name),
            code="prove.proxy-broken",
            detail=self._talk.last_words() if self._talk else (),
        )


def numeric(host: str, port: int) -> str:
    """Return the address of a host as a number; for a host that listens everywhere, the loopback's.

    Where a name has several loopback addresses, the one where somebody listens is taken. Raises Unavailable
    if nobody knows the host.
    """
    host = reached("" if host == "*" else host).strip("[]")
    try:
        return str(ipaddress.ip_address(host))
    except ValueError:
        pass
    try:
        addresses = [str(info[4][0]) for info in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError) as error:  # UnicodeError: the host cannot be a name
        wording = ERRORS.unknown_address(host, str(getattr(error, "strerror", error)))
        raise Unavailable.of(wording, code="prove.no-proxy") from None
    here = [address for address in addresses if ipaddress.ip_address(address).is_loopback]
    listening = [address for address in here if sockets.listeners_at(address, port)]
    return (listening or sorted(addresses, key=lambda address: ":" in address))[0]


def _address(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
