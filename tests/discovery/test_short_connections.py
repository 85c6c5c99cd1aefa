"""Connections of a millisecond, which a look meets only by luck: whose they are is caught, not guessed."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base.component import SERVER, Component
from loadrig.base.processes import start_of
from loadrig.base.running import Address
from loadrig.discovery import Finder
from loadrig.discovery.finder import CATCH_LOOKS, CATCH_TIMES
from tests.servers._daemon import Daemon, free_port, listens, running
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

# Opens a connection to redis, asks once and closes it, every 3 ms and for about 1 ms; keeps none.
HASTY = """\
import socket, sys, time
own = socket.create_server(("127.0.0.1", int(sys.argv[1])))
for _ in range(20_000):
    with socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as one:
        one.sendall(b"PING\\r\\n")
        one.recv(16)
        time.sleep(0.001)
    time.sleep(0.002)
"""


@contextmanager
def hasty(folder: Path, redis: Daemon) -> Iterator[Component]:
    script, port = folder / "hasty.py", free_port()
    script.write_text(HASTY)
    argv = [sys.executable, str(script), str(port), str(redis.port)]
    with running(argv, folder / f"hasty-{port}.log", lambda: listens(port), folder=folder) as process:
        start, address = start_of(process.pid), Address("127.0.0.1", port)
        yield Component(SERVER, "program", pid=process.pid, start=start, address=address)


def looked(finder: Finder, times: int) -> list[str]:
    """Kinds of the components found in so many looks."""
    return [one.kind for _ in range(times) for one in finder.look()]


def test_a_suspect_is_caught_talking(tmp_path: Path) -> None:
    with started_redis(tmp_path) as redis, hasty(tmp_path, redis) as server:
        finder = Finder(server)
        finder.suspect("127.0.0.1", redis.port)
        assert looked(finder, CATCH_LOOKS) == ["redis"]
        (edge,) = finder.map().edges
    assert (edge.source, edge.to, edge.address.port) == (SERVER, "redis", redis.port)
    assert edge.connections >= 1


def test_what_another_program_talks_to_is_not_the_servers(tmp_path: Path) -> None:
    waits: list[float] = []
    with (
        started_redis(tmp_path) as redis,
        hasty(tmp_path, redis),
        started_redis(tmp_path, port=free_port()) as idle,
    ):
        server = Component(
            SERVER, "redis", pid=idle.pid, start=start_of(idle.pid), address=Address("127.0.0.1", idle.port)
        )
        finder = Finder(server, wait=waits.append)
        finder.suspect("127.0.0.1", redis.port)
        assert looked(finder, CATCH_LOOKS + 3) == []
        assert finder.map().edges == ()
    assert len(waits) == CATCH_LOOKS * CATCH_TIMES, "it was tried further"


def test_connections_to_the_server_itself_are_nobodys_suspects(tmp_path: Path) -> None:
    waits: list[float] = []
    with started_redis(tmp_path) as redis:
        address = Address("127.0.0.1", redis.port)
        finder = Finder(
            Component(SERVER, "redis", pid=redis.pid, start=start_of(redis.pid), address=address),
            waits.append,
        )
        finder.suspect("127.0.0.1", redis.port)
        assert finder.look() == []
    assert waits == []
