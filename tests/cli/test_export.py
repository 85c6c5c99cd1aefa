"""`loadrig export`: where the file goes, and that it is whole or not there."""

import argparse
from pathlib import Path

import pytest

from loadrig.base import members
from loadrig.base.errors import PlanError, VoidError
from loadrig.base.exits import Exit
from loadrig.cli import export
from loadrig.testing.synthetic import write_recording


@pytest.fixture(scope="module")
def trial(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("trial") / "trial"
    write_recording(folder, rates=(50.0,) * 8)
    return folder


def run(*words: object) -> int:
    parser = argparse.ArgumentParser()
    export.configure(parser)
    return export.run(parser.parse_args([str(word) for word in words]))


def test_it_writes_the_file_and_prints_where(
    trial: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "shop.jtl"
    assert run(trial, "--to", "jtl", "-o", path) == Exit.FINE
    assert capsys.readouterr().out == f"{path}\n"
    assert path.read_bytes().startswith(b"timeStamp,")
    assert list(tmp_path.iterdir()) == [path]


def test_to_standard_output_nothing_else_goes(
    trial: Path, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    path = tmp_path / "series.parquet"
    run(trial, "--to", "parquet", "-o", path)
    capfdbinary.readouterr()
    run(trial, "--to", "parquet", "-o", "-")
    assert capfdbinary.readouterr().out == path.read_bytes()


def test_a_failure_in_the_middle_leaves_the_old_file_and_no_half_one(
    trial: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def write(trial: object, out: object) -> None:
        out.write(b"half")  # type: ignore[attr-defined]
        raise OSError(28, "No space left on device")

    path = tmp_path / "shop.jtl"
    path.write_text("of yesterday")
    monkeypatch.setattr(members.load("loadrig.exporters", "jtl"), "write", write)
    with pytest.raises(VoidError):
        run(trial, "--to", "jtl", "-o", path)
    assert path.read_text() == "of yesterday"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_an_error(trial: Path, tmp_path: Path) -> None:
    with pytest.raises(VoidError) as refused:
        run(trial, "--to", "csv", "-o", tmp_path / "nowhere" / "series.csv")
    (problem,) = refused.value.problems
    assert problem.code == "recording.cannot-write"
    # It is a file that cannot be written, and no recording that would be lost.
    assert not problem.why
    assert str(tmp_path / "nowhere") in problem.what


@pytest.mark.parametrize("name", ["jlt", "", "../jtl", "_rows"])
def test_an_unknown_format_is_an_error(trial: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(PlanError):
        run(trial, "--to", name, "-o", tmp_path / "file")
    assert not list(tmp_path.iterdir())


def test_of_several_trials_one_has_to_be_named(tmp_path: Path) -> None:
    for number in ("0001", "0002"):
        write_recording(tmp_path / "trials" / number, rates=(20.0,) * 7)
    (tmp_path / "result.json").write_text("{}")
    with pytest.raises(PlanError):
        run(tmp_path, "--to", "csv", "-o", tmp_path / "series.csv")
    assert run(tmp_path / "trials" / "0002", "--to", "csv", "-o", tmp_path / "series.csv") == Exit.FINE


def test_what_is_no_run_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(PlanError):
        run(tmp_path, "--to", "csv", "-o", tmp_path / "series.csv")
