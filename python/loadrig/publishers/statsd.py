"""StatsD over UDP: a packet a second, with tags as Datadog's agents and Telegraf read them.

## What is told

Gauges `loadrig.due_per_second`, `good_per_second`, `failed_per_second`, `in_flight`, `users`,
`response_seconds`
(tag `quantile`), `cores` and `memory_bytes` (tag `component`), and the counter `loadrig.requests` (tag
`outcome`).
Every one has the tag `plan`.

## Who receives it

Datadog's agent, Telegraf, statsd_exporter, Vector: `--to statsd=127.0.0.1:8125`.

## What is missing

UDP tells nobody whether a packet has come. A server that knows no tags takes them for a part of the value.
"""

import contextlib
import socket
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from loadrig.language.choice import texts_of
from loadrig.language.en.publishers import PublishersTexts
from loadrig.publishers._news import LiveFigure, LiveNews, figures
from loadrig.publishers._places import host_and_port

TITLE = texts_of(PublishersTexts).statsd
PLACE = "HOST:PORT"

MOST_BYTES = 1400
"""Largest size of a packet, in bytes: what an Ethernet frame holds beside its headers."""

_IN_A_TAG = str.maketrans(dict.fromkeys(",|:#\n", "_"))


class StatsdSender:
    """Sender of packets to one address."""

    def __init__(self, plan: str, address: tuple[str, int], connection: socket.socket) -> None:
        self._plan, self._address, self._socket = plan, address, connection
        self._ended: Mapping[str, int] = {}

    def take(self, news: LiveNews) -> None:
        """Send what is new. Raises OSError where the address is gone."""
        lines = [self._line(figure, "g") for second in news.seconds for figure in figures(second)]
        lines += [self._line(figure, "g") for figure in news.tiers()]
        before, self._ended = self._ended, dict(news.ended)
        for outcome, count in self._ended.items():
            # A trial that follows begins at nought again.
            grown = count - before.get(outcome, 0) if count >= before.get(outcome, 0) else count
            if grown:
                lines.append(self._line(LiveFigure("requests", {"outcome": outcome}, grown), "c"))
        for packet in packets(lines):
            self._socket.sendto(packet, self._address)

    def _line(self, figure: LiveFigure, kind: str) -> bytes:
        labels = {"plan": self._plan, **figure.labels}
        tags = ",".join(f"{key}:{value.translate(_IN_A_TAG)}" for key, value in labels.items())
        return f"loadrig.{figure.name}:{figure.value:.9g}|{kind}|#{tags}".encode()


class SizedPacket(NamedTuple):
    """Packet that is being filled, and its size."""

    lines: list[bytes]
    size: int


def packets(lines: list[bytes]) -> Iterator[bytes]:
    """Yield the lines joined to packets that are no larger than they may be."""
    packet = SizedPacket([], 0)
    for line in lines:
        if packet.lines and packet.size + len(line) + 1 > MOST_BYTES:
            yield b"\n".join(packet.lines)
            packet = SizedPacket([], 0)
        packet = SizedPacket([*packet.lines, line], packet.size + len(line) + 1)
    if packet.lines:
        yield b"\n".join(packet.lines)


def check(place: str) -> None:
    """Raise ValueError for a place without a port."""
    host_and_port(place)


@contextlib.contextmanager
def begin(place: str, plan: str) -> Iterator[StatsdSender]:
    """Open a socket. Raises ValueError for a place that is none, OSError where its host has no address."""
    host, port = host_and_port(place)
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    with socket.socket(family, socket.SOCK_DGRAM) as connection:
        connection.setblocking(False)
        yield StatsdSender(plan, (str(address[0]), int(address[1])), connection)
