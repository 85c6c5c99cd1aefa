"""A real Node program as the probe sees it: its loop blocked, its heap grown, of both kinds, a cluster."""

import dataclasses
import os
import re
import signal
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import leases, processes, sockets
from loadrig.base.component import SERVER, Component
from loadrig.base.running import Address
from loadrig.probes import node
from loadrig.probes._node import inspector as _inspector
from loadrig.probes._node.reply import reply_of
from loadrig.probes._session import Place, Unavailable
from tests.conftest import Deadline
from tests.integration.servers import serving
from tests.lengths import length
from tests.probes.watching import WatchedReading, watching
from tests.rigs import plain_facts
from tests.servers import node as servers
from tests.servers._announced import Announced

SECRET_NAME = 'Symbol.for("loadrig.watch")'


def value_of(values: Mapping[tuple[str, str], float], server: Announced, metric: str) -> float:
    return WatchedReading(values)[metric, f"pid:{server.pid}"]


def open_ports(server: Announced) -> set[int]:
    """Return what a server listens on besides the port that is loaded."""
    return _inspector.ports_of(server.pid) - {server.port}


@pytest.fixture
def usual_port_is_free() -> Iterator[None]:
    """Skips where somebody else has an inspector open: then SIGUSR1 opens none."""
    if sockets.listeners_at("127.0.0.1", _inspector.USUAL_PORT):
        pytest.skip("port 9229, where Node opens its inspector, is taken by another program")
    yield
    assert not sockets.listeners_at("127.0.0.1", _inspector.USUAL_PORT)


TOLD: dict[str, Any] = {
    "now_ms": 5000.0,
    "now_ns": "1000000000000",
    "delay_ms": {"mean": 2.0, "p50": 1.0, "p99": 150.0, "max": 200.0},
    "utilization": 0.25,
    "memory": {"rss": 9, "heapTotal": 8, "heapUsed": 7, "external": 6, "arrayBuffers": 5},
    "limit": 10,
    "resources": {"TCPSocketWrap": 3, "Timeout": 2, "FSReqCallback": 4, "GetAddrInfoReqWrap": 1},
    "collections": 3,
    "paused_ms": 20.0,
    "paused_by_major_ms": 15.0,
    "pauses": [[4900.0, 12.5, 4, 64], [4990.0, 2.0, 1, 0], [4991.0, 2.0, 77, 4]],
}


def test_what_a_process_tells_becomes_metrics_in_seconds_and_bytes() -> None:
    values = node.values_of(reply_of(TOLD))
    assert values.keys() == node.METRICS.keys()
    assert values["delay_max_s"] == 0.2
    assert values["gc_pause_s"] == 0.02
    assert values["active_resources"] == 10
    assert values["active_requests"] == 5
    assert values["sockets"] == 3
    assert "delay_max_s" not in node.values_of(reply_of({**TOLD, "delay_ms": None}))


def test_pauses_are_put_on_the_clock_that_both_sides_read() -> None:
    major, minor, unknown = node.pauses_of(7, reply_of(TOLD))
    assert major.t_ns == 1_000_000_000_000 - 100_000_000
    assert major.facts["duration_s"] == 0.0125
    assert (major.facts["kind"], major.facts["cause"]) == ("major", "idle")
    assert (minor.facts["kind"], minor.facts["cause"]) == ("minor", "allocation")
    assert (unknown.facts["kind"], unknown.facts["cause"]) == ("77", "forced")


def test_prepare_adds_the_inspector_to_what_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert node.prepare(node.Options(), tmp_path) == {}
    monkeypatch.delenv("NODE_OPTIONS", raising=False)
    assert node.prepare(node.Options(inspect=True), tmp_path) == {"NODE_OPTIONS": "--inspect=127.0.0.1:0"}
    monkeypatch.setenv("NODE_OPTIONS", "--enable-source-maps")
    options = node.prepare(node.Options(inspect=True), tmp_path)
    assert options == {"NODE_OPTIONS": "--enable-source-maps --inspect=127.0.0.1:0"}


def test_a_program_elsewhere_whose_inspector_nobody_names_is_unavailable(snapshot: SnapshotAssertion) -> None:
    elsewhere = Component(SERVER, "program", runtime="node", address=Address("192.0.2.1", 80))
    with pytest.raises(Unavailable) as raised:
        node.attach(node.Options(), elsewhere, Place())
    assert raised.value.code == "probe.no-process"
    for wrong in ("9229", "127.0.0.1:", "127.0.0.1:99999", "127.0.0.1:nine"):
        with pytest.raises(Unavailable) as raised:
            node.attach(node.Options(inspector=wrong), elsewhere, Place())
        assert (raised.value.code, raised.value.reason.replace(wrong, "NAME")) == snapshot(name="no address")


def test_of_many_processes_the_busiest_are_taken_and_no_master_is_signalled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stat = processes.stat(os.getpid())
    assert stat is not None
    table = {
        pid: dataclasses.replace(stat, pid=pid, parent=1 if pid == 2 else 2, user=1000 if pid == 2 else pid)
        for pid in range(2, 9)
    }
    monkeypatch.setattr(processes, "table", lambda: table)
    assert node.busiest([8, 7, 6, 5, 4, 3, 2, 99], 4) == [2, 8, 7, 6]
    assert node.leaves_of([8, 7, 2]) == [8, 7]
    assert node.leaves_of([2]) == [2]


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
@pytest.mark.parametrize("name", length(["module.mjs"], ["classic.cjs", "module.mjs"]))
def test_a_blocked_loop_and_a_growing_heap_are_seen_in_modules_of_both_kinds(
    name: Any, tmp_path: Path, deadline: Deadline
) -> None:
    tells_closing = ("--require", str(servers.SOURCES / "tells_closing.cjs"))
    with servers.started_node(name, tmp_path, *tells_closing) as server:
        with watching(node, server.component()) as watched:
            first_ns = time.monotonic_ns()
            before = watched.look()
            server.get("/block?ms=200")
            blocked = watched.until(lambda values: value_of(values, server, "delay_max_s") > 0.15)
            began_ns = time.monotonic_ns()
            server.get("/grow?mb=60")
            server.get("/churn?n=2000000")
            ended_ns = time.monotonic_ns()
            grown = watched.until(lambda values: value_of(values, server, "gc_pause_s") > 0.001)
            assert open_ports(server) == {_inspector.USUAL_PORT}
        # What was opened is closed, and nothing of ours is left in the process.
        deadline.wait_for(lambda: "closing with" in server.log.read_text(), "the inspector to be told")
        deadline.wait_for(lambda: not open_ports(server), "the inspector to be closed")
        assert re.search("closing with [1-9]", server.log.read_text()), "who leaves then crashes Node 20"
        assert server.get("/") == "ok"
    assert value_of(blocked, server, "delay_p50_s") < 0.1
    assert value_of(grown, server, "heap_used_bytes") > value_of(before, server, "heap_used_bytes") + (
        40 << 20
    )
    assert value_of(grown, server, "heap_limit_bytes") > value_of(grown, server, "heap_total_bytes")
    assert value_of(grown, server, "rss_bytes") > 40 << 20
    pauses = watched.of_kind("gc_pause")
    assert any(began_ns < pause.t_ns < ended_ns for pause in pauses)
    assert all(first_ns < pause.t_ns < time.monotonic_ns() for pause in pauses)
    assert {pause.facts["collector"] for pause in pauses} == {"v8"}
    assert watched.faults == []


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
def test_a_stand_still_is_told_while_it_lasts_and_whole_when_it_is_over(tmp_path: Path) -> None:
    with (
        servers.started_node("classic.cjs", tmp_path) as server,
        watching(node, server.component()) as watched,
    ):
        watched.look()
        user = threading.Thread(target=server.get, args=("/block?ms=2500",))
        user.start()
        # Readings come in its middle: the inspector answers although the loop stands still.
        during = watched.until(lambda values: value_of(values, server, "delay_max_s") > 0.2)
        user.join()
        after = watched.until(lambda values: value_of(values, server, "delay_max_s") > 2.4)
    assert value_of(during, server, "delay_max_s") <= value_of(after, server, "delay_max_s")
    assert value_of(after, server, "delay_max_s") < 10
    assert watched.faults == []


@pytest.mark.integration
def test_an_inspector_that_was_open_is_used_and_left_open(tmp_path: Path) -> None:
    environment = node.prepare(node.Options(inspect=True), tmp_path)
    with servers.started_node("module.mjs", tmp_path, environment=environment) as server:
        ports = open_ports(server)
        assert len(ports) == 1
        with watching(node, server.component(is_ours=False)) as watched:
            assert value_of(watched.look(), server, "heap_used_bytes") > 0
            assert is_watched(min(ports))
        assert open_ports(server) == ports
        assert not is_watched(min(ports))
        # Named by its address it is found without a process.
        elsewhere = Component(SERVER, "program", runtime="node")
        with watching(node, elsewhere, inspector=f"127.0.0.1:{min(ports)}") as watched:
            assert value_of(watched.look(), server, "heap_used_bytes") > 0


def is_watched(port: int) -> bool:
    inspector = _inspector.Inspector("127.0.0.1", port)
    try:
        return bool(inspector.evaluate(f"Boolean(globalThis[{SECRET_NAME}])"))
    finally:
        inspector.close()


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
def test_the_inspector_of_a_server_that_is_not_ours_is_opened_only_on_demand(
    tmp_path: Path, deadline: Deadline
) -> None:
    with servers.started_node("classic.cjs", tmp_path) as server:
        theirs = server.component(is_ours=False)
        with watching(node, theirs, Place()) as watched:
            lost = watched.until_lost()
            assert open_ports(server) == set()
        assert lost.code == "probe.not-permitted"
        assert "--permit node-inspector" in lost.mend
        # Nor is it unasked in a server that the rig has started.
        with watching(node, server.component(), Place()) as watched:
            assert watched.until_lost().code == "probe.not-permitted"
        with watching(node, server.component(), open_inspector=False) as watched:
            assert watched.until_lost().code == "probe.not-permitted"
        assert "Debugger" not in server.log.read_text()
        with watching(node, theirs, Place(), open_inspector=True) as watched:
            assert value_of(watched.look(), server, "heap_used_bytes") > 0
            assert [plain_facts(lease)["pid"] for lease in leases.listed()] == [server.pid]
        assert [event.facts["effect"] for event in watched.of_kind("effect")] == ["inspector", "watch"]

        def has_left() -> bool:
            watched.events += watched.session.events()
            return len(watched.of_kind("effect_over")) == 2

        # It leaves in a thread of its own, which `detach` does not wait for without end.
        deadline.wait_for(has_left, "the inspector to be closed")
        assert [event.facts["effect"] for event in watched.of_kind("effect_over")] == ["watch", "inspector"]
        assert open_ports(server) == set()
        assert leases.listed() == []


@pytest.mark.integration
def test_nothing_is_evaluated_unasked_where_an_inspector_is_open(tmp_path: Path) -> None:
    with (
        servers.started_node("classic.cjs", tmp_path, "--inspect=127.0.0.1:0") as server,
        watching(node, server.component(), Place()) as watched,
    ):
        assert watched.until_lost().code == "probe.not-permitted"
        (port,) = open_ports(server)
        assert not is_watched(port)


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
def test_no_inspector_is_opened_where_its_port_is_taken(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", _inspector.USUAL_PORT)),
        servers.started_node("classic.cjs", tmp_path) as server,
        watching(node, server.component()) as watched,
    ):
        lost = watched.until_lost()
        assert "Starting inspector" not in server.log.read_text()
    assert lost.code == "probe.no-inspector"
    assert "9229" in lost.reason


@pytest.mark.integration
def test_a_process_that_would_die_of_the_signal_gets_none() -> None:
    # This very process: Python has no handler of SIGUSR1, and would end.
    with pytest.raises(_inspector.Closed):
        _inspector.open_inspector(os.getpid(), lambda lease: pytest.fail(f"{lease} was taken"))


@pytest.mark.integration
def test_every_process_of_a_cluster_with_inspectors_is_watched_until_it_dies(
    tmp_path: Path, deadline: Deadline
) -> None:
    environment = node.prepare(node.Options(inspect=True), tmp_path)
    with servers.started_node("cluster.cjs", tmp_path, environment=environment) as server:
        family = workers_of(server, deadline)
        # A worker's port is its master's plus its number, whoever has that: then it has no inspector.
        openings = ("Debugger listening", "Starting inspector")
        deadline.wait_for(
            lambda: sum(server.log.read_text().count(opening) for opening in openings) == 3, "the ports"
        )
        n = server.log.read_text().count(openings[0])
        if n < 2:
            pytest.skip("other programs hold the ports beside that of the master's inspector")
        with watching(node, server.component()) as watched:
            reading = watched.until(lambda values: len(subjects(values)) == n)
            assert subjects(reading) <= {f"pid:{pid}" for pid in family}
            victim = next(pid for pid in family[1:] if f"pid:{pid}" in subjects(reading))
            os.kill(victim, signal.SIGKILL)
            watched.until(lambda values: values and f"pid:{victim}" not in subjects(values))
    assert watched.faults == []


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
def test_of_a_cluster_without_inspectors_one_worker_is_opened_and_that_is_said(
    tmp_path: Path, deadline: Deadline
) -> None:
    with servers.started_node("cluster.cjs", tmp_path) as server:
        master, *workers = workers_of(server, deadline)
        with watching(node, server.component()) as watched:
            (subject,) = subjects(watched.look())
            assert subject in {f"pid:{pid}" for pid in workers}
            (note,) = watched.of_kind("note")
            assert (note.facts["watched"], note.facts["processes"]) == (1, 3)
        deadline.wait_for(
            lambda: not sockets.listeners_at("127.0.0.1", _inspector.USUAL_PORT), "it to be closed"
        )
        assert processes.tree(master, processes.table()) == [master, *workers]


def workers_of(server: Announced, deadline: Deadline) -> list[int]:
    """Return the cluster's processes, the master first, as soon as all are there."""
    deadline.wait_for(lambda: len(processes.tree(server.pid, processes.table())) == 3, "the workers")
    return processes.tree(server.pid, processes.table())


def subjects(values: Mapping[tuple[str, str], float]) -> set[str]:
    return {subject for _, subject in values}


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
def test_a_stopped_process_is_a_gap_and_is_read_again_when_it_goes_on(tmp_path: Path) -> None:
    with (
        servers.started_node("classic.cjs", tmp_path) as server,
        watching(node, server.component()) as watched,
    ):
        watched.look()
        os.kill(server.pid, signal.SIGSTOP)
        lost = watched.until_lost()
        os.kill(server.pid, signal.SIGCONT)
        values = watched.look()
        assert server.log.read_text().count("Debugger listening") == 1
    assert lost.code == "probe.no-answer"
    assert value_of(values, server, "heap_used_bytes") > 0


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
def test_a_process_outlives_that_it_is_watched_again_and_again(tmp_path: Path, deadline: Deadline) -> None:
    with servers.started_node("classic.cjs", tmp_path) as server:
        for _ in range(10):
            with watching(node, server.component()) as watched:
                watched.until(lambda values: value_of(values, server, "heap_used_bytes") > 0)
            deadline.wait_for(lambda: not open_ports(server), "the inspector to be closed")
        assert server.process.poll() is None
        assert server.get("/") == "ok"


@pytest.mark.integration
@pytest.mark.usefixtures("usual_port_is_free")
def test_what_a_killed_rig_has_left_ends_by_itself(tmp_path: Path, deadline: Deadline) -> None:
    source = (Path(node.__file__).with_name("_node") / "watch.js").read_text()
    assert "ALONE_MS = 60000" in source
    impatient = source.replace("ALONE_MS = 60000", "ALONE_MS = 300")
    with servers.started_node("classic.cjs", tmp_path) as server:
        own_leases: list[leases.Lease] = []
        _inspector.open_inspector(server.pid, own_leases.append)
        inspector = _inspector.Inspector("127.0.0.1", _inspector.USUAL_PORT)
        assert inspector.evaluate(f"({impatient})(true)") == server.pid
        inspector.close()  # and nobody reads any more
        deadline.wait_for(lambda: not open_ports(server), "the inspector to be closed")
        assert _inspector.close_inspector(own_leases[0], closes_itself=False)
        assert server.get("/") == "ok"


@pytest.mark.integration
def test_what_is_no_inspector_is_said(tmp_path: Path) -> None:
    def answer(connection: socket.socket) -> None:
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 12\r\n\r\n[{"id": null')

    with serving(answer) as port:
        elsewhere = Component(SERVER, "program", runtime="node")
        with watching(node, elsewhere, inspector=f"127.0.0.1:{port}") as watched:
            assert watched.until_lost().code == "probe.not-that"
