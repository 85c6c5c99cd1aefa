"""Tests of what is seen of the generator from outside, on a process that stands for it."""

import subprocess
import sys
import time
from collections.abc import Iterator

import pytest

from loadrig.base.running import Address, RunningTarget
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
    seen = Witness(NOWHERE, (0,), 1)
    began = time.monotonic_ns()
    seen.follow([child.pid])
    seen.look(time.monotonic_ns(), at_last=True)
    facts = seen.facts(began, time.monotonic_ns())
    assert (facts["stops"], facts["throttled_share"]) == (0, 0.0)
    assert abs(facts["clock_step_s"]) < 0.1
    assert "not known" in facts["shared_core"]["unknown"]


def test_a_clock_that_is_set_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = Witness(NOWHERE, (0,), 1)
    wall_ns = time.time_ns
    monkeypatch.setattr("time.time_ns", lambda: wall_ns() - 60 * NS)
    assert seen.facts(0, NS)["clock_step_s"] == pytest.approx(-60, abs=1)
