"""Tests of what is seen of the generator from outside, on a process that stands for it."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from loadrig.base.running import Address, RunningTarget
from loadrig.trial.others import Others
from loadrig.trial.witness import Witness

NS = 1_000_000_000
NOWHERE = RunningTarget(Address("127.0.0.1", 1))


@pytest.fixture
def child() -> Iterator["subprocess.Popen[bytes]"]:
    process = subprocess.Popen(
        [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    yield process
    assert process.stdin is not None
    process.stdin.close()
    process.wait(timeout=60)


@pytest.mark.integration
def test_a_generator_that_nothing_holds_up_is_said_so(child: "subprocess.Popen[bytes]") -> None:
    witness = Witness(NOWHERE, (0,), 1)
    began = time.monotonic_ns()
    witness.follow([child.pid])
    witness.look(time.monotonic_ns(), at_last=True)
    facts = witness.facts(began, time.monotonic_ns())
    assert (facts["stops"], facts["throttled_share"]) == (0, 0.0)
    assert abs(facts["clock_step_s"]) < 0.1
    assert "not known" in facts["shared_core"]["unknown"]


def test_a_clock_that_is_set_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    witness = Witness(NOWHERE, (0,), 1)
    wall_ns = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: wall_ns() - 60 * NS)
    assert witness.facts(0, NS)["clock_step_s"] == pytest.approx(-60, abs=1)


@contextmanager
def another_client(port: int) -> Iterator[int]:
    """Yield the pid of a process that holds a connection to a port."""
    code = (
        f"import socket; c = socket.create_connection(('127.0.0.1', {port})); print('', flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        yield process.pid
        process.kill()


@pytest.mark.integration
def test_whoever_takes_the_place_of_a_lost_generator_is_ours_from_then_on(
    child: "subprocess.Popen[bytes]",
) -> None:
    """Let a process load a server, and be a stranger until the fleet says that it is one of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = Address("127.0.0.1", server.getsockname()[1])
        for takes_over, expected in ((False, 1), (True, 0)):
            with Witness(RunningTarget(address, pid=child.pid), (0,), 1) as witness:
                witness.follow([os.getpid()])
                with another_client(address.port) as stranger:
                    witness.follow([os.getpid(), *([stranger] if takes_over else [])])
                    began = time.monotonic_ns()
                    witness.look(began + NS, at_last=True)
                    assert len(witness.facts(began, began + NS)["others"]["clients"]) == expected


def test_a_host_that_takes_the_place_of_another_one_is_ours_though_no_process_here_is(
    child: "subprocess.Popen[bytes]", monkeypatch: pytest.MonkeyPatch
) -> None:
    added: list[tuple[str, ...]] = []
    monkeypatch.setattr(Others, "add_ours", lambda _, __, hosts: added.append(tuple(hosts)))
    target = RunningTarget(Address("127.0.0.1", 1), pid=child.pid)
    with Witness(target, (0,), 1) as witness:
        for host in ("192.0.2.1", "192.0.2.1", "192.0.2.2"):
            witness.follow([], [host])
    assert added == [("192.0.2.2",)]
