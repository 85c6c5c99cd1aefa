"""Commit that a folder is at, asked of a real git."""

import shutil
import subprocess
from pathlib import Path

import pytest

from loadrig.base.commits import commit_of


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    if shutil.which("git") is None:
        pytest.skip("no git on this machine: apt install git")
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "app.py").write_text("")
    identity = ("-c", "user.name=n", "-c", "user.email=n@example.org")
    for words in (("init", "--quiet"), ("add", "."), (*identity, "commit", "--quiet", "-m", "first")):
        subprocess.run(["git", "-C", str(tmp_path), *words], check=True)
    return tmp_path


def test_a_folder_in_a_repository_is_at_its_commit(repository: Path) -> None:
    head = (repository / ".git" / "HEAD").read_text().removeprefix("ref: ").strip()
    expected = (repository / ".git" / head).read_text().strip()
    assert commit_of(repository / "shop") == expected
    assert len(expected) == 40


def test_where_there_is_none_it_is_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    assert commit_of(tmp_path) == ""
    assert commit_of(tmp_path / "nowhere") == ""
    monkeypatch.setenv("PATH", "")
    assert commit_of(tmp_path) == ""
