"""Forked workers run every test once and tell what each came to; one that crashes fails the session."""

import pytest

from tests.house.places import ROOT

pytest_plugins = ["pytester"]

FORKS = """
from tests.workers import Workers

def pytest_configure(config):
    config.pluginmanager.register(Workers(2), "workers")
"""

MANY = """
import os, pytest

@pytest.fixture(scope="session")
def ends_badly():
    yield
    raise RuntimeError("the end of a session")

@pytest.mark.parametrize("number", range(20))
def test_passes(number, tmp_path):
    print("captured")
    assert list(tmp_path.iterdir()) == []

def test_fails(): assert "captured" == "shown"

def test_is_skipped(): pytest.skip("no reason")

def test_whose_end_is_bad(ends_badly): pass
"""

CRASHES = """
import os, signal

def test_passes(): pass

def test_crashes(): os.kill(os.getpid(), signal.SIGKILL)

def test_is_never_begun(): pass
"""


def counted(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, **files: str
) -> tuple[int, dict[str, int], str]:
    """Return the exit code of a run by two workers, its counts by outcome, and its output."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    pytester.makeconftest(FORKS)
    pytester.makepyfile(**files)
    ran = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    return int(ran.ret), ran.parseoutcomes(), ran.stdout.str()


def test_each_test_is_run_once_and_told_with_its_outcome(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, counts, output = counted(pytester, monkeypatch, test_many=MANY, test_more=MANY)
    assert code == pytest.ExitCode.TESTS_FAILED
    # What every worker shares ends with the worker, and its last test is told of it.
    assert counts.pop("errors", 0) + counts.pop("error", 0) in (1, 2)
    assert counts == {"passed": 42, "failed": 2, "skipped": 2}
    assert "captured" in output


def test_a_worker_that_crashes_fails_its_test_and_those_that_nobody_ran(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, counts, output = counted(pytester, monkeypatch, test_crashes=CRASHES)
    assert code == pytest.ExitCode.TESTS_FAILED
    assert counts == {"passed": 1, "failed": 2}
    assert "ended with -9" in output
    assert "tests/workers.py::all" in output
