"""The list of all runs: found below a folder, searched, labelled, made again when its database is lost."""

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.archive import entries, labels
from loadrig.archive.index import NAME, RunIndex
from loadrig.archive.labels import LabelsChange, LabelsDocument
from loadrig.recording import now_note, run_seal
from loadrig.recording.layout import RunFolder

RECORDED = Path(__file__).parent.parent / "integration" / "recorded" / "few-threads" / "run"


def make_run(root: Path, place: str, day: int = 1, **result: Any) -> RunFolder:
    """Make a run of a day of November, with a result where one is given."""
    run = RunFolder(root / place)
    run.path.mkdir(parents=True)
    study = {"kind": "study", "name": place.rpartition("/")[2], "strategy": "one_trial",
             "created": f"2026-11-{day:02d}T10:00:00+00:00"}  # fmt: skip
    run.ledger.write_text(json.dumps(study) + "\n" + json.dumps({"kind": "trial", "index": 1}) + "\n")
    if result:
        run.result.write_text(json.dumps(result))
    return run


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_run(tmp_path, "shop", 3, name="shop", validity={"verdict": "valid"}, routes={"GET /cart": {}},
             diagnosis={"sentence": "Likely: 100 % of the_pool."}, findings=[{"cause": "pool_too_small"}],
             load={"successful_rps": 12.5}, latency_ms={"response": {"p99": 7.0}})  # fmt: skip
    make_run(tmp_path, "nightly/a", 1, name="books", kind="grid", validity={"valid": 3, "void": 1},
             recommended={"why": "workers=4 is the best."})  # fmt: skip
    make_run(tmp_path, "nightly/b", 2)
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "todo.txt").write_text("no run")
    return tmp_path


def ids(index: RunIndex, search: str = "") -> list[str]:
    return [entry.id for entry in index.listed(search)]


def test_runs_are_found_below_the_folder_and_told_the_newest_first(root: Path) -> None:
    index = RunIndex(root)
    assert index.refresh()
    assert index.runs_read == 3
    assert ids(index) == ["shop", "nightly/b", "nightly/a"]
    shop, stopped, grid = index.listed()
    assert (shop.plan, shop.kind, shop.state, shop.verdict) == ("shop", "trial", "finished", "valid")
    assert (shop.cause, shop.ok_rps, shop.p99_ms, shop.routes) == (
        "pool_too_small",
        12.5,
        7.0,
        ("GET /cart",),
    )
    assert (stopped.state, stopped.trials, stopped.headline) == ("stopped", 1, "")
    assert (grid.kind, grid.verdict, grid.headline) == ("grid", "valid", "workers=4 is the best.")
    assert index.refresh()
    assert index.runs_read == 3
    assert index.count() == 3
    index.close()


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        ("POOL_too cart", ["shop"]),
        ("2026-11-01", ["nightly/a"]),
        ("nightly -grid", ["nightly/b"]),
        ("100 %", ["shop"]),
        ("the_pool", ["shop"]),
        ("the.pool", []),
        ("void", []),
        ("-", ["shop", "nightly/b", "nightly/a"]),
    ],
)
def test_all_words_of_a_search_must_stand_in_a_run(root: Path, search: str, expected: list[str]) -> None:
    index = RunIndex(root)
    index.refresh()
    assert ids(index, search) == expected
    index.close()


@given(st.text(max_size=20))
def test_whatever_is_searched_for_is_a_search(search: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RunIndex, "_opened", lambda self: memory(self))
        index = RunIndex(Path("."))
    assert index.listed(search) == []
    index.close()


def memory(index: RunIndex) -> Any:
    import sqlite3

    database = sqlite3.connect(":memory:")
    index._make_tables(database)
    return database


def test_a_run_is_found_by_the_beginning_of_its_commit_and_by_nothing_in_its_middle(root: Path) -> None:
    commit = "5dd4ec34" * 5
    run = make_run(root, "released", 4)
    study, *others = run.ledger.read_text().splitlines()
    run.ledger.write_text("\n".join([json.dumps({**json.loads(study), "commit": commit}), *others]) + "\n")
    index = RunIndex(root)
    index.refresh()
    assert index.listed("released")[0].commit == commit
    for search in (commit, commit[:7], "5DD4EC34"):
        assert ids(index, search) == ["released"]
    assert ids(index, "dd4ec345") == ids(index, "5dd4") == []
    assert "released" not in ids(index, f"-{commit[:9]}")


def test_what_a_person_writes_to_a_run_is_seen_and_breaks_no_seal(root: Path) -> None:
    index, run = RunIndex(root), RunFolder(root / "nightly/a")
    run_seal.seal(run)
    index.refresh()
    labels.change(run, LabelsChange(labels=("release 7",), is_pinned=True))
    assert index.refresh()
    assert index.runs_read == 4
    assert ids(index) == ["nightly/a", "shop", "nightly/b"]
    assert ids(index, "release") == ["nightly/a"]
    assert "labels.json" not in run_seal.path_of(run).read_text()
    shutil.rmtree(run.path)
    index.refresh()
    assert ids(index) == ["shop", "nightly/b"]
    assert index.find("nightly/a") is None
    index.close()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"labels": [""]}', b'{"labels": 7}', b"x" * 99_999])
def test_a_file_that_holds_no_labels_is_none(root: Path, content: bytes) -> None:
    run = RunFolder(root / "shop")
    labels.path_of(run).write_bytes(content)
    os.chmod(labels.path_of(run), 0o600)
    assert labels.read(run) == LabelsDocument()


def test_a_run_that_goes_on_is_told_as_such(root: Path) -> None:
    run = RunFolder(root / "nightly/b")
    note = now_note.NowNote(run, "loadrig attack")
    assert entries.entry_of(run.path, "b").state == "running"
    note.close()
    assert entries.entry_of(run.path, "b").state == "stopped"


def test_a_lost_or_damaged_index_is_made_again(root: Path) -> None:
    index = RunIndex(root)
    index.refresh()
    index.close()
    (root / NAME).write_bytes(b"this is no database" * 999)
    again = RunIndex(root)
    assert again.refresh()
    assert again.count() == 3
    again.close()
    assert (root / NAME).stat().st_mode & 0o77 == 0


def test_where_nothing_can_be_written_the_index_is_in_memory(root: Path) -> None:
    (root / NAME).mkdir()
    (root / NAME / "in the way").mkdir()
    index = RunIndex(root)
    assert index.refresh()
    assert index.count() == 3
    index.close()


@pytest.mark.parametrize("name", ["../shop", "/etc", "shop/../shop", "", "..", "nightly"])
def test_nothing_but_a_run_is_found_by_its_name(root: Path, name: str) -> None:
    index = RunIndex(root / "nightly")
    index.refresh()
    assert index.find(name) is None
    index.close()


def test_a_link_is_not_followed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = make_run(tmp_path_factory.mktemp("elsewhere"), "secret").path
    (root / "link").symlink_to(elsewhere)
    index = RunIndex(root)
    index.refresh()
    assert "link" not in ids(index)
    index.close()


def test_a_run_of_an_older_version_is_listed_with_its_answer() -> None:
    entry = entries.entry_of(RECORDED, "old")
    assert (entry.state, entry.verdict, entry.cause) == ("finished", "valid", "too_few_workers")
    assert entry.headline
    assert entry.ok_rps is not None
    assert entry.p99_ms is not None


@pytest.mark.parametrize("content", [b"", b"null", b"[1]", b'"text"', b"{", b'{"load": 3, "findings": [7]}'])
def test_a_damaged_result_is_a_run_without_an_answer(root: Path, content: bytes) -> None:
    run = RunFolder(root / "shop")
    run.result.write_bytes(content)
    entry = entries.entry_of(run.path, "shop")
    assert (entry.plan, entry.headline, entry.ok_rps) == ("shop", "", None)


def test_many_runs_are_read_bit_by_bit_the_newest_name_first(root: Path) -> None:
    index = RunIndex(root)
    for names in (["shop"], ["shop", "nightly/b"]):
        assert not index.refresh(most_s=-1.0)
        assert ids(index) == names
    assert index.refresh(most_s=-1.0)
    assert index.count() == index.runs_read == 3
    index.close()
