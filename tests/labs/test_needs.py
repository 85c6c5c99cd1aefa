"""Tests that what is missing is named before anything is started, with the commands that install it."""

import os
import sys
from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import TargetError
from loadrig.labs import needs
from loadrig.labs.format import Lab, read_lab
from loadrig.labs.needs import MissingNeeds
from tests.labs.made import LAB, lab_folder


def lab(folder: Path, more: str) -> Lab:
    return read_lab(lab_folder(folder, {"lab.yaml": LAB + more})).for_plan("plan")


def test_what_is_here_is_not_missing(tmp_path: Path) -> None:
    assert not needs.missing(lab(tmp_path, "needs: {programs: {sh: dash}, python: {json: none}, cores: 1}\n"))


def test_missing_programs_and_modules_are_named_with_what_installs_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    wanted = "needs: {programs: {no-such-server: server-package}, python: {no_such_module: 'module>=2'}}\n"
    with pytest.raises(TargetError) as caught:
        needs.require(lab(tmp_path, wanted))
    (problem,) = caught.value.problems
    assert problem.code == "lab.needs"
    assert problem.what == snapshot
    assert "setup made" in problem.mend
    assert "--no-install-recommends server-package" in problem.mend
    assert "pip install --quiet 'module>=2'" in problem.mend


def test_without_rights_the_commands_begin_with_sudo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert all(words[0] == "sudo" for words in needs.commands(MissingNeeds({"a": "b"}, {})))


def test_a_service_needs_its_program_without_being_told(tmp_path: Path) -> None:
    lab_with_services = lab(tmp_path, "services: {redis: {port: 9499}, mariadb: {port: 9498}}\n")
    assert set(needs.all_needs(lab_with_services).programs) == {
        "redis-server",
        "mariadbd",
        "mariadb-install-db",
    }


@pytest.mark.parametrize("more", ["network: {}\n", "services: {redis: {port: 9499, cpu: 0.5}}\n"])
def test_what_is_for_root_alone_is_said(
    more: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, snapshot: SnapshotAssertion
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert needs.missing(lab(tmp_path, more)).why == snapshot
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    (tmp_path / "root").mkdir()
    assert needs.missing(lab(tmp_path / "root", more)).why == ()


def test_too_few_cores_are_said(tmp_path: Path) -> None:
    with pytest.raises(TargetError) as caught:
        needs.require(lab(tmp_path, "needs: {cores: 4096}\n"))
    assert caught.value.problems[0].code == "lab.needs"
    assert "4096 cores" in caught.value.problems[0].why


def test_modules_are_looked_for_in_our_interpreter_then_in_that_of_setup(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert needs.interpreter(["json"]) == sys.executable
    assert needs.interpreter(["only_in_the_venv"]) is None
    python = needs.venv() / "bin" / "python"
    python.parent.mkdir(parents=True)
    # Stands for an interpreter that has all modules that it is asked for.
    python.write_text("#!/bin/sh\n")
    python.chmod(0o755)
    assert needs.interpreter(["only_in_the_venv"]) == str(python)
