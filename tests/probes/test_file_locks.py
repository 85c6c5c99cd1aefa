"""Locks of files: SQLite's, of two processes that write in turn, and flock's, in which others stand."""

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace

import pytest

from loadrig.probes.file_locks import FileLock, FileLocksWatch, parse_locks
from tests.conftest import Deadline

WRITERS = """\
import os, sqlite3, sys, time
if os.fork() == 0:
    time.sleep(0.05)
base = sqlite3.connect(sys.argv[1], timeout=30, isolation_level=None)
base.execute("PRAGMA journal_mode=" + sys.argv[2])
base.execute("CREATE TABLE IF NOT EXISTS t (n)")
end = time.monotonic() + 30
while time.monotonic() < end:
    base.execute("BEGIN IMMEDIATE")
    base.execute("INSERT INTO t VALUES (1)")
    time.sleep(0.02)
    base.execute("COMMIT")
"""

STANDING = """\
import fcntl, os, sys, time
if os.fork() == 0:
    time.sleep(0.2)
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
time.sleep(30)
"""


@contextmanager
def program(text: str, *words: str) -> Iterator[int]:
    """Run a program and its child, in a group of their own."""
    process = subprocess.Popen([sys.executable, "-c", text, *words], process_group=0)
    try:
        yield process.pid
    finally:
        os.killpg(process.pid, 9)
        process.wait()


def values(watch: FileLocksWatch) -> dict[tuple[str, str], float]:
    watch._due_ns = 0
    return {(sample.metric, sample.subject): sample.value for sample in watch.sample(time.monotonic_ns())}


def test_locks_for_writing_are_read_and_who_waits_for_one() -> None:
    text = (
        "1: FLOCK  ADVISORY  WRITE 24043 fe:00:9987938 0 EOF\n"
        "1: -> FLOCK  ADVISORY  WRITE 23475 fe:00:9987938 0 EOF\n"
        "2: POSIX  ADVISORY  READ 7 fe:00:5 1073741826 1073742335\n"
        "3: POSIX  ADVISORY  WRITE 7 fe:00:5 1073741825 1073741825\n"
        "4: OFDLCK ADVISORY  WRITE -1 fe:00:6 0 EOF\n"
        "5: FLOCK  ADVISORY\n\n"
    )
    assert list(parse_locks(text)) == [
        FileLock(24043, "fe:00:9987938", False), FileLock(23475, "fe:00:9987938", True),
        FileLock(7, "fe:00:5", False),
    ]  # fmt: skip


@pytest.mark.integration
@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_the_lock_that_writers_of_sqlite_hand_on_is_seen_by_the_name_of_their_database(
    mode: str, tmp_path: Path, deadline: Deadline
) -> None:
    with program(WRITERS, str(tmp_path / "shop.db"), mode) as pid:
        watch = FileLocksWatch(pid)
        deadline.wait_for(lambda: values(watch).get(("held", "shop.db")) == 1.0, "a lock that is held")


@pytest.mark.integration
def test_whoever_stands_in_the_kernel_for_a_lock_is_counted(tmp_path: Path, deadline: Deadline) -> None:
    with program(STANDING, str(tmp_path / "sess_1")) as pid:
        watch = FileLocksWatch(pid)
        watch._kept.clear()  # whether it was there first depends on who was quicker
        deadline.wait_for(lambda: values(watch).get(("waiting", "sess_1")) == 1.0, "somebody who waits")
        assert values(watch)["held", "sess_1"] == 1.0


def test_a_lock_that_was_there_before_is_left_out_until_it_is_given_back(tmp_path: Path) -> None:
    with (tmp_path / "ibdata1").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        watch = FileLocksWatch(os.getpid())
        assert values(watch) == {}
        fcntl.flock(file, fcntl.LOCK_UN)
        assert values(watch) == {}
        fcntl.flock(file, fcntl.LOCK_EX)
        assert values(watch)["held", "ibdata1"] == 1.0
        fcntl.flock(file, fcntl.LOCK_UN)
        assert values(watch)["held", "ibdata1"] == 0.0


def test_a_table_that_takes_long_is_read_less_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    watch, spent = FileLocksWatch(os.getpid()), iter([0.0, 0.03] * 3)
    monkeypatch.setattr("loadrig.probes.file_locks.time", SimpleNamespace(thread_time=lambda: next(spent)))
    with (tmp_path / "file").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        read_at = [second for second in range(40) if watch.sample(second * 10**9)]
    assert read_at == [0, 15, 30]


def test_locks_of_others_are_none_of_a_programs(tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "30"]) as other, (tmp_path / "file").open("w") as file:
        watch = FileLocksWatch(other.pid)
        fcntl.flock(file, fcntl.LOCK_EX)
        assert values(watch) == {}
        other.kill()
