"""A run's folder that somebody else made: it is read or refused, fills no memory, and leads nowhere."""

import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loadrig.base import user_files
from loadrig.base.errors import PlanError
from loadrig.base.exits import Exit
from loadrig.recording import lines
from loadrig.recording.files import write_named, write_whole
from loadrig.recording.lines import objects
from tests.integration.dying import command

pytestmark = pytest.mark.timeout(20)


def test_a_packed_line_that_would_fill_all_memory_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "LONGEST_BYTES", 1_000_000)
    path = tmp_path / "frames.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n{"a": "' + b"x" * 3_000_000))
    rows = objects(path)
    assert next(rows) == {"a": 1}
    with pytest.raises(PlanError, match="cannot be read") as refused:
        next(rows)
    assert "line 2 is longer" in refused.value.problems[0].why


@pytest.mark.parametrize(
    "content",
    [b"\x1f\x8b\x08 not packed", gzip.compress(b'{"a": 1}\n' * 1_000)[:-20], b"plain\n"],
    # The packed bytes hold the time, and two workers would name the test differently.
    ids=["rubbish", "cut", "plain"],
)
def test_what_is_not_packed_as_it_says_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "frames.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(PlanError, match="cannot be read"):
        list(objects(path))


def test_a_pipe_among_the_files_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "events.jsonl"
    os.mkfifo(path)
    with pytest.raises(PlanError) as refused:
        list(objects(path))
    assert "FIFO" in refused.value.problems[0].why


def of_a_pipe(path: Path) -> None:
    os.mkfifo(path)


def of_a_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def of_ten_gigabytes(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(10_000_000_000)


@pytest.mark.parametrize("make", [of_a_pipe, of_a_device, of_ten_gigabytes])
@pytest.mark.parametrize("name", ["result.json", "trials/0001/manifest.json"])
def test_a_document_that_has_no_end_is_refused(
    name: str, make: Callable[[Path], None], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run" / name
    path.parent.mkdir(parents=True)
    make(path)
    words = ("report", "run") if name == "result.json" else ("report", "run/trials/0001")
    here = Path.cwd()
    os.chdir(tmp_path)
    try:
        told = command(capsys, *words)
    finally:
        os.chdir(here)
    assert told.code == Exit.PLAN_WRONG, told.out + told.err
    assert "Traceback" not in told.err


def test_a_document_has_room_for_a_large_study() -> None:
    assert user_files.MOST_DOCUMENT_BYTES >= 16 * user_files.MOST_TEXT_BYTES


@pytest.mark.parametrize("write", [write_whole, write_named])
def test_a_link_in_place_of_a_draft_leads_nowhere(write: Callable[[Path, str], None], tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept", encoding="utf-8")
    (tmp_path / "report.html.draft").symlink_to(victim)
    write(tmp_path / "report.html", "page")
    assert victim.read_text(encoding="utf-8") == "kept"
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "page"
    assert not (tmp_path / "report.html").is_symlink()
    assert not (tmp_path / "report.html.draft").exists()


def test_a_link_in_place_of_a_page_is_replaced_and_what_it_leads_to_is_kept(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept", encoding="utf-8")
    (tmp_path / "report.html").symlink_to(victim)
    write_whole(tmp_path / "report.html", "page")
    assert victim.read_text(encoding="utf-8") == "kept"
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "page"
