"""Paths of a run's folder, and what happens where something is in the way."""

from pathlib import Path

import pytest

from loadrig.base.errors import PlanError, VoidError
from loadrig.recording.layout import RunFolder, TrialFolder


def test_trials_count_from_one_and_sort_as_numbers(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.create("loadrig: 1\n")
    for index in (10, 2, 12345, 1):
        run.trial(index).path.mkdir()
    (run.trials / "0002-broken-1").mkdir()
    assert [trial.path.name for trial in run.trial_folders()] == ["0001", "0002", "0010", "12345"]
    assert run.plan.read_text() == "loadrig: 1\n"


def test_a_folder_named_by_the_user_is_taken_as_it_is(tmp_path: Path) -> None:
    assert RunFolder.fresh(tmp_path / "mine", "shop").path == tmp_path / "mine"


def test_a_folder_that_nobody_named_is_new_even_within_the_same_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("time.strftime", lambda _: "2025-01-31-120000")
    paths = []
    for _ in range(3):
        run = RunFolder.fresh(None, "Which workers? / 2")
        run.create("")
        paths.append(str(run.path))
    stem = "runs/2025-01-31-120000-which-workers-2"
    assert paths == [stem, f"{stem}-2", f"{stem}-3"]


def test_asking_for_a_folder_does_not_make_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    RunFolder.fresh(None, "shop")
    assert list(tmp_path.iterdir()) == []


def test_a_run_does_not_mix_with_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(PlanError) as failed:
        RunFolder(tmp_path).create("loadrig: 1\n")
    assert failed.value.problems[0].code == "recording.folder-in-use"
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_an_empty_folder_may_be_used(tmp_path: Path) -> None:
    RunFolder(tmp_path).create("loadrig: 1\n")
    assert RunFolder(tmp_path).plan.is_file()


def test_a_file_where_a_folder_should_be_is_said_so(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(VoidError) as failed:
        RunFolder(tmp_path / "file" / "run").create("")
    assert failed.value.problems[0].code == "recording.cannot-write"
    assert str(tmp_path / "file" / "run") in failed.value.problems[0].what


def test_what_was_set_aside_twice_is_there_twice(tmp_path: Path) -> None:
    trial = TrialFolder(tmp_path / "0001")
    for _ in range(2):
        trial.path.mkdir()
        trial.set_aside()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["0001-broken-1", "0001-broken-2"]
