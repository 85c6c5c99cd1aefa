"""End of connections on which nothing comes any more: real sockets of this process, without Ray."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from loadrig.fleet import _ray_stalls
from loadrig.fleet._ray_stalls import StallWatch, end_stalled, plain_address

SHORT_S = 0.1
DEADLINE_S = 10.0

LISTENS_AT = {socket.AF_INET: ("127.0.0.1", "127.0.0.1"), socket.AF_INET6: ("::", "::ffff:127.0.0.1")}
"""Addresses by family: of who listens, and by which he is connected to."""


class Peers:
    """Listener, and connections to it: `here` are our ends, `there` those of the other side."""

    def __init__(self, stack: ExitStack, family: socket.AddressFamily) -> None:
        self._stack = stack
        own, self._host = LISTENS_AT[family]
        self._family = family
        is_dual = family == socket.AF_INET6
        self.listener = stack.enter_context(
            socket.create_server((own, 0), family=family, dualstack_ipv6=is_dual)
        )
        self.address = "127.0.0.1", int(self.listener.getsockname()[1])

    def connected(self) -> tuple[socket.socket, socket.socket]:
        here = self._stack.enter_context(socket.socket(self._family))
        here.connect((self._host, self.address[1]))
        there = self._stack.enter_context(self.listener.accept()[0])
        for end in (here, there):
            end.settimeout(DEADLINE_S)
        return here, there


@pytest.fixture(params=list(LISTENS_AT), ids=["ipv4", "ipv4 in ipv6"])
def peers(request: pytest.FixtureRequest) -> Iterator[Peers]:
    with ExitStack() as stack:
        yield Peers(stack, request.param)


def is_reset(end: socket.socket) -> bool:
    """Return whether a read says so."""
    try:
        end.recv(1)
    except ConnectionResetError:
        return True
    return False


def test_a_connection_on_which_nothing_comes_is_reset_for_both_sides(peers: Peers) -> None:
    here, there = peers.connected()
    time.sleep(2 * SHORT_S)
    assert end_stalled(peers.address, SHORT_S) == 1
    assert is_reset(here)
    assert is_reset(there)
    # It is gone.
    assert end_stalled(peers.address, 0.0) == 0


def test_connections_on_which_something_comes_or_to_somebody_else_stay(peers: Peers) -> None:
    here, there = peers.connected()
    with ExitStack() as stack:
        others = Peers(stack, socket.AF_INET)
        other, other_there = others.connected()
        time.sleep(2 * SHORT_S)
        there.sendall(b"a")
        assert here.recv(1) == b"a"
        assert end_stalled(peers.address, SHORT_S) == 0
        for end, opposite in ((here, there), (other, other_there)):
            end.sendall(b"b")
            assert opposite.recv(1) == b"b"


def test_a_connection_is_left_alone_where_no_fresh_one_can_be_made(peers: Peers) -> None:
    here, there = peers.connected()
    peers.listener.close()
    assert end_stalled(peers.address, 0.0) == 0
    here.sendall(b"a")
    assert there.recv(1) == b"a"


def test_a_watch_ends_the_connections_of_the_silent_until_it_is_stopped(
    peers: Peers, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ray_stalls, "LOOKS_EVERY_S", 0.01)
    ended = threading.Event()

    def note(address: tuple[str, int]) -> int:
        assert address == peers.address
        ended.set()
        return 1

    monkeypatch.setattr(_ray_stalls, "end_stalled", note)
    watch = StallWatch(lambda: [peers.address])
    assert ended.wait(DEADLINE_S)
    watch.stop()
    time.sleep(SHORT_S)
    ended.clear()
    assert not ended.wait(SHORT_S)


@pytest.mark.parametrize(
    ("address", "plain"),
    [
        (("10.0.0.1", 7), ("10.0.0.1", 7)),
        (("::ffff:10.0.0.1", 7, 0, 0), ("10.0.0.1", 7)),
        (("fd00::1", 7, 0, 0), ("fd00::1", 7)),
    ],
)
def test_an_address_within_another_one_is_the_same(
    address: tuple[object, ...], plain: tuple[str, int]
) -> None:
    assert plain_address(address) == plain
