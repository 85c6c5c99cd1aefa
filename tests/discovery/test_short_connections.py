"""Connections of a millisecond, which discovery meets only by luck: the sensor of sockets tells of them."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from loadrig.base.component import SERVER, Component
from loadrig.base.processes import start_of
from loadrig.base.running import Address
from loadrig.discovery import ComponentFinder
from tests.conftest import Deadline
from tests.probes.staged import probing
from tests.servers._daemon import Daemon, free_port, listens, running
from tests.servers.redis import started_redis

pytestmark = pytest.mark.integration

# Opens a connection to redis, asks once and closes it, every 3 ms and for about 1 ms; keeps none.
HASTY = """\
import socket, sys, time
own = socket.create_server(("127.0.0.1", int(sys.argv[1])))
while True:
    with socket.create_connection(("127.0.0.1", int(sys.argv[2]))) as connection:
        connection.sendall(b"PING\\r\\n")
        connection.recv(16)
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


def test_whom_a_program_talks_to_for_a_millisecond_is_found_and_whom_another_talks_to_is_not(
    tmp_path: Path, deadline: Deadline
) -> None:
    with (
        started_redis(tmp_path) as redis,
        hasty(tmp_path, redis) as server,
        started_redis(tmp_path, port=free_port()) as idle,
        probing(idle.pid, idle.port) as beside,
    ):
        assert server.pid is not None
        with probing(server.pid) as probe:

            def is_met() -> bool:
                probe.sample()
                beside.sample()
                return bool(probe.peers())

            deadline.wait_for(is_met, "a connection to be met")
            assert probe.peers() == {("127.0.0.1", redis.port)}
        assert beside.peers() == set()
        finder = ComponentFinder(server)
        for host, port in probe.peers():
            finder.hint(SERVER, host, port)
        assert [component.kind for component in finder.look()] == ["redis"]
        (edge,) = finder.map().edges
    assert (edge.source, edge.to, edge.address.port) == (SERVER, "redis", redis.port)
