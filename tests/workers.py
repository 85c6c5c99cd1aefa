"""Workers that share what collecting the tests costs: `--workers N` forks them when all are collected.

Each worker is a process that has all modules of the tests, and takes group after group of them
(`tests.lanes.group_of`), in their order, until none is left. This process tells what they report.
To plugins each is a worker of pytest-xdist. That itself has every worker import and collect all tests for
itself: five to nine seconds of CPU time, and ten more in a fresh clone, where assertions are rewritten.
"""

import atexit
import os
import struct
import sys
import traceback
import warnings
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from multiprocessing.connection import Connection, Pipe, wait
from types import SimpleNamespace
from typing import Any

import pytest
from _pytest._io import TerminalWriter

from tests.lanes import group_of

GROUP_NUMBER = struct.Struct("!H")
"""Number of a group, as workers read it from the pipe that they share. A pipe holds 64 kB of them."""

TELLS_ALONE = ("terminalreporter", "LogXML")
"""Plugins, by name or class, that tell what tests came to: a worker is without them."""

CRASHED = 1
"""Exit code of a worker that could not go on."""


class Workers:
    """The plugin: runs the tests in `count` workers."""

    def __init__(self, count: int) -> None:
        self._count = count

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Fork the workers, and tell what they report until all have ended."""
        if session.config.option.collectonly or session.testsfailed or not session.items:
            return None
        groups: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            groups.setdefault(group_of(item.nodeid), []).append(item)
        tasks, numbers = os.pipe()
        os.write(numbers, b"".join(GROUP_NUMBER.pack(number) for number in range(len(groups))))
        os.close(numbers)
        # Made here, as two workers would make it at once.
        session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        sys.stdout.flush()
        sys.stderr.flush()
        crew = [ForkedWorker(session, number, list(groups.values()), tasks) for number in range(self._count)]
        os.close(tasks)
        try:
            _tell(session, crew)
        finally:
            for worker in crew:
                worker.wait()
        return True


class ForkedWorker:
    """A worker, as the process that has forked it sees it. running: the test that it has begun."""

    def __init__(
        self, session: pytest.Session, number: int, groups: Sequence[Sequence[pytest.Item]], tasks: int
    ) -> None:
        self.number = number
        self.running: tuple[str, tuple[str, int | None, str]] | None = None
        self._code: int | None = None
        self.reports, reporting = Pipe(duplex=False)
        self.pid = os.fork()
        if self.pid == 0:
            self.reports.close()
            _become(session, number, groups, tasks, reporting)
        reporting.close()

    def wait(self) -> int:
        """Return the exit code of the process when it has ended; below 0 of a signal."""
        if self._code is None:
            self._code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self._code


def _tell(session: pytest.Session, crew: Sequence[ForkedWorker]) -> None:
    """Tell what workers report. Fail the session for each that crashed, and for tests that nobody ran."""
    at_work = {worker.reports: worker for worker in crew}
    waiting = len(session.items)
    while at_work:
        for reports in wait(list(at_work)):
            assert isinstance(reports, Connection)
            worker = at_work[reports]
            try:
                what, about = reports.recv()
            except EOFError:
                del at_work[reports]
                _fail(session, worker.running, f"worker {worker.number} ended with {worker.wait()}")
                continue
            if what == "ended":
                del at_work[reports]
                node = SimpleNamespace(workeroutput=about, config=session.config)
                session.config.hook.pytest_testnodedown(node=node, error=None)
                continue
            waiting -= what == "logfinish"
            _tell_of_a_test(session, worker, what, about)
    if waiting:
        _fail(session, None, f"{waiting} tests were not run")


def _tell_of_a_test(session: pytest.Session, worker: ForkedWorker, what: str, about: Any) -> None:
    hook = session.config.hook
    if what == "logstart":
        worker.running = about
        hook.pytest_runtest_logstart(nodeid=about[0], location=about[1])
    elif what == "logfinish":
        worker.running = None
        hook.pytest_runtest_logfinish(nodeid=about[0], location=about[1])
    elif what == "warning":
        hook.pytest_warning_recorded.call_historic(kwargs=about)
    else:
        report = hook.pytest_report_from_serializable(config=session.config, data=about)
        hook.pytest_runtest_logreport(report=report)


def _fail(
    session: pytest.Session, running: tuple[str, tuple[str, int | None, str]] | None, reason: str
) -> None:
    nodeid, location = running or ("tests/workers.py::all", ("tests/workers.py", None, "all"))
    report = pytest.TestReport(nodeid, location, {}, "failed", reason, "call")
    session.config.hook.pytest_runtest_logreport(report=report)


def _become(
    session: pytest.Session,
    number: int,
    groups: Sequence[Sequence[pytest.Item]],
    tasks: int,
    reports: Connection,
) -> None:
    """Run tests until none is left, and end this process."""
    code = CRASHED
    try:
        _adapt(session.config, number, reports)
        try:
            _run(_own_tests(groups, tasks))
        finally:
            session.config.hook.pytest_sessionfinish(session=session, exitstatus=session.exitstatus)
        reports.send(("ended", session.config.workeroutput))  # type: ignore[attr-defined]
        code = 0
    except BaseException:
        traceback.print_exc()
    finally:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _adapt(config: pytest.Config, number: int, reports: Connection) -> None:
    """Make of the fork of a session a worker's: with folders and captured output of its own."""
    # What was to be done at the end of the other process is none of this one's, whose folders are its own.
    atexit._clear()
    name = f"gw{number}"
    os.environ["PYTEST_XDIST_WORKER"] = name
    config.workerinput = {"workerid": name}  # type: ignore[attr-defined]
    config.workeroutput = {}  # type: ignore[attr-defined]
    plugins = config.pluginmanager
    for plugin_name, plugin in plugins.list_name_plugin():
        if plugin_name in TELLS_ALONE or type(plugin).__name__ in TELLS_ALONE:
            plugins.unregister(plugin)
    # Stacks of a test that hangs are written there, and a plugin of this name is asked for the place.
    plugins.register(SimpleNamespace(_tw=TerminalWriter(sys.stderr)), "terminalreporter")
    plugins.register(_Sender(config, reports), "sender")
    capture: Any = plugins.get_plugin("capturemanager")
    # The files that output is captured in are those of the other process, too: each writes over the other's.
    capture.stop_global_capturing()
    capture.start_global_capturing()
    capture.suspend_global_capture()
    folders = config._tmp_path_factory  # type: ignore[attr-defined]
    own = folders.getbasetemp() / name
    own.mkdir(mode=0o700)
    folders._basetemp = own


def _own_tests(groups: Sequence[Sequence[pytest.Item]], tasks: int) -> Iterator[pytest.Item]:
    """Yield the tests of each group that this worker takes."""
    while number := os.read(tasks, GROUP_NUMBER.size):
        yield from groups[GROUP_NUMBER.unpack(number)[0]]


def _run(items: Iterator[pytest.Item]) -> None:
    """Run tests, each of which is told the one after it: fixtures that both use stay."""
    for item, following in pairwise(chain(items, (None,))):
        assert item is not None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


class _Sender:
    """The plugin of a worker: sends what it would tell to the process that has forked it."""

    def __init__(self, config: pytest.Config, reports: Connection) -> None:
        self._config = config
        self._reports = reports

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._reports.send(("logstart", (nodeid, location)))

    def pytest_runtest_logfinish(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._reports.send(("logfinish", (nodeid, location)))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        data = self._config.hook.pytest_report_to_serializable(config=self._config, report=report)
        self._reports.send(("report", data))

    def pytest_warning_recorded(
        self,
        warning_message: warnings.WarningMessage,
        when: str,
        nodeid: str,
        location: tuple[str, int, str] | None,
    ) -> None:
        # Its category may be of a module that cannot be sent; the text names what it is.
        message = warnings.WarningMessage(
            str(warning_message.message), UserWarning, warning_message.filename, warning_message.lineno
        )
        about = {"warning_message": message, "when": when, "nodeid": nodeid, "location": location}
        self._reports.send(("warning", about))
