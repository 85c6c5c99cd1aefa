"""The inspector of a real Node: closed by one who is connected still."""

import re
from pathlib import Path

import pytest

from loadrig.base import node_inspector, processes, sockets
from tests.conftest import Deadline
from tests.servers import node

TELLS_CLOSING = node.SOURCES / "tells_closing.cjs"


@pytest.mark.integration
def test_who_has_an_inspector_closed_stays_until_it_is(tmp_path: Path, deadline: Deadline) -> None:
    """Stay until it is closed: a client that leaves at that very moment crashes Node 20."""
    flags = ("--inspect=127.0.0.1:0", "--require", str(TELLS_CLOSING))
    with node.started_node("classic.cjs", tmp_path, *flags) as server:
        listeners = {listener.inode: listener for listener in sockets.listeners()}
        held = sockets.holders(listeners, [server.pid])[server.pid]
        (port,) = {listeners[inode].port for inode in held} - {server.port}
        start = processes.start_of(server.pid)
        assert start is not None
        assert node_inspector.closed(server.pid, start, port)
        assert not node_inspector.is_open(server.pid, port)
        deadline.wait_for(lambda: "closing with" in server.log.read_text(), "the inspector to be closed")
        assert re.search("closing with [1-9]", server.log.read_text())
        assert server.get("/") == "ok"
