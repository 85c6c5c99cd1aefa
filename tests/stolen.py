"""A test of real servers that fails while the hypervisor runs other machines is run again.

What such a test measures is then the hypervisor: loadrig itself calls such a trial void. A failure while
nothing was stolen is never repeated, and neither is one of a test that starts no server. If every try was
stolen from, the test is skipped by name, and the summary counts it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_timeout
from _pytest.runner import runtestprotocol

TRIES = 3

STOLEN = 0.02
"""Share of one core's time, the mean of a whole test: as little as this disturbs nobody."""

QUIET_WITHIN_S = 20.0
"""Spells of theft last longer than a test: the next try waits for their end, but not for ever."""

REASON = f"the hypervisor took this machine's cores away in each of {TRIES} tries"

_STAT = Path("/proc/stat")
_STEAL = 8
_JIFFY_S = 0.01
"""Linux counts CPU time to users in hundredths of a second on all its architectures."""


def stolen_s() -> dict[str, float]:
    """Seconds stolen from each core since it was started. Source: proc(5), /proc/stat."""
    words = (line.split() for line in _STAT.read_text("ascii").splitlines())
    return {one[0]: int(one[_STEAL]) * _JIFFY_S for one in words if one[0][:3] == "cpu" and one[0] != "cpu"}


@dataclass
class Watch:
    """What was stolen since it was made. read: seconds for each core; clock: seconds."""

    read: Callable[[], dict[str, float]] = stolen_s
    clock: Callable[[], float] = time.monotonic

    def __post_init__(self) -> None:
        self._began, self._before = self.clock(), self.read()

    @property
    def share(self) -> float:
        """Of the core from which most was stolen, a share of its time."""
        seconds = max(self.clock() - self._began, _JIFFY_S)
        stolen = (now - self._before.get(core, now) for core, now in self.read().items())
        return max(stolen, default=0.0) / seconds


def wait_for_quiet(watch: Callable[[], Watch] = Watch, sleep: Callable[[float], None] = time.sleep) -> None:
    """Return after a second in which little was stolen, at the latest after `QUIET_WITHIN_S`."""
    for _ in range(int(QUIET_WITHIN_S)):
        second = watch()
        sleep(1.0)
        if second.share < STOLEN:
            return


class Repeats:
    """The plugin: runs the tests marked `integration`. watch, wait: its clock and its pause."""

    def __init__(self, watch: Callable[[], Watch] = Watch, wait: Callable[[], None] = wait_for_quiet) -> None:
        self._watch, self._wait = watch, wait

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run the test until it passes, or fails undisturbed, or has been tried often enough."""
        if item.get_closest_marker("integration") is None:
            return None
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        reports = self._tried(item, nextitem)
        for report in reports:
            item.ihook.pytest_runtest_logreport(report=report)
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    def _tried(self, item: pytest.Item, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
        for left in reversed(range(TRIES)):
            watch = self._watch()
            reports = runtestprotocol(item, log=False, nextitem=nextitem)
            if not any(report.failed for report in reports) or watch.share < STOLEN:
                return reports
            if left:
                _without_timer(item, self._wait)
        for report in reports:
            if report.failed:
                report.outcome = "skipped"
                report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {REASON}")
        return reports


def _without_timer(item: pytest.Item, wait: Callable[[], None]) -> None:
    """Each try has the whole of the test's time, and the pause is no part of it."""
    hooks = item.config.pluginmanager.hook
    hooks.pytest_timeout_cancel_timer(item=item)
    wait()
    settings = pytest_timeout._get_item_settings(item)
    if settings.timeout:
        hooks.pytest_timeout_set_timer(item=item, settings=settings)
