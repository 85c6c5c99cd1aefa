"""Fixtures that every test may use, and rules of the whole session: nothing is left, skips are named."""

import contextlib
import gc
import itertools
import os
import re
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Sentences are compared in English, whatever the locale of whoever runs the tests.
os.environ["LOADRIG_LANG"] = "en"
# Threads of numpy and scipy wait for each other by spinning, which takes both cores from the other workers.
os.environ["OPENBLAS_NUM_THREADS"] = "1"

from loadrig.base import known_secrets
from loadrig.testing.leftovers import nothing_left_behind
from tests.lanes import LANES, Lanes, lane_of
from tests.lengths import is_full, length
from tests.pauses import pause
from tests.servers._daemon import free_port as a_free_port
from tests.warm import PARENT_OF_PROGRAMS
from tests.workers import Workers

DEADLINE_S = 60.0
"""Far above anything a test waits for, so that a slow machine fails no test; below pytest's own
time-out, so that the message says what was waited for."""


EXAMPLES_BY_DAY = 12
"""Examples of a property in a short run: a fault of the code itself is met by the first few, and what only a
rare example shows is looked for at full length, with other examples each time."""

FEW_COLLECTIONS = (20_000, 20, 100)
"""Thresholds of the collector of garbage while tests run: Python's own take 4 % of the time of a report."""

# How long an example takes depends on who else uses the cores: no test asserts it. A short run draws the same
# examples each time, so that it fails by a change and never by chance; at full length they are drawn anew.
settings.register_profile(
    "house",
    deadline=None,
    max_examples=length(EXAMPLES_BY_DAY, 300),
    derandomize=not is_full(),
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")

FOLDER_LETTERS = 24
"""Letters of a test's name in that of its folder: with its number no more than pytest takes, as the path of a
socket in it has room for 107 bytes."""

_folder_numbers = itertools.count()

_whole_lane = pytest.StashKey[contextlib.ExitStack]()


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Look for leftovers of all workers together as well, where workers run the tests."""
    has_workers = session.config.getoption("workers") or session.config.getoption("numprocesses", None)
    if has_workers and not hasattr(session.config, "workerinput"):
        session.stash[_whole_lane] = contextlib.ExitStack()
        session.stash[_whole_lane].enter_context(nothing_left_behind(threads=False))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Fail the session if its workers have left something, whichever of them it was."""
    looks = session.stash.get(_whole_lane, None)
    if looks is None or hasattr(session.config, "workerinput"):
        return
    try:
        looks.close()
    except AssertionError as leftovers:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
        print(f"\nFAILED after all workers have ended: {leftovers}")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add `--lane`, which runs only the tests of one lane, and `--workers`, which runs them in processes."""
    parser.addoption("--lane", choices=LANES, help="run only the tests of this lane (default: all tests)")
    parser.addoption("--workers", type=int, help="run the tests in so many forks of this process")


def pytest_configure(config: pytest.Config) -> None:
    """Keep the tests of the lane that is asked for, and begin the workers when they are collected."""
    config.pluginmanager.register(Lanes(config.getoption("lane")), "lanes")
    workers = config.getoption("workers")
    if workers:
        config.pluginmanager.register(Workers(workers), "workers")


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session) -> Generator[None, object, object]:
    """Keep the collector of garbage from the tests themselves: thousands, which all stay until the end.

    It would look at them again and again while they become more, and while they run.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        # What collection has left as garbage is little: to look for it among all tests takes half a second.
        gc.freeze()
        gc.set_threshold(*FEW_COLLECTIONS)
        gc.enable()


@pytest.fixture(scope="session", autouse=True)
def nothing_left_by_the_session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Want no process, thread, port, cgroup or lease to be left by all tests together.

    Leases go to a folder of the session's own: the tests neither see nor touch those of the user.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))
        with nothing_left_behind():
            try:
                yield
            finally:
                PARENT_OF_PROGRAMS.end()


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Begin to import what the program imports before the first test that may start it, and forget secrets.

    A process learns secrets to hide them; what one test has planted is none of the next. It is no fixture:
    that would be a fifth of what pytest takes for each of thousands of small tests.
    """
    if lane_of(item) != "pure":
        PARENT_OF_PROGRAMS.begin()
    known_secrets._shown_by_form = {}
    known_secrets._pattern = None


@pytest.fixture(scope="session")
def rewrites_golden(request: pytest.FixtureRequest) -> bool:
    """Return whether this run writes the golden files anew, syrupy's `snapshot` and the others alike."""
    return bool(request.config.getoption("update_snapshots"))


@pytest.fixture
def tmp_path(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return an empty folder of the test's own.

    pytest's own fixture looks for a free number in a list of the folders of all tests before: after two
    thousand tests that takes 3 ms of CPU time, longer than most tests.
    """
    folders = tmp_path_factory.getbasetemp() / "t"
    folders.mkdir(mode=0o700, exist_ok=True)
    name = re.sub(r"\W", "_", request.node.name)[:FOLDER_LETTERS]
    folder = folders / f"{name}{next(_folder_numbers)}"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def free_port() -> int:
    """Return a TCP port of 127.0.0.1 where nothing listened a moment ago."""
    return a_free_port()


@dataclass(frozen=True)
class Deadline:
    """The instant until which a test may wait. Made by the fixture `deadline`."""

    seconds: float = DEADLINE_S
    began: float = field(default_factory=time.monotonic)

    @property
    def left_s(self) -> float:
        """Seconds that are left, for the time-outs of calls; 0 when it has passed."""
        return max(0.0, self.began + self.seconds - time.monotonic())

    def wait_for(self, condition: Callable[[], object], what: str) -> None:
        """Return when the condition holds; fail the test, saying what, if it never does."""
        began = time.monotonic()
        while not condition():
            if not self.left_s:
                pytest.fail(f"waited {self.seconds:g} s in vain for {what}")
            pause(began)


@pytest.fixture
def deadline() -> Deadline:
    """Return a deadline of 60 s from now, for everything that one test waits for."""
    return Deadline()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say by name what this machine could not test, and how often."""
    if terminalreporter.config.option.collectonly:
        return
    reasons: Counter[str] = Counter()
    for report in terminalreporter.stats.get("skipped", ()):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        reasons[reason.removeprefix("Skipped: ")] += 1
    if not reasons:
        terminalreporter.write_line("not tested on this machine: nothing, no test was skipped")
        return
    terminalreporter.write_line(f"not tested on this machine: {sum(reasons.values())}")
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"  {count:4d}  {reason}")
