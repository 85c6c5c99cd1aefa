"""Tests go to lanes by their markers, whole files to one worker, and the closing line counts them all."""

import contextlib
import importlib
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

import pytest

from tests.conftest import DEADLINE_S
from tests.house.places import ROOT
from tests.lanes import FIRST, TOGETHER, Lanes, group_of
from tests.servers._daemon import FIRST_PORT, MOST_WORKERS, PORTS_A_WORKER

FIRST_PORT_OF_THE_SYSTEM = 32_768
"""Linux's default lower end of the ports that connections get by themselves."""

pytest_plugins = ["pytester"]

SAMPLE = """
import pytest

def test_pure(): pass

@pytest.mark.integration
def test_waits(): pass

@pytest.mark.integration
@pytest.mark.quiet
def test_quiet(): pass

@pytest.mark.integration
@pytest.mark.nightly
def test_long(): pass
"""


def run_names(pytester: pytest.Pytester, lane: str | None) -> list[str]:
    """Return the names of the tests that are run in a lane."""
    pytester.makepyfile(test_sample=SAMPLE, test_other="def test_alone(): pass")
    pytester.makeini("[pytest]\nmarkers =\n    integration: real\n    quiet: alone\n    nightly: long\n")
    # In this process, of which syrupy keeps one folder of golden files: that of the outer run is to stay.
    ran = pytester.inline_run("-p", "no:syrupy", plugins=[Lanes(lane)])
    return sorted(report.nodeid.partition("::")[2] for report in ran.listoutcomes()[0])


@pytest.mark.parametrize(
    ("lane", "expected"),
    [
        ("pure", ["test_alone", "test_pure"]),
        ("waits", ["test_waits"]),
        ("quiet", ["test_quiet"]),
        (None, ["test_alone", "test_long", "test_pure", "test_quiet", "test_waits"]),
    ],
)
def test_a_test_runs_in_the_lane_of_its_most_demanding_marker(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, lane: str | None, expected: Sequence[str]
) -> None:
    monkeypatch.delenv("LOADRIG_LENGTH", raising=False)
    assert run_names(pytester, lane) == expected


def test_what_takes_long_is_in_its_lane_at_full_length_alone(
    pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LOADRIG_LENGTH", "full")
    assert run_names(pytester, "waits") == ["test_long", "test_waits"]


def test_files_that_share_what_a_machine_has_once_are_of_one_group() -> None:
    assert group_of("tests/probes/test_node.py::test_a[x::y]") == group_of(
        "tests/profilers/test_missing.py::test_b"
    )
    assert group_of("tests/base/test_units.py::test_a") != group_of("tests/base/test_values.py::test_a")


def test_files_that_the_lanes_name_are_there() -> None:
    assert [file for file in (*TOGETHER, *FIRST) if not (ROOT / file).is_file()] == []


def test_an_unknown_lane_is_refused() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "lanes.py", "loud"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert "loud" in done.stderr


JUNIT = """<testsuites><testsuite>
<testcase classname="tests.base.test_a" name="test_a" time="1.5"/>
<testcase classname="tests.base.test_a" name="test_b" time="0.5"><failure message="x"/></testcase>
<testcase classname="tests.base.test_a" name="test_c" time="0"><skipped message="no redis here"/></testcase>
</testsuite></testsuites>"""

CARGO = """test result: ok. 57 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.77s
test result: FAILED. 3 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.96s
"""


@pytest.fixture
def lanes_of_tests(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("lanes")


def test_tracks_run_beside_each_other_and_lanes_of_a_track_one_after_the_other(
    lanes_of_tests: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    meeting, ended = threading.Barrier(2, timeout=DEADLINE_S), []

    def run_lane(lane: str) -> object:
        if lane in ("cargo", "pure"):
            meeting.wait()
        ended.append(lane)
        return lanes_of_tests.LaneOutcome(lane, 0.0, is_good=True)

    monkeypatch.setattr(lanes_of_tests, "run_lane", run_lane)
    outcomes = lanes_of_tests.run_stage(lanes_of_tests.STAGES[0])
    assert [(outcome.lane, outcome.is_good) for outcome in outcomes] == [
        ("cargo", True),
        ("waits", True),
        ("pure", True),
    ]
    assert ended.index("cargo") < ended.index("waits")


def test_what_lanes_leave_when_all_have_ended_is_a_failure_of_them_all(
    lanes_of_tests: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @contextlib.contextmanager
    def something_left(threads: bool) -> Iterator[None]:
        yield
        raise AssertionError("left behind: a server")

    monkeypatch.setattr(lanes_of_tests, "nothing_left_behind", something_left)
    monkeypatch.setattr(
        lanes_of_tests, "run_lane", lambda lane: lanes_of_tests.LaneOutcome(lane, 0.0, is_good=True)
    )
    outcomes = lanes_of_tests.run_stage([["cargo"], ["pure"]])
    assert [outcome.is_good for outcome in outcomes] == [False, False]
    assert "a server" in capsys.readouterr().out


def test_a_lane_is_told_that_others_run_beside_it_and_what_it_says_is_kept(
    lanes_of_tests: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(lanes_of_tests, "RESULTS", tmp_path)
    code = "import os; print(os.environ['LOADRIG_TESTS_BESIDE_OTHERS'], os.environ['LOADRIG_FIRST_WORKER'])"
    monkeypatch.setattr(lanes_of_tests, "COMMANDS", {"pure": (sys.executable, "-c", code)})
    # It has written no results, so it has failed although it ended with 0.
    assert not lanes_of_tests.run_lane("pure").is_good
    assert (tmp_path / "pure.log").read_text() == "1 0\n"


def test_lanes_beside_each_other_have_workers_and_so_ports_of_their_own(lanes_of_tests: ModuleType) -> None:
    workers = {
        lane: int(command[command.index("--workers") + 1])
        for lane, command in lanes_of_tests.COMMANDS.items()
        if lane in lanes_of_tests.FIRST_WORKERS
    }
    numbers = [
        first + n for lane, first in lanes_of_tests.FIRST_WORKERS.items() for n in range(workers[lane])
    ]
    assert sorted(numbers) == list(range(len(numbers)))
    assert len(numbers) <= MOST_WORKERS
    assert FIRST_PORT + MOST_WORKERS * PORTS_A_WORKER <= FIRST_PORT_OF_THE_SYSTEM


def closing_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the exit code that a summary of one lane of pytest's and one of cargo's ends with."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import lanes  # type: ignore[import-not-found]

    monkeypatch.setattr(lanes, "RESULTS", tmp_path)
    (tmp_path / "pure.xml").write_text(JUNIT)
    (tmp_path / "cargo.log").write_text(CARGO)
    outcomes = [lanes.outcome_of("pure", 2.0, 1), lanes.outcome_of("cargo", 1.0, 0)]
    return int(lanes.tell(outcomes))


def test_the_closing_line_counts_every_lane_and_names_what_was_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert closing_code(tmp_path, monkeypatch) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "61 passed, 2 failed, 1 skipped"
    assert any("no redis here" in line for line in lines)
    assert "failed: tests.base.test_a::test_b: x" in lines
    assert any("scripts/test.sh pure" in line for line in lines)


def test_more_skips_than_are_allowed_are_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import lanes

    monkeypatch.setattr(lanes, "RESULTS", tmp_path)
    (tmp_path / "waits.xml").write_text(JUNIT.replace('<failure message="x"/>', ""))
    for most, code in (("1", 0), ("0", 1)):
        monkeypatch.setenv("LOADRIG_MOST_SKIPPED", most)
        assert lanes.tell([lanes.outcome_of("waits", 1.0, 0)]) == code


def test_a_lane_that_wrote_nothing_has_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    import lanes

    monkeypatch.setattr(lanes, "RESULTS", tmp_path)
    assert not lanes.outcome_of("quiet", 1.0, 0).is_good
