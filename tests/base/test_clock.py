"""Times of other clocks on the rig's clock."""

import time

import pytest

from loadrig.base import clock


def test_now_is_now_on_every_clock() -> None:
    now_ns = time.monotonic_ns()
    assert clock.from_wall(time.time_ns()) == pytest.approx(now_ns, abs=0.1e9)
    assert clock.from_boot(time.clock_gettime(time.CLOCK_BOOTTIME)) == pytest.approx(now_ns, abs=0.1e9)


def test_a_clock_that_counts_sleep_is_ahead_by_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.clock_gettime_ns", lambda _: 70 * clock.NS)
    monkeypatch.setattr("time.monotonic_ns", lambda: 50 * clock.NS)
    assert clock.from_boot(65.0) == 45 * clock.NS
