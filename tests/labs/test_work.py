"""Labs are built once, in a copy; what a killed rig left of data is swept away."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from loadrig.base.errors import TargetError
from loadrig.labs.format import read_lab
from loadrig.labs.work import data_folder, sweep, work_copy
from tests.labs.made import LAB, lab_folder

BUILD = "build: [{run: sh build.sh, makes: built}]\n"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cache and the temporary files of a test are its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


def built(folder: Path) -> tuple[Path, list[str]]:
    said: list[str] = []
    path = os.environ["PATH"]
    return work_copy(read_lab(folder), lambda text, _: text, path, said.append), said


def test_it_is_built_once_until_a_file_changes(tmp_path: Path) -> None:
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + BUILD, "build.sh": "echo 1 > built"})
    first, said = built(folder)
    assert (first / "built").read_text() == "1\n"
    assert said == ["building: sh build.sh"]
    assert not (folder / "built").exists()
    assert built(folder) == (first, [])
    (folder / "build.sh").write_text("echo 2 > built")
    second, _ = built(folder)
    assert (second / "built").read_text() == "2\n"
    assert not first.exists()


def test_a_step_that_fails_says_its_last_lines_and_leaves_nothing(tmp_path: Path) -> None:
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + BUILD, "build.sh": "echo no such library; exit 3"})
    with pytest.raises(TargetError, match=r"`sh build.sh` ended with status 3") as caught:
        built(folder)
    assert caught.value.problems[0].code == "lab.build-failed"
    assert caught.value.problems[0].detail == ("no such library",)
    assert list((tmp_path / "cache" / "loadrig" / "labs" / "work").iterdir()) == []


def test_a_step_that_cannot_begin_says_why(tmp_path: Path) -> None:
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + "build: no-such-compiler\n"})
    with pytest.raises(TargetError, match="no-such-compiler"):
        built(folder)


def test_data_of_a_dead_rig_is_swept_away_and_of_a_living_one_is_not() -> None:
    ours = data_folder()
    assert data_folder() != ours
    code = f"import tempfile; tempfile.tempdir = {tempfile.tempdir!r}\n"
    code += "from loadrig.labs.work import data_folder; print(data_folder())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    theirs = Path(done.stdout.strip())
    assert theirs.is_dir()
    assert sweep() == [theirs]
    assert not theirs.exists()
    assert ours.is_dir()
