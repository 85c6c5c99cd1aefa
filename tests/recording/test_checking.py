"""Whether a folder is what its seals say: every file of a run, changed in every way, is named."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from loadrig.recording import checking, page_seal, run_seal
from loadrig.recording.checking import Findings
from loadrig.recording.files import write_whole
from loadrig.recording.layout import RunFolder, TrialFolder
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_frame, row
from tests.recording.written import write

NS = 1_000_000_000


def sealed_run(folder: Path, trials: int = 2) -> RunFolder:
    """Return a sealed run with trials, a proof, a page and results, as a study that was proved leaves it."""
    run = RunFolder(folder)
    run.create("loadrig: 1\n")
    write_whole(run.ledger, '{"kind": "study"}\n')
    for index in range(1, trials + 1):
        write(run.trial(index), [engine_frame(0, 0, NS, [row("ok", [0.1])])])
        write_whole(run.trial(index).result, '{"schema": "loadrig.trial/1"}\n')
    run.proof.path.mkdir()
    run.proof.trials.mkdir()
    write(run.proof.trial(1), [])
    write_whole(run.proof_document, "{}\n")
    write_whole(run.proof.path / "proxy-redis.log", "")
    write_whole(run.result, '{"schema": "loadrig.study/1"}\n')
    run_seal.seal(run)
    write_whole(run.report, page_seal.sealed("<!doctype html>\n<p>fine</p>\n</html>\n"))
    return run


MADE_OF = (
    "SEALED", "ledger.jsonl", "plan.yaml", "proof/proof.json", "proof/proxy-redis.log", "report.html",
    "result.json", "trials/0001/result.json", "trials/0002/result.json",
    *(
        f"{trial}/{name}"
        for trial in ("trials/0001", "trials/0002", "proof/trials/0001")
        for name in (
            "SEALED", "events.jsonl", "frames.jsonl", "latency.hlog", "manifest.json", "series.parquet"
        )
    ),
)  # fmt: skip
"""Every file of such a run."""

WITH_BYTES = [name for name in MADE_OF if not name.endswith(("proxy-redis.log", "events.jsonl"))]
FILLED = [name for name in WITH_BYTES if name != "proof/trials/0001/frames.jsonl"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sealed_run(tmp_path_factory.mktemp("sealed") / "run").path


@pytest.fixture
def run(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "run"))


def trouble_by_file(folder: Path) -> dict[str, str]:
    """Return the kind of each trouble by file."""
    findings = checking.check(folder)
    assert findings is not None
    return {trouble.file: trouble.kind for trouble in findings.troubles}


def changed(path: Path, change: Callable[[bytes], bytes]) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(change(content))


def test_a_whole_run_has_every_file_and_no_trouble(run: Path) -> None:
    everything = {str(path.relative_to(run)) for path in run.rglob("*") if path.is_file()}
    assert everything == set(MADE_OF)
    findings = checking.check(run)
    assert findings is not None
    assert (findings.troubles, findings.unsealed) == ([], {})
    assert checking.check(run / "trials" / "0001") == Findings(
        files=8, size=found_size(run / "trials/0001"), sealed=7
    )


def found_size(trial: Path) -> int:
    names = ("SEALED", "result.json")
    sealed: dict[str, dict[str, int]] = json.loads((trial / "SEALED").read_text())["files"]
    return sum(entry["bytes"] for entry in sealed.values()) + sum(
        (trial / name).stat().st_size for name in names
    )


@pytest.mark.parametrize("name", FILLED)
@pytest.mark.parametrize("place", [0, 0.5, -1])
def test_a_flipped_bit_in_any_file_is_named(run: Path, name: str, place: float) -> None:
    def flipped(content: bytes) -> bytes:
        at = len(content) - 1 if place < 0 else int(place * len(content))
        return content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]

    changed(run / name, flipped)
    assert list(trouble_by_file(run)) == [name]
    assert trouble_by_file(run)[name] in ("changed", "cut")


@pytest.mark.parametrize("name", FILLED)
@pytest.mark.parametrize("share", [0, 0.5, -1])
def test_a_cut_file_is_named(run: Path, name: str, share: float) -> None:
    changed(run / name, lambda content: content[: -1 if share < 0 else int(share * len(content))])
    assert list(trouble_by_file(run)) == [name]
    assert trouble_by_file(run)[name] == (
        "cut" if not name.endswith("SEALED") or name.count("/") else "changed"
    )


@pytest.mark.parametrize("name", [name for name in MADE_OF if name not in ("report.html", "SEALED")])
def test_a_missing_file_is_named(run: Path, name: str) -> None:
    (run / name).unlink()
    assert trouble_by_file(run) == {name: "missing"}


def test_a_page_that_is_gone_can_be_made_again_and_a_run_without_its_seal_is_not_damaged(run: Path) -> None:
    (run / "report.html").unlink()
    assert trouble_by_file(run) == {}
    (run / "SEALED").unlink()
    findings = checking.check(run)
    assert findings is not None
    assert (findings.troubles, list(findings.unsealed)) == ([], ["."])


@pytest.mark.parametrize("folder", ["", "proof", "trials", "trials/0001", "trials/0001/profiles", "notes"])
@pytest.mark.parametrize("name", ["extra.txt", "frames.jsonl.gz", "link"])
def test_a_file_that_came_later_is_named(run: Path, folder: str, name: str) -> None:
    path = run / folder / name
    path.parent.mkdir(exist_ok=True)
    if name == "link":
        path.symlink_to("/etc/passwd")
    else:
        path.write_text("")
    assert trouble_by_file(run) == {str(path.relative_to(run)): "extra"}


def test_what_a_server_left_that_is_no_file_is_no_stranger(tmp_path: Path) -> None:
    trial = TrialFolder(tmp_path / "0001")
    with TrialWriter(trial, {}) as writer:
        os.mkfifo(trial.path / "pipe")
        (trial.path / "current").symlink_to("nowhere")
        writer.seal()
    assert trouble_by_file(trial.path) == {}
    (trial.path / "later").symlink_to("nowhere")
    assert trouble_by_file(trial.path) == {"later": "extra"}


def test_a_link_in_the_folder_of_a_run_hinders_no_seal(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    folder.create("loadrig: 1\n")
    (folder.path / "link").symlink_to("/etc/passwd")
    run_seal.seal(folder)
    assert trouble_by_file(folder.path) == {"link": "extra"}


def test_a_whole_trial_that_is_gone_or_came_later_is_named(run: Path) -> None:
    (run / "trials" / "0001").rename(run / "trials" / "0009")
    kinds = trouble_by_file(run)
    assert kinds.pop("trials/0001/") == "missing"
    assert kinds == {"trials/0009/SEALED": "extra", "trials/0009/result.json": "extra"}


@pytest.mark.parametrize(
    "name", ["plan.yaml", "trials/0001/frames.jsonl", "trials/0001/SEALED", "report.html"]
)
@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_what_is_no_file_any_more_is_named_and_never_followed(
    run: Path, name: str, kind: str, tmp_path: Path
) -> None:
    path = run / name
    moved = tmp_path / "kept"
    path.rename(moved)
    if kind == "link":
        path.symlink_to(moved)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        path.mkdir()
    kinds = trouble_by_file(run)
    if (name, kind) != ("report.html", "folder"):  # a page that is not there
        assert kinds[name] in ("changed", "unreadable", "missing")


def test_a_folder_that_became_a_link_is_not_followed(run: Path, tmp_path: Path) -> None:
    (run / "trials" / "0001").rename(tmp_path / "0001")
    (run / "trials" / "0001").symlink_to(tmp_path / "0001")
    assert trouble_by_file(run) == {"trials/0001/": "missing", "trials/0001": "extra"}


@pytest.mark.parametrize(
    "name", ["../../../../../etc/passwd", "/etc/passwd", "a/../../b", "", ".", "a//b", "a/", "\0", "x\0y"]
)
def test_a_name_that_leads_out_of_the_folder_is_not_opened(run: Path, name: str) -> None:
    trial = run / "trials" / "0001"
    changed(trial / "SEALED", lambda text: _with_file(json.loads(text), name))
    (run / "SEALED").unlink()
    assert trouble_by_file(run) == {"trials/0001/SEALED": "changed"}
    assert trouble_by_file(trial) == {"SEALED": "changed"}


def _with_file(document: Any, name: str) -> bytes:
    document["files"][name] = {"bytes": 1, "sha256": "0" * 64}
    del document["sha256"]
    return json.dumps(document).encode() + b"\n"


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{", b"null", b"[]", b"{}", b'{"files": []}', b'{"files": {"a": 1}}', b"\xff", b"[" * 100_000,
        b'{"files": {"a": {"bytes": -1, "sha256": ""}}}', b'{"files": {"a": {"bytes": true, "sha256": ""}}}',
        b'{"seal": 2, "files": {}}', b'{"files": {}, "open": {}}', b'{"files": {}, "open": [1]}',
        b'{"files": {}, "sha256": 1}', b'{"files": {}, "sha256": []}',
    ],
)  # fmt: skip
def test_a_seal_that_is_none_is_named(run: Path, content: bytes) -> None:
    for name in ("SEALED", "trials/0001/SEALED"):
        changed(run / name, lambda _: content + b"\n")
    assert trouble_by_file(run) == {"SEALED": "changed", "trials/0001/SEALED": "changed"}


def test_a_seal_of_an_earlier_version_is_read(run: Path) -> None:
    (run / "SEALED").unlink()
    seal = run / "trials" / "0001" / "SEALED"
    files = json.loads(seal.read_text())["files"]
    changed(seal, lambda _: json.dumps({"files": files}).encode() + b"\n")
    assert trouble_by_file(run) == {}
    changed(run / "trials" / "0001" / "frames.jsonl", lambda content: content[:-1])
    assert trouble_by_file(run) == {"trials/0001/frames.jsonl": "cut"}


def test_a_killed_trial_is_not_sealed_and_not_damaged(run: Path) -> None:
    (run / "trials" / "0003").mkdir()
    (run / "trials" / "0003" / "frames.jsonl").write_text("{}\n{")
    (run / "trials" / "0002-broken-1").mkdir()
    (run / "trials" / "0002-broken-1" / "frames.jsonl").write_text("{")
    findings = checking.check(run)
    assert findings is not None
    assert findings.troubles == []
    assert set(findings.unsealed) == {"trials/0003/", "trials/0002-broken-1/"}


def test_a_trial_by_itself_is_held_to_the_seal_of_its_run(run: Path) -> None:
    trial = run / "trials" / "0002"
    changed(trial / "result.json", lambda content: content + b" ")
    (trial / "SEALED").unlink()
    assert trouble_by_file(trial) == {"result.json": "changed", "SEALED": "missing"}


def test_a_quick_look_reads_no_large_file_and_sees_its_size(run: Path) -> None:
    trial = run / "trials" / "0001"
    name = trial / "latency.hlog"
    changed(name, lambda content: bytes([content[0] ^ 1]) + content[1:])
    size = name.stat().st_size
    for most, kinds in ((size, {"latency.hlog": "changed"}), (size - 1, {})):
        findings = checking.check(trial, most)
        assert findings is not None
        assert {trouble.file: trouble.kind for trouble in findings.troubles} == kinds
    changed(name, lambda content: content[:-1])
    findings = checking.check(trial, 0)
    assert findings is not None
    assert [trouble.kind for trouble in findings.troubles] == ["cut"]


@pytest.mark.parametrize("name", ["empty", "other"])
def test_what_is_no_run_is_none(tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    folder.mkdir()
    if name == "other":
        (folder / "notes.txt").write_text("mine")
    assert checking.check(folder) is None


class TestARunThatIsWrittenToAgain:
    """A study that goes on, a proof: what was open is sealed anew, and nothing else is."""

    def test_what_was_open_and_what_is_new_is_sealed(self, run: Path) -> None:
        folder = RunFolder(run)
        run_seal.open_again(folder, "result.json", done={1, 2})
        write_whole(folder.result, "{}\n")
        write(folder.trial(3), [])
        run_seal.seal(folder)
        assert trouble_by_file(run) == {}
        assert "trials/0003/SEALED" in json.loads(run_seal.path_of(folder).read_text())["files"]

    def test_what_somebody_else_changed_stays_changed(self, run: Path) -> None:
        folder = RunFolder(run)
        changed(run / "plan.yaml", lambda _: b"loadrig: 2\n")
        (run / "trials/0002/result.json").unlink()
        run_seal.open_again(folder, "result.json", done={1, 2})
        run_seal.seal(folder)
        assert trouble_by_file(run) == {"plan.yaml": "changed", "trials/0002/result.json": "missing"}

    def test_a_kill_in_between_is_no_damage(self, run: Path) -> None:
        folder = RunFolder(run)
        run_seal.open_again(folder, "result.json", "proof/", done={1})
        folder.result.write_text("{")
        shutil.rmtree(run / "proof")
        shutil.rmtree(run / "trials" / "0002")
        (run / "ledger.jsonl.draft").write_text("")
        findings = checking.check(run)
        assert findings is not None
        assert findings.troubles == []
        assert set(findings.unsealed) == {"result.json", "proof/", "trials/0002/"}

    def test_a_seal_that_cannot_be_used_is_not_replaced(self, run: Path) -> None:
        folder = RunFolder(run)
        run_seal.path_of(folder).write_text("{")
        run_seal.open_again(folder, "result.json")
        run_seal.seal(folder)
        assert trouble_by_file(run) == {"SEALED": "changed"}

    def test_a_run_without_a_seal_gets_one_at_the_end(self, tmp_path: Path) -> None:
        folder = RunFolder(tmp_path / "run")
        folder.create("loadrig: 1\n")
        run_seal.open_again(folder, "result.json")
        assert not run_seal.path_of(folder).exists()
        run_seal.seal(folder)
        assert trouble_by_file(folder.path) == {}


def test_a_trial_without_a_seal_is_unsealed(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    folder.path.mkdir()
    assert checking.check_trial(folder).unsealed


@pytest.mark.parametrize(
    ("page", "state"),
    [
        (page_seal.sealed("<p>fine</p></html>\n"), "whole"),
        ("<p>fine</p></html>\n", "unsealed"),
        ("<p>fine", "cut"),
        ("", "cut"),
        (page_seal.sealed("<p>fine</p></html>\n").replace("fine", "five"), "changed"),
        (page_seal.sealed("<p>fine</p></html>\n")[:-1], "cut"),
        (page_seal.sealed("<p>fine</p></html>\n") + " ", "changed"),
    ],
)
def test_a_page_knows_what_became_of_it(page: str, state: str) -> None:
    assert page_seal.state_of(page.encode()) == state
