"""`loadrig verify`, and the quick look of the commands that read a run."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from loadrig.cli import _seals
from loadrig.cli.__main__ import main
from loadrig.recording import page_seal, run_seal
from loadrig.recording.files import write_json
from loadrig.recording.layout import RunFolder
from loadrig.recording.seals import Seal
from tests.integration.recorded_runs import recorded_run

HOSTILE = "evil\x1b[2J\x1b]0;title\x07\nfine"


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = recorded_run("cold", tmp_path_factory.mktemp("recorded") / "cold")
    run_seal.seal(RunFolder(run))
    return run


@pytest.fixture
def run(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(_seals, "_looked", set())
    monkeypatch.setattr(_seals, "_damaged", [])
    return Path(shutil.copytree(whole, tmp_path / "run"))


def damage(path: Path) -> None:
    """Flip one bit in the middle of a file."""
    content = path.read_bytes()
    at = len(content) // 2
    path.unlink()
    path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])


def test_a_whole_run_is_told_in_one_line(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", str(run)]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert "whole" in out


def test_every_file_of_a_recorded_run_is_guarded(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = [str(path.relative_to(run)) for path in run.rglob("*") if path.is_file() and path.stat().st_size]
    assert len(names) >= 12
    for name in names:
        content = (run / name).read_bytes()
        damage(run / name)
        assert main(["verify", str(run), "--json"]) == 111, name
        document = json.loads(capsys.readouterr().out)
        assert [trouble["file"] for trouble in document["troubles"]] == [name]
        assert document["verdict"] == "damaged"
        (run / name).write_bytes(content)
    assert main(["verify", str(run)]) == 0


def test_a_killed_trial_is_named_and_is_no_damage(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "SEALED").unlink()
    (run / "trials/0002").mkdir()
    (run / "trials/0002/frames.jsonl").write_text("")
    assert main(["verify", str(run)]) == 0
    out = capsys.readouterr().out
    assert "not sealed trials/0002/" in out
    assert "no damage" in out


def test_where_nothing_is_sealed_the_question_stays_open(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SEALED", "trials/0001/SEALED", "trials/0001/result.json"):
        (run / name).unlink()
    assert main(["verify", str(run), "--json"]) == 112
    assert json.loads(capsys.readouterr().out)["verdict"] == "unsealed"


def page_without_a_digest(run: RunFolder) -> None:
    run.report.write_text("<html></html>\n", encoding="utf-8")


def page_that_is_whole(run: RunFolder) -> None:
    run.report.write_text(page_seal.sealed("<html></html>\n"), encoding="utf-8")


def seal_of_open_files_alone(run: RunFolder) -> None:
    run_seal.seal(run)
    run_seal.open_again(run, "plan.yaml", "ledger.jsonl", "result.json", "trials/")


def seal_of_nothing(run: RunFolder) -> None:
    write_json(run_seal.path_of(run), Seal({}).to_json())


@pytest.mark.parametrize(
    "make", [page_without_a_digest, page_that_is_whole, seal_of_open_files_alone, seal_of_nothing]
)
def test_neither_a_page_nor_a_seal_that_names_no_whole_file_makes_a_run_whole(
    make: Callable[[RunFolder], None], run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("SEALED", "result.json", "trials/0001/SEALED", "trials/0001/result.json"):
        (run / name).unlink(missing_ok=True)
    make(RunFolder(run))
    if make is seal_of_nothing:
        for name in ("plan.yaml", "ledger.jsonl"):
            (run / name).unlink()
    assert main(["verify", str(run), "--json"]) == 112
    assert json.loads(capsys.readouterr().out)["verdict"] == "unsealed"


@pytest.mark.parametrize("kind", ["none", "file", "empty", "others", "zero"])
def test_what_is_no_run_is_refused(tmp_path: Path, kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / kind
    if kind == "file":
        path.write_text("")
    elif kind != "none":
        path.mkdir()
    if kind == "others":
        (path / "notes.txt").write_text("")
    assert main(["verify", f"{path}\0" if kind == "zero" else str(path)]) == 104
    assert "report.not-a-run" in capsys.readouterr().err


def test_a_hostile_name_steers_no_terminal(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (run / "trials/0001" / HOSTILE).write_text("")
    assert main(["verify", str(run)]) == 111
    assert main(["report", str(run), "--text"]) == 0
    printed = "".join(capsys.readouterr())
    assert "\x1b" not in printed
    assert "\x07" not in printed


COMMANDS = (
    ("report", "{run}"),
    ("report", "{run}", "--text"),
    ("report", "{run}", "--json"),
    ("report", "{run}/trials/0001", "--text"),
    ("diagnose", "{run}"),
    ("compare", "{run}", "{other}"),
    ("history", "{run}"),
    ("run", "{run}", "--resume"),
)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_whoever_reads_a_damaged_run_says_so_in_one_line(
    run: Path, whole: Path, words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    argv = [word.format(run=run, other=whole) for word in words]
    main(argv)
    assert "sealed" not in capsys.readouterr().err
    _seals._looked.clear()
    damage(run / "trials/0001/engine.json")
    main(argv)
    lines = [line for line in capsys.readouterr().err.splitlines() if "loadrig verify" in line]
    assert len(lines) == 1
    assert "sealed" in lines[0]


def test_a_fault_over_a_damaged_run_is_no_fault_of_ours(
    run: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = run / "trials/0001/manifest.json"
    document = json.loads(manifest.read_text())
    manifest.unlink()
    manifest.write_text(json.dumps({**document, "monotonic_ns": None, "goals": 7, "load": 3}))
    (run / "result.json").unlink()
    (run / "trials/0001/result.json").unlink()
    assert main(["report", str(run / "trials/0001"), "--text"]) == 104
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "recording.broken" in err
