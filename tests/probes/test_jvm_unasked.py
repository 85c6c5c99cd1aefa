"""A JVM is not entered unless that is permitted: what it publishes anyway is read."""

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig.base import sockets
from loadrig.base.units import Seconds
from loadrig.probes import gc_log, jvm
from loadrig.probes._session import Lost, Place
from tests.conftest import Deadline
from tests.servers import java

pytestmark = pytest.mark.integration


def test_a_jvm_is_not_entered_unasked_and_what_it_publishes_is_read(
    tmp_path: Path, deadline: Deadline
) -> None:
    with java.plain(tmp_path, jvm=["-XX:+UseSerialGC", "-Xmx64m"]) as server:
        before = set(listening(server.pid))
        options = jvm.Options(details_every=Seconds(0.0))
        session = jvm.attach(options, server.component(), Place())
        try:
            series: set[tuple[str, str]] = set()

            def has_come() -> bool:
                series.update(
                    (sample.metric, sample.subject) for sample in session.sample(time.monotonic_ns())
                )
                return bool(series)

            deadline.wait_for(has_come, "a reading")
            codes = [event.facts["code"] for event in session.events() if event.kind == "note"]
        finally:
            session.detach()
        with pytest.raises(Lost) as refused:
            gc_log.attach(gc_log.Options(), server.component(), Place(folder=tmp_path))
        assert not Path(f"/tmp/.java_pid{server.pid}").exists()
        assert set(listening(server.pid)) == before
    assert ("threads", "") in series
    assert codes == ["probe.not-permitted"]
    assert refused.value.code == "probe.not-permitted"


def listening(pid: int) -> Iterator[int]:
    """Ports on which a process listens."""
    port_by_inode = {listener.inode: listener.port for listener in sockets.listeners()}
    yield from (port_by_inode[inode] for inode in sockets.holders(port_by_inode, [pid]).get(pid, ()))
