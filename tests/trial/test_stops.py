"""Stops of a child are seen with their length, and its end is left to who waits for it."""

import os
import signal
import subprocess
import sys
import time

import pytest

from loadrig.trial.stops import Stops
from tests.conftest import Deadline

FOREVER = 2**62


@pytest.fixture
def child() -> "subprocess.Popen[bytes]":
    return subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)


def end(child: "subprocess.Popen[bytes]", stops: Stops) -> None:
    assert child.stdin is not None
    child.stdin.close()
    # EOF makes input() raise: the exit is still there for this wait.
    assert child.wait(timeout=60) == 1
    stops.join()


@pytest.mark.integration
def test_a_stop_is_seen_with_its_length(child: "subprocess.Popen[bytes]", deadline: Deadline) -> None:
    stops = Stops.of(child.pid)
    before = time.monotonic_ns()
    os.kill(child.pid, signal.SIGSTOP)
    deadline.wait_for(lambda: stops.between(0, FOREVER)[0] == 1, "the stop")
    os.kill(child.pid, signal.SIGCONT)
    end(child, stops)
    count, length_ns = stops.between(0, FOREVER)
    assert count == 1
    assert 0 < length_ns <= time.monotonic_ns() - before
    assert stops.between(0, before - 1) == (0, 0)


@pytest.mark.integration
def test_a_child_that_is_left_alone_was_not_stopped(child: "subprocess.Popen[bytes]") -> None:
    stops = Stops.of(child.pid)
    end(child, stops)
    assert stops.between(0, FOREVER) == (0, 0)
