"""A disk that is full, or cannot be written: what was measured is kept, and everybody is told."""

import errno
import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from loadrig.base.errors import VoidError
from loadrig.base.exits import Exit
from loadrig.base.series import Event, Sample
from loadrig.recording import writer as writing
from loadrig.recording.files import Appender, failure, write_whole
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_frame, row

NS = 1_000_000_000
needs_tmpfs = pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small tmpfs takes root")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Yield a real file system of 256 KiB."""
    where = tmp_path / "small"
    where.mkdir()
    options = ["-t", "tmpfs", "-o", "size=256k", "tmpfs"]
    mounted = subprocess.run(["mount", *options, str(where)], capture_output=True, text=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.strip()}")
    try:
        yield where
    finally:
        # Lazy: what a failed test still has open must not keep it from going.
        subprocess.run(["umount", "--lazy", str(where)], check=True)


def fill(writer: TrialWriter, folder: TrialFolder) -> tuple[int, VoidError]:
    """Write frames until the disk is full; returns how many went in, and the error."""
    start_ns = Recording.open(folder.path).manifest.monotonic_ns
    for n in range(100_000):
        try:
            writer.frame(
                engine_frame(n, start_ns + n * NS, NS, [row("ok", [0.01, 0.02]), row("reset", [0.5])])
            )
        except VoidError as full:
            return n, full
    raise AssertionError("the disk was never full")


@pytest.mark.integration
@needs_tmpfs
def test_a_full_disk_is_said_and_loses_nothing_that_was_written(small_disk: Path) -> None:
    folder = TrialFolder(small_disk / "0001")
    with TrialWriter(folder, {"plan_name": "full"}) as writer:
        writer.samples([Sample(1, "p", "m", "", 1.0)])
        writer.event(Event(1, "phase", "warm_up", ""))
        written, full = fill(writer, folder)
        assert full.exit is Exit.VOID
        problem = full.problems[0]
        assert problem.code == "recording.disk-full"
        assert str(folder.path) in problem.what
        assert "--out" in problem.mend
        # From then on every thread gets to know, and no one adds to what is there.
        attempts: list[Callable[[], None]] = [
            lambda: writer.samples([Sample(2, "p", "m", "", 2.0)]),
            lambda: writer.event(Event(2, "note", "", "")),
            lambda: writer.manifest_update(ended="never"),
            writer.seal,
        ]
        for attempt in attempts:
            with pytest.raises(VoidError, match="no space"):
                attempt()
    recording = Recording.open(folder.path)
    assert not recording.is_sealed
    assert written > 10
    assert [frame.n for frame in recording.frames] == list(range(written))
    assert recording.histogram(outcome="ok").count == 2 * written
    assert recording.histogram(outcome="failed").count == written
    assert [event.kind for event in recording.events] == ["phase"]
    assert recording.manifest.plan_name == "full"


@pytest.mark.integration
@needs_tmpfs
def test_what_does_not_fit_whole_is_taken_back(small_disk: Path) -> None:
    log = Appender(small_disk / "log")
    log.append(b"first\n")
    with pytest.raises(VoidError):
        log.append(b"x" * 1_000_000)
    log.append(b"second\n")
    log.close()
    assert (small_disk / "log").read_bytes() == b"first\nsecond\n"


@pytest.mark.integration
@needs_tmpfs
def test_a_file_that_cannot_be_replaced_stays_as_it_was(small_disk: Path) -> None:
    path = small_disk / "manifest.json"
    write_whole(path, "old")
    with pytest.raises(VoidError) as failed:
        write_whole(path, "x" * 1_000_000)
    assert failed.value.problems[0].code == "recording.disk-full"
    assert [path.name for path in small_disk.iterdir()] == ["manifest.json"]
    assert path.read_text() == "old"


@pytest.mark.integration
@needs_tmpfs
def test_a_disk_that_is_full_when_sealing_leaves_a_readable_folder(
    small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(writing, "FLUSH_NS", 0)
    folder = TrialFolder(small_disk / "0001")
    with TrialWriter(folder, {}) as writer:
        start_ns = Recording.open(folder.path).manifest.monotonic_ns
        writer.frame(engine_frame(0, start_ns, NS, [row("ok", [0.01])]))
        # Random words do not compress: their Parquet file takes more than the 12 KiB that are left.
        writer.samples([Sample(t, "p", os.urandom(16).hex(), "", float(t)) for t in range(1000)])
        free = os.statvfs(small_disk).f_bavail * os.statvfs(small_disk).f_frsize
        (small_disk / "filler").write_bytes(b"x" * (free - 12_288))
        with pytest.raises(VoidError) as failed:
            writer.seal()
    assert failed.value.problems[0].code == "recording.disk-full"
    assert not list(folder.path.glob("*.draft"))
    recording = Recording.open(folder.path)
    assert not recording.is_sealed
    assert len(recording.frames) == 1
    assert len(recording.series()) == 1000


def test_other_failures_have_another_code(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VoidError) as failed:
        TrialWriter(TrialFolder(tmp_path / "file" / "0001"), {})
    assert failed.value.problems[0].code == "recording.cannot-write"
    with pytest.raises(VoidError) as failed:
        RunFolder(tmp_path / "file" / "run").create("")
    assert failed.value.problems[0].code == "recording.cannot-write"


def test_a_used_up_quota_is_named_as_such() -> None:
    problem = failure(Path("runs/1/frames.jsonl"), OSError(errno.EDQUOT, "Disk quota exceeded")).problems[0]
    assert problem.code == "recording.disk-full"
    assert "quota" in problem.what


def test_a_file_that_is_there_is_not_appended_to(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("somebody else's")
    with pytest.raises(VoidError) as failed:
        Appender(tmp_path / "log")
    assert failed.value.problems[0].code == "recording.cannot-write"
    assert (tmp_path / "log").read_text() == "somebody else's"


def test_a_writer_that_cannot_begin_leaves_no_descriptor_open(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    folder.path.mkdir()
    folder.latency.write_text("in the way")
    before = sorted(os.listdir("/proc/self/fd"))
    with pytest.raises(VoidError):
        TrialWriter(folder, {})
    assert sorted(os.listdir("/proc/self/fd")) == before
