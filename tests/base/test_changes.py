"""Changes of experiments: they are changed back, and what could not be is said."""

import errno
import os
import signal
from collections.abc import Mapping
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base import changes, lease_document, networks, processes
from loadrig.base.leased import ChangeFacts
from tests.interventions import busy
from tests.wording import holding


def undone(facts: Mapping[str, object]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Undo a change with these facts, as a lease's file holds them."""
    change = lease_document.facts_of("change", facts)
    assert isinstance(change, ChangeFacts)
    return changes.undone(change)


def test_what_was_stopped_goes_on(snapshot: SnapshotAssertion) -> None:
    with busy.program() as process:
        process.send_signal(signal.SIGSTOP)
        stopped = [[process.pid, processes.start_of(process.pid)]]
        (done,), remaining = undone({"stopped": stopped})
        assert remaining == ()
        assert done.replace(str(process.pid), "PID") == snapshot
        assert busy.state(process.pid) != "T"
        # May be done twice.
        assert undone({"stopped": stopped})[1] == ()


def test_a_stranger_with_the_same_number_is_left_alone() -> None:
    with busy.program() as process:
        process.send_signal(signal.SIGSTOP)
        assert undone({"stopped": [[process.pid, 1]]}) == ((), ())
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        assert busy.state(process.pid) == "T"


def test_one_that_may_not_be_told_to_go_on_is_left(
    monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(changes, "GO_ON_WAIT_S", 0.0)
    with busy.program() as process:
        process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        with monkeypatch.context() as patch:
            patch.setattr(os, "kill", refused)
            stopped = [[process.pid, processes.start_of(process.pid)]]
            done, (remaining,) = undone({"stopped": stopped})
            assert done == ()
            assert remaining.replace(str(process.pid), "PID") == snapshot


def test_files_say_again_what_they_said(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    file, gone = tmp_path / "cpu.max", tmp_path / "gone" / "cpu.max"
    file.write_text("8000 10000")
    facts = {"written": [[str(file), "max 100000"], [str(gone), "max 100000"]]}
    (done,), remaining = undone(facts)
    assert remaining == ()
    assert done.replace(str(file), "FILE") == snapshot
    assert file.read_text() == "max 100000"


def test_a_file_that_is_not_taken_back_is_left(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    # A folder cannot be written as a file: what the kernel refuses looks the same.
    done, remaining = undone({"written": [[str(tmp_path), "50000"]]})
    assert done == ()
    assert os.strerror(errno.EISDIR) in remaining[0]
    assert [line.replace(str(tmp_path), "FILE") for line in remaining] == snapshot


def test_what_belongs_to_a_network_namespace_that_is_gone_is_written_nowhere(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    file = tmp_path / "tcp_fin_timeout"
    file.write_text("60")
    # No namespace has this number: the kernel gives them numbers far above.
    done, remaining = undone({"written": [[str(file), "33"]], "network": 1})
    assert remaining == ()
    assert done == snapshot
    assert file.read_text() == "60"


def test_what_says_neither_what_it_said_nor_what_was_written_is_left_as_it_is(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    file, other = tmp_path / "somaxconn", tmp_path / "ip_local_port_range"
    file.write_text("999\n")
    other.write_text("10000\t20000\n")
    facts = {
        "written": [[str(file), "4096"], [str(other), "32768\t60999"]],
        "wrote": [[str(file), "17"], [str(other), "10000\t20000"]],
        "network": networks.own(),
    }
    done, remaining = undone(facts)
    assert remaining == ()
    (alone,) = holding(done, str(file))
    assert alone.replace(str(file), "FILE") == snapshot
    assert file.read_text() == "999\n"
    assert other.read_text() == "32768\t60999"


def test_a_quota_is_written_back_in_an_order_that_the_kernel_takes(tmp_path: Path) -> None:
    writes = []

    class WatchedPath(type(tmp_path)):  # type: ignore[misc]
        def write_text(self, text: str, **_: object) -> int:
            writes.append((self.name, text))
            return len(text)

    quota_us, period_us = tmp_path / "cpu.cfs_quota_us", tmp_path / "cpu.cfs_period_us"
    quota_us.touch()
    period_us.touch()
    facts = {"written": [[str(quota_us), "50000"], [str(period_us), "100000"], [str(quota_us), "-1"]]}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(changes, "Path", WatchedPath)
        done, remaining = undone(facts)
    names = ("cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.cfs_quota_us")
    assert writes == list(zip(names, ("-1", "100000", "50000"), strict=True))
    assert remaining == ()
    assert sorted(line.rpartition("/")[2] for line in done) == [
        "cpu.cfs_period_us is 100000 again", "cpu.cfs_quota_us is 50000 again",
    ]  # fmt: skip
