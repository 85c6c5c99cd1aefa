"""Labs are built once, in a copy; what a killed rig left of data is swept away."""

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import pytest

from loadrig.base import leases
from loadrig.base.errors import TargetError
from loadrig.labs.find import find, names
from loadrig.labs.format import read_lab
from loadrig.labs.work import data_folder, sweep, work_copy
from tests.labs.made import LAB, lab_folder

BUILD = "build: [{run: sh build.sh, makes: built}]\n"


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each test a cache and temporary files of its own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "tmp").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "tmp"))


def built(folder: Path) -> tuple[Path, list[str]]:
    messages: list[str] = []
    path = os.environ["PATH"]
    return work_copy(read_lab(folder), lambda text, _: text, path, messages.append), messages


def test_it_is_built_once_until_a_file_changes(tmp_path: Path) -> None:
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + BUILD, "build.sh": "echo 1 > built"})
    first, messages = built(folder)
    assert (first / "built").read_text() == "1\n"
    assert messages == ["building: sh build.sh"]
    assert not (folder / "built").exists()
    assert built(folder) == (first, [])
    (folder / "build.sh").write_text("echo 2 > built")
    second, _ = built(folder)
    assert (second / "built").read_text() == "2\n"
    assert not first.exists()


SOURCE = {
    "lab.yaml": LAB.replace('second"}', 'second", capacity: most}'),
    "most.yaml": "",
    "server.py": "theirs",
    "data/rows.sql": "theirs",
    "data/more.sql": "theirs",
    "cold": "theirs",
    "warm/cache": "theirs",
    "settings.yaml": "theirs",
}


def with_source(folder: Path) -> tuple[Path, Path]:
    """Return a lab that has some of its files of another one, and that other one."""
    own = {
        "lab.yaml": LAB + "files_of: ../source/\n" + BUILD,
        "build.sh": "cat server.py data/*.sql cold/cache warm settings.yaml > built",
        "server.py": "own",
        "data/rows.sql": "own",
        "cold/cache": "own",
        "warm": "own",
    }
    return lab_folder(folder, own), lab_folder(folder, SOURCE, name="source")


def files_in(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if file.is_file()}


def test_files_of_another_lab_come_first_and_its_own_in_their_place(tmp_path: Path) -> None:
    folder, source = with_source(tmp_path)
    # What may not be written to is copied so: its own must come in the place of it all the same.
    (source / "server.py").chmod(0o444)
    work, _ = built(folder)
    # In the order of build.sh: a file over a file, then in a folder that both have, then a folder over
    # a file and a file over a folder, then one that has the suffix of a plan and is none.
    assert (work / "built").read_text() == "own" + "theirs" + "own" + "own" + "own" + "theirs"
    theirs = {"data/more.sql", "settings.yaml"}
    assert files_in(work) == files_in(folder) | theirs | {"built"}
    assert (work / "README.md").read_text().startswith("# made")
    assert "files_of" in (work / "lab.yaml").read_text()


def test_it_is_built_anew_when_a_file_changes_that_it_has_of_another_lab(tmp_path: Path) -> None:
    folder, source = with_source(tmp_path)
    first, _ = built(folder)
    for notes in ("README.md", "truth.yaml", "plan.yaml", "most.yaml"):
        with (source / notes).open("a") as file:
            file.write("# not of the server\n")
        assert built(folder) == (first, [])
    (source / "data" / "more.sql").write_text("changed")
    second, messages = built(folder)
    assert len(messages) == 1
    assert "changed" in (second / "built").read_text()
    (folder / "data" / "rows.sql").write_text("changed too")
    assert built(folder)[0] != second


def test_a_build_of_files_of_two_labs_says_where_both_lie(tmp_path: Path) -> None:
    folder, source = with_source(tmp_path)
    (source / "settings.yaml").unlink()
    with pytest.raises(TargetError) as caught:
        built(folder)
    mend = caught.value.problems[0].mend
    assert f"{folder} " in mend
    assert f"{folder}/../source" in mend


def test_a_lab_that_comes_with_loadrig_has_the_files_of_the_one_it_names() -> None:
    labs = [lab for lab in map(find, names()) if lab.source]
    assert {lab.name for lab in labs} >= {"cpu-limit", "gc-thrash"}
    for lab in labs:
        assert lab.source is not None
        work = work_copy(replace(lab, build=()), lambda text, _: text, "", print)
        theirs = files_in(lab.source.folder) - lab.source.notes
        assert theirs
        for file in theirs - files_in(lab.folder):
            copied = (work / file).read_bytes()
            assert copied == (lab.source.folder / file).read_bytes(), f"{lab.name}: {file}"


def test_a_step_that_fails_says_its_last_lines_and_leaves_nothing(tmp_path: Path) -> None:
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + BUILD, "build.sh": "echo no such library; exit 3"})
    with pytest.raises(TargetError, match=r"`sh build\.sh` .* 3") as caught:
        built(folder)
    assert caught.value.problems[0].code == "lab.build-failed"
    assert caught.value.problems[0].detail == ("no such library",)
    assert list((tmp_path / "cache" / "loadrig" / "labs" / "work").iterdir()) == []


def test_a_step_that_cannot_begin_says_why(tmp_path: Path) -> None:
    folder = lab_folder(tmp_path, {"lab.yaml": LAB + "build: no-such-compiler\n"})
    with pytest.raises(TargetError, match="no-such-compiler"):
        built(folder)


def test_data_of_a_dead_rig_is_swept_away_and_of_a_living_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    code = f"import os, tempfile; tempfile.tempdir = {tempfile.tempdir!r}\n"
    code += "from loadrig.labs.work import data_folder\n"
    code += "with data_folder() as folder: print(folder, flush=True); os._exit(1)"
    with data_folder() as ours, data_folder() as another:
        assert ours != another
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        theirs = Path(done.stdout.strip())
        assert theirs.is_dir()
        assert [undone.left for undone in sweep()] == [()]
        assert not theirs.exists()
        assert ours.is_dir()
    assert not ours.exists()
    assert sweep() == []
    assert leases.listed() == []
