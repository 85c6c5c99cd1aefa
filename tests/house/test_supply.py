"""Supplies of loadrig: licences, sources, locks, and an audit that says what it could not check."""

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from scripts import audit, licences
from scripts.audit import FAILED, PASSED, UNKNOWN, AuditAnswer, AuditCheck
from tests.house.places import ROOT

CRATES_IO = re.compile(r"registry\+https://github\.com/rust-lang/crates[.]io-index")
"""Name that cargo has for the public registry; a fixed one, and no address that is asked."""

SCRIPTS = [*sorted((ROOT / "scripts").glob("*.sh")), ROOT / ".ci" / "run", ROOT / "Makefile"]


def lock_names(name: str) -> list[str]:
    return licences.packages((ROOT / "locks" / name).read_text(encoding="utf-8"))


def calls(path: Path) -> list[str]:
    """Return a script's lines with their continuations, without comments and what is only printed."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    lines = (re.sub(r'"[^"]*"|#.*', "", line) for line in text.splitlines())
    return [" ".join(line.split()) for line in lines]


@pytest.mark.parametrize("lock", ["Cargo.lock", "fuzz/Cargo.lock"])
def test_every_crate_is_ours_or_comes_from_crates_io_with_its_digest(lock: str) -> None:
    packages = tomllib.loads((ROOT / lock).read_text(encoding="utf-8"))["package"]
    assert len(packages) > 50
    foreign = [package for package in packages if not package["name"].startswith("loadrig-")]
    assert [
        package["name"]
        for package in foreign
        if not CRATES_IO.fullmatch(package.get("source", ""))
        or not re.fullmatch(r"[0-9a-f]{64}", package.get("checksum", ""))
    ] == []


def test_crates_may_come_from_crates_io_alone() -> None:
    rules = tomllib.loads((ROOT / "deny.toml").read_text(encoding="utf-8"))
    assert rules["sources"]["unknown-registry"] == rules["sources"]["unknown-git"] == "deny"
    assert "allow-registry" not in rules["sources"], "the default is the public one alone"
    assert rules["sources"]["allow-git"] == []
    assert not any("GPL" in licence or "MPL" in licence for licence in rules["licenses"]["allow"])


def test_every_python_package_has_a_licence_that_goes_with_ours() -> None:
    names = {*lock_names("dev.txt"), *lock_names("demo.txt")}
    assert len(names) > 50
    assert list(licences.wrong(sorted(names))) == []


def test_what_is_under_another_licence_is_not_needed_by_users() -> None:
    assert not set(licences.EXCEPTIONS) & set(lock_names("demo.txt"))
    every = {name for lock in (ROOT / "locks").iterdir() for name in lock_names(lock.name)}
    assert set(licences.EXCEPTIONS) <= every, "an exception for what is no longer there"


@pytest.mark.parametrize(
    ("expression", "is_allowed"),
    [
        ("MIT", True),
        ("GPL-3.0-only", False),
        ("MIT OR GPL-3.0-only", True),
        ("GPL-3.0-only OR MIT", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR Apache-2.0) AND BSD-3-Clause", True),
        ("(MIT OR Apache-2.0) AND (GPL-2.0-only OR LGPL-2.1-only)", False),
        ("MIT OR Apache-2.0 AND GPL-3.0-only", True),
        ("GPL-3.0-only AND MIT OR MIT", True),
        ("(GPL-3.0-only AND (MIT OR MIT) AND MIT) OR MIT", True),
        ("GPL-3.0-only OR LGPL-2.1-only OR MIT AND MIT", True),
        ("Apache-2.0 WITH LLVM-exception", False),
        ("MIT OR", False),
        ("(MIT", False),
        ("MIT) OR MIT", False),
        ("MIT License of ours", False),
        ("", False),
    ],
)
def test_an_expression_is_allowed_only_if_allowed_licences_are_enough(
    expression: str, is_allowed: bool
) -> None:
    assert licences.allows(expression) is is_allowed


def test_a_package_whose_licence_is_not_known_or_not_allowed_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stated = {"free": "MIT", "bound": "GPL-3.0-only", "silent": "", "hypothesis": "MPL-2.0"}
    monkeypatch.setattr(licences, "stated", stated.get)
    sentences = list(licences.wrong(["absent", "bound", "free", "hypothesis", "silent"]))
    assert [sentence.split()[0] for sentence in sentences] == ["absent", "bound", "silent"]


def test_nothing_is_installed_without_a_lock_or_a_version() -> None:
    loose = []
    for path in SCRIPTS:
        for line in calls(path):
            if re.search(r"(?<!apt-get )\binstall\b .*-|pip install", line):
                is_pinned = "--require-hashes" in line or ("--locked" in line and "--version" in line)
                loose += [] if is_pinned or "apt-get" in line else [f"{path.name}: {line}"]
            if re.search(r"\b(curl|wget|uvx|npx|npm|go install|git clone|playwright install)\b", line):
                loose.append(f"{path.name}: {line}")
    assert loose == []


def test_ci_names_every_debian_package_that_it_installs() -> None:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8").replace("\\\n", " ")
    needed = re.search(r'^needed="([^"]+)"', text, re.MULTILINE)
    assert needed
    pairs = [pair.split(":") for pair in needed[1].split()]
    assert [
        pair
        for pair in pairs
        if len(pair) != 2 or not all(re.fullmatch(r"[a-z0-9.+-]+", end) for end in pair)
    ] == []
    asked = re.findall(r"apt-get install ([^;|>]*)", text)
    words = {word for line in asked for word in line.split() if not word.startswith("-")}
    assert words == {"fonts-dejavu-core", "$missing"}


def deny_answer(code: int, *documents: Mapping[str, Any]) -> AuditAnswer:
    return AuditAnswer(code, "", "\n".join(json.dumps(document) for document in documents))


SUMMARY = {"type": "summary", "fields": {"advisories": {"errors": 0, "warnings": 0}}}

HOLE = {
    "type": "diagnostic",
    "fields": {
        "code": "vulnerability", "severity": "error", "message": "a hole",
        "advisory": {"id": "RUSTSEC-2020-0001"}, "labels": [{"span": "syn 2.0.119 registry+…"}],
    },
}  # fmt: skip

DUPLICATE = {"type": "diagnostic", "fields": {"severity": "warning", "message": "found 2 duplicates"}}

UNREACHABLE = {
    "type": "log",
    "fields": {
        "level": "ERROR",
        "message": "failed to fetch advisory database https://a/b with cli: failed to clone: []\nCloning into"
        " 'b'...\nfatal: unable to access 'https://a/b': Could not resolve host: a\n\n",
    },
}


@pytest.mark.parametrize(
    ("answer", "came_to"),
    [
        (deny_answer(0, DUPLICATE, SUMMARY), PASSED),
        (deny_answer(1, HOLE, SUMMARY), FAILED),
        (deny_answer(1, UNREACHABLE), UNKNOWN),
        (deny_answer(0), UNKNOWN),
        (AuditAnswer(None, "", "cargo-deny: No such file or directory"), UNKNOWN),
    ],
    ids=["clean", "hole", "unreachable", "silent", "no-tool"],
)
def test_cargo_deny_passes_only_if_it_has_looked(answer: AuditAnswer, came_to: str) -> None:
    assert audit.of_cargo_deny("crates", answer).came_to == came_to


def test_a_hole_is_told_with_its_number_and_an_unreachable_database_with_its_reason() -> None:
    (hole,) = audit.of_cargo_deny("crates", deny_answer(1, HOLE, SUMMARY)).lines
    assert hole.startswith("RUSTSEC-2020-0001 syn 2.0.119")
    (reason,) = audit.of_cargo_deny("crates", deny_answer(1, UNREACHABLE)).lines
    assert reason.startswith("fatal: ")
    assert "https://a/b" in reason


def pip_answer(code: int, *packages: Mapping[str, Any]) -> AuditAnswer:
    return AuditAnswer(code, json.dumps({"dependencies": packages, "fixes": []}), "")


CLEAN = {"name": "flask", "version": "3.1.3", "vulns": []}
HOLED = {"name": "jinja2", "version": "3.1.0", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3.1.6"]}]}
SKIPPED = {"name": "numpy", "skip_reason": "Dependency not found on PyPI and could not be audited"}


@pytest.mark.parametrize(
    ("answer", "came_to"),
    [
        (pip_answer(0, CLEAN), PASSED),
        (pip_answer(1, CLEAN, HOLED), FAILED),
        (pip_answer(1, SKIPPED, HOLED), FAILED),
        (pip_answer(0, CLEAN, SKIPPED), UNKNOWN),
        (pip_answer(0), UNKNOWN),
        (pip_answer(1, CLEAN), UNKNOWN),
        (AuditAnswer(1, "", "Traceback (most recent call last)\nConnectionError: no route"), UNKNOWN),
    ],
    ids=["clean", "hole", "hole-and-skipped", "skipped", "empty", "contradiction", "traceback"],
)
def test_pip_audit_passes_only_if_it_has_looked_at_every_package(answer: AuditAnswer, came_to: str) -> None:
    assert audit.of_pip_audit("packages", answer).came_to == came_to


@pytest.mark.parametrize(
    ("checks", "is_strict", "code"),
    [
        ([PASSED, PASSED], True, 0),
        ([PASSED, UNKNOWN], False, 0),
        ([PASSED, UNKNOWN], True, 1),
        ([FAILED, UNKNOWN], False, 1),
    ],
)
def test_what_is_not_checked_is_counted_in_the_last_line(
    checks: Sequence[str], is_strict: bool, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert audit.verdict([AuditCheck("a", came_to) for came_to in checks], is_strict=is_strict) == code
    last_line = capsys.readouterr().out.splitlines()[-1]
    assert f"{checks.count(UNKNOWN)} {UNKNOWN}" in last_line
