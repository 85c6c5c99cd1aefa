"""Tests that what a run leaves is for its owner's eyes, and that a named file is as the umask says."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from loadrig import report
from loadrig.recording.files import write_named
from loadrig.recording.layout import RunFolder, TrialFolder
from tests.report.folders import single

from .written import write


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    """Yield the most open umask that is common, so that modes are ours and not the machine's."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_runs_folder_and_plan_are_the_owners_alone(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "deep" / "run")
    run.create("loadrig: 1\n")
    assert [mode(path) for path in (run.path, run.trials, run.plan)] == [0o700, 0o700, 0o600]


def test_an_empty_folder_that_was_there_becomes_the_owners_alone(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    RunFolder(tmp_path).create(None)
    assert mode(tmp_path) == 0o700


def test_the_folder_of_all_runs_is_the_owners_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RunFolder.fresh(None, "x").create(None)
    assert mode(tmp_path / "runs") == 0o700


def test_every_file_of_a_sealed_trial_is_the_owners_and_read_only(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "run" / "trials" / "0001")
    write(folder, [])
    assert mode(folder.path) == 0o700
    assert {mode(path) for path in folder.path.iterdir()} == {0o400}


def test_the_page_in_a_runs_folder_is_the_owners_and_one_that_is_named_is_as_usual(tmp_path: Path) -> None:
    folder = single(tmp_path / "run")
    assert mode(report.write_html(folder)) == 0o600
    assert mode(report.write_html(folder, tmp_path / "page.html")) == 0o644


def test_a_named_file_is_as_it_was_where_it_cannot_be_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.html"
    page.write_text("before")

    def no_space(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        write_named(page, "after")
    assert page.read_text() == "before"
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


def test_a_named_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_named(pipe, "page")
        assert os.read(reading, 10) == b"page"
    finally:
        os.close(reading)
    assert pipe.is_fifo()
