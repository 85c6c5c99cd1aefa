"""Servers of known truth: their own books add up, and to what a client of the test sees."""

import os
import socket
import ssl
import subprocess
import time
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from bench.account import start
from bench.account.cells import (
    ACCEPT,
    CANNOT,
    GO,
    JAVA,
    KERNEL,
    LOOP,
    NODE,
    PROCESS,
    RUNTIMES,
    THREADS,
    TLS,
    Work,
    spec,
)  # fmt: skip
from bench.account.servers.books import FIELDS
from bench.account.start import Served, served
from bench.costs import Failed
from bench.server import make_certificate
from tests.servers import go, java, node

pytestmark = pytest.mark.integration

ASK = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
TIMEOUT_S = 30.0
MS = 1e6
KNOW_ARRIVALS = (THREADS, LOOP, GO)


@pytest.fixture(params=RUNTIMES)
def runtime(request: pytest.FixtureRequest) -> str:
    """Return a runtime that is here; skip the test where it is not."""
    name = str(request.param)
    if name == GO:
        go.go()
    elif name == NODE:
        node.node()
    elif name == JAVA:
        java.jdk()
    return name


def cores() -> list[int]:
    return sorted(os.sched_getaffinity(0))


def connected(server: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=TIMEOUT_S)


def answered(connection: socket.socket) -> bytes:
    """Read an answer, of as many parts as it comes in."""
    text = b""
    while not text.endswith(b"\r\n\r\nok"):
        data = connection.recv(4096)
        assert data, f"the server has gone after {text!r}"
        text += data
    return text


def asked(server: Served, requests: int, closes: bool = False) -> float:
    """Ask one after the other; seconds that all together took from connecting to the last byte."""
    began = time.monotonic()
    with ExitStack() as stack:
        for n in range(requests):
            if n == 0 or closes:
                connection = stack.enter_context(closing(connected(server)))
            connection.sendall(ASK)
            answered(connection)
    return time.monotonic() - began


def asked_at_once(server: Served, clients: int, accepted: bool = False) -> None:
    """Ask over as many connections before any answer is read.

    accepted: whether each connection has had an answer before, so that none of them waits to be accepted.
    """
    with ExitStack() as stack:
        connections = [stack.enter_context(closing(connected(server))) for _ in range(clients)]
        for connection in connections if accepted else ():
            connection.sendall(ASK)
            answered(connection)
        for connection in connections:
            connection.sendall(ASK)
        for connection in connections:
            answered(connection)


def sums(server: Served) -> dict[str, float]:
    """Return all of a book: requests, and milliseconds for all of them together."""
    buckets = server.book["buckets"]
    sums_ms = {name: sum(bucket[name] for bucket in buckets) / MS for name in FIELDS}
    return {**sums_ms, "requests": sum(bucket["requests"] for bucket in buckets)}


# Servers of a benchmark that runs at night.
@pytest.mark.nightly
def test_a_book_adds_up_to_what_a_client_sees(runtime: str, tmp_path: Path) -> None:
    work = Work(
        slots=1, queue=PROCESS, sleep_ms=10.0, cpu_ms=5.0, lock_ms=5.0, pool=1, disk_kb=64, parts=1
    )  # fmt: skip
    with served(GO, spec(Work(sleep_ms=8.0, cpu_ms=0.0, calls=False)), cores()) as dependency:
        text = spec(work, dependency_port=dependency.port, file=str(tmp_path / "written"))
        with served(runtime, text, cores()) as server:
            outside_ms = 1e3 * asked(server, 6)
    totals = sums(server)
    assert totals["requests"] == 6
    assert totals["cpu"] >= 6 * 5.0
    assert totals["lock"] >= 6 * 5.0
    # The dependency closes its book of a request after it has answered, later on a crowded machine.
    assert totals["call"] >= 6 * 8.0 * 0.99
    assert sums(dependency)["hand"] >= 6 * 8.0 * 0.99
    assert totals["disk"] >= 0
    stages = sum(totals[name] for name in ("slot", "pool", "lock", "cpu", "call", "disk"))
    assert stages + 6 * 10.0 * 0.99 <= totals["hand"]
    # A book knows all but the way of a request and of its answer; half of what it must know is the least.
    known_ms = totals["accept_queue"] + totals["unread"] + totals["hand"]
    assert known_ms >= 6 * 28.0 * 0.99
    assert 0.5 * outside_ms <= known_ms
    # The last write of an answer may return after its client has read it.
    assert totals["hand"] <= outside_ms + 6 * 10.0


# Servers of a benchmark that runs at night.
@pytest.mark.nightly
def test_process_cpu_only_grows_and_holds_what_stages_used(runtime: str) -> None:
    with served(runtime, spec(Work(cpu_ms=10.0, calls=False)), cores()) as server:
        asked(server, 40)
    used = [bucket["process_cpu"] for bucket in server.book["buckets"]]
    ordered = sorted(server.book["buckets"], key=lambda bucket: bucket["number"])
    assert [bucket["process_cpu"] for bucket in ordered] == sorted(used)
    # The JVM counts in hundredths of a second.
    assert max(used) / MS >= 40 * 10.0 - 20.0


# Servers of a benchmark that runs at night.
@pytest.mark.nightly
@pytest.mark.parametrize(
    ("runtime", "queue", "field"),
    [
        (runtime, queue, field)
        for queue, field in ((ACCEPT, "accept_queue"), (KERNEL, "unread"), (PROCESS, "slot"))
        for runtime in RUNTIMES
        if (runtime, field) not in CANNOT
    ],
    indirect=["runtime"],
)
def test_requests_wait_for_a_slot_where_the_cell_says(runtime: str, queue: str, field: str) -> None:
    work = Work(slots=1, queue=queue, sleep_ms=60.0, cpu_ms=0.0, calls=False, closes=queue == ACCEPT)
    with served(runtime, spec(work), cores()) as server:
        # A crowded machine starts the threads of new connections late: only accepted ones wait for a slot.
        asked_at_once(server, 4, accepted=queue != ACCEPT)
    totals = sums(server)
    requests = 4 if queue == ACCEPT else 8
    assert totals["requests"] == requests
    assert totals["hand"] >= requests * 60.0 * 0.99
    waiting = {name: totals[name] for name in ("accept_queue", "unread", "slot")}
    if field == "slot" or runtime in KNOW_ARRIVALS:
        assert max(waiting, key=lambda name: waiting[name]) == field, waiting
        # The second waits for one, the third for two, the fourth for three.
        assert waiting[field] >= (1 + 2 + 3) * 60.0 * 0.5
    assert server.book["has_arrivals"] == (runtime in KNOW_ARRIVALS)


def test_a_pool_lets_so_many_calls_through(runtime: str) -> None:
    with served(GO, spec(Work(sleep_ms=60.0, cpu_ms=0.0, calls=False)), cores()) as dependency:
        text = spec(Work(cpu_ms=0.0, pool=1), dependency_port=dependency.port)
        with served(runtime, text, cores()) as server:
            asked_at_once(server, 4)
    totals = sums(server)
    # The second waits for one call, the third for two, the fourth for three.
    assert totals["pool"] >= 60.0
    assert totals["call"] >= 4 * 60.0 * 0.99


def test_an_answer_in_two_parts_is_whole(runtime: str) -> None:
    with (
        served(runtime, spec(Work(parts=2, calls=False)), cores()) as server,
        closing(connected(server)) as c,
    ):
        c.sendall(ASK)
        assert answered(c).startswith(b"HTTP/1.1 200 OK\r\n")


def test_it_answers_at_a_unix_socket(runtime: str, tmp_path: Path) -> None:
    path = str(tmp_path / "server.sock")
    with (
        served(runtime, spec(Work(calls=False), unix=path), cores()) as server,
        closing(socket.socket(socket.AF_UNIX)) as connection,
    ):
        connection.settimeout(TIMEOUT_S)
        connection.connect(path)
        for _ in range(3):
            connection.sendall(ASK)
            answered(connection)
    assert server.port == 0
    assert sums(server)["requests"] == 3
    assert server.book["has_arrivals"] is False


@pytest.mark.parametrize("runtime", [name for name in RUNTIMES if (name, TLS) not in CANNOT], indirect=True)
def test_it_answers_over_tls(runtime: str, tmp_path: Path) -> None:
    folder = make_certificate(tmp_path)
    trusts = ssl.create_default_context(cafile=str(folder / "cert.pem"))
    text = spec(Work(cpu_ms=1.0, calls=False), certificate=str(folder))
    with (
        served(runtime, text, cores()) as server,
        closing(trusts.wrap_socket(connected(server), server_hostname="127.0.0.1")) as connection,
    ):
        for _ in range(3):
            connection.sendall(ASK)
            answered(connection)
    assert sums(server)["requests"] == 3


def test_a_server_that_cannot_start_says_why(tmp_path: Path) -> None:
    missing = str(tmp_path / "nowhere" / "server.sock")
    with (
        pytest.raises(Failed) as failure,
        served(THREADS, spec(Work(), unix=missing), cores()),
    ):
        pytest.fail("it listens")
    assert "FileNotFoundError" in str(failure.value)


def test_a_server_ends_when_nobody_holds_its_input(runtime: str) -> None:
    argv = [*start.command(runtime), spec(Work(calls=False))]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=start.ROOT) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            assert process.stdout.readline()
            process.stdin.close()
            assert process.wait(TIMEOUT_S) == 0
        finally:
            process.kill()


def competing() -> list[int]:
    """Return our own children that are competitors; another benchmark on this machine may have some too."""
    children = [
        int(pid) for file in Path("/proc/self/task").glob("*/children") for pid in file.read_text().split()
    ]
    return [pid for pid in children if start.RIVAL.encode() in _command_line(pid)]


def _command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:  # it has just ended
        return b""


def test_a_competitor_is_there_for_the_block_alone() -> None:
    with start.rival(0.0, cores()[0]):
        assert competing() == []
    with start.rival(0.05, cores()[0]):
        rivals: list[int] = []
        end = time.monotonic() + TIMEOUT_S
        # While a program takes another's place (taskset, then Python) it has no command line to be known by.
        while not rivals and time.monotonic() < end:
            time.sleep(0.01)
            rivals = competing()
        assert len(rivals) == 1
    assert competing() == []
