"""A run's folder that somebody else made: it is read or refused, fills no memory, and leads nowhere."""

import errno
import gzip
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from loadrig.base import user_files
from loadrig.base.errors import PlanError
from loadrig.base.exits import Exit
from loadrig.base.series import Event
from loadrig.profilers._recorded import profiles_of
from loadrig.recording import events, hlog, lines, series_store
from loadrig.recording.files import write_named, write_whole
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.lines import objects
from loadrig.recording.reader import Recording
from tests.integration.dying import command
from tests.integration.recorded_runs import recorded_run

PLAN = "loadrig: 1\ntarget: {external: 'http://127.0.0.1:9'}\nworkload: {users: 2, requests: [{get: /}]}\n"

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


def test_a_packed_file_of_good_lines_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lines, "MOST_BYTES", 1_000_000)
    path = tmp_path / "frames.jsonl.gz"
    path.write_bytes(gzip.compress(b'{"a": 1}\n' * 1_000_000))
    with pytest.raises(PlanError) as refused:
        list(objects(path))
    assert refused.value.problems[0].code == "recording.broken"


def test_a_line_of_the_latency_log_that_would_fill_all_memory_is_refused(
    trial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as smaller:
        smaller.setattr(hlog, "LONGEST_BYTES", 100)
        with pytest.raises(PlanError) as refused:
            Recording.open(trial).histogram()
    assert refused.value.problems[0].code == "recording.broken"
    Recording.open(trial).histogram()


def test_parquet_that_says_it_holds_more_rows_than_memory_does_is_refused(
    trial: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series_store, "MOST_ROWS", 1)
    with pytest.raises(PlanError) as refused:
        Recording.open(trial).series()
    assert refused.value.problems[0].code == "recording.broken"
    assert isinstance(refused.value.__cause__, OSError)
    assert refused.value.__cause__.errno == errno.EFBIG


@pytest.mark.parametrize("name", ["series.parquet", "series.arrow"])
def test_series_that_are_none_are_refused_or_have_no_batch(name: str, trial: Path) -> None:
    TrialFolder(trial).series.unlink()
    (trial / name).write_bytes(b"PAR1 nothing of the kind PAR1")
    if name == "series.arrow":  # as one that a kill has torn
        assert Recording.open(trial).series() == {}
        return
    with pytest.raises(PlanError) as refused:
        Recording.open(trial).series()
    assert refused.value.problems[0].code == "recording.broken"


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
        outcome = command(capsys, *words)
    finally:
        os.chdir(here)
    assert outcome.code == Exit.PLAN_WRONG, outcome.out + outcome.err
    assert "Traceback" not in outcome.err


def test_a_document_has_room_for_a_large_study() -> None:
    assert user_files.MOST_DOCUMENT_BYTES >= 16 * user_files.MOST_TEXT_BYTES


READ: dict[str, Callable[[Recording], object]] = {
    "engine.json": lambda recording: recording.config,
    "frames.jsonl": lambda recording: recording.frames,
    "frames.jsonl.gz": lambda recording: recording.frames,
    "events.jsonl": lambda recording: recording.events,
    "latency.hlog": lambda recording: recording.histogram(),
    "series.arrow": lambda recording: recording.series(),
    "series.parquet": lambda recording: recording.series(),
}


@pytest.fixture
def trial(tmp_path: Path) -> Path:
    """Return a recorded trial, to be spoilt."""
    return recorded_run("cold", tmp_path / "recorded") / "trials" / "0001"


@pytest.mark.parametrize("make", [of_a_pipe, of_a_device, of_ten_gigabytes])
@pytest.mark.parametrize("name", READ)
def test_a_file_of_a_recording_that_has_no_end_is_refused(
    name: str, make: Callable[[Path], None], trial: Path
) -> None:
    for path in trial.glob(f"{name.partition('.')[0]}.*"):
        if path.name != "engine.log":
            path.unlink()
    make(trial / name)
    with pytest.raises(PlanError) as refused:
        READ[name](Recording.open(trial))
    assert [problem.code for problem in refused.value.problems] == ["recording.broken"]
    assert name in str(refused.value)


@pytest.mark.parametrize("name", ["plan.yaml", "proof/proof.json", "ledger.jsonl", "trials/0001/result.json"])
@pytest.mark.parametrize(
    "words", [("report", "{run}", "--text"), ("diagnose", "{run}"), ("history", "{run}")]
)
def test_whoever_reads_a_run_takes_no_document_of_ten_gigabytes(
    name: str, words: tuple[str, ...], trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = trial.parents[1]
    (run / name).parent.mkdir(exist_ok=True)
    (run / name).unlink(missing_ok=True)
    if name != "plan.yaml":  # all that reads it is done where no result tells of the run
        (run / "result.json").unlink(missing_ok=True)
    of_ten_gigabytes(run / name)
    outcome = command(capsys, *(word.format(run=run) for word in words))
    assert outcome.code in (Exit.FINE, Exit.PLAN_WRONG, Exit.UNDECIDED), outcome.err
    assert "Traceback" not in outcome.err
    if name == "plan.yaml" and words[0] == "report":
        assert (outcome.code, "recording.broken" in outcome.err) == (Exit.PLAN_WRONG, True)


@pytest.mark.parametrize("text", ["a line\nand a rest", "a rest", ""])
@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_in_place_of_a_ledger_is_not_written_to(
    link: Callable[[Path, Path], None], text: str, trial: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, victim = RunFolder(trial.parents[1]), trial.parents[2] / "victim"
    victim.write_text(text, encoding="utf-8")
    victim.chmod(0o644)
    run.result.unlink(missing_ok=True)
    run.ledger.unlink(missing_ok=True)
    run.plan.write_text(PLAN, encoding="utf-8")
    link(victim, run.ledger)
    command(capsys, "report", str(run.path), "--text")
    assert victim.read_text(encoding="utf-8") == text
    assert victim.stat().st_mode & 0o777 == 0o644


def test_a_profile_outside_of_its_folder_is_none(trial: Path) -> None:
    outside = trial.parent / "outside.pb.gz"
    outside.write_bytes(b"")
    for path in (str(outside), "../outside.pb.gz"):
        event = Event(1, "profile", "py-spy", "", {"path": path}, "server")
        with TrialFolder(trial).events.open("ab") as file:
            file.write(events.line(event))
    profiles = profiles_of(Recording.open(trial))
    assert len(profiles) >= 2
    assert [
        profile.profile for profile in profiles if profile.path == outside or ".." in profile.path.parts
    ] == []


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
