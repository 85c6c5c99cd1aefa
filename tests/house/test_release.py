"""Versions agree, locks are whole and name no host, the changelog is kept."""

import re
import tomllib
from typing import Any

import loadrig
from tests.house.places import ROOT, short

KEPT = ("Added", "Changed", "Fixed", "Removed")


def toml(name: str) -> dict[str, Any]:
    return tomllib.loads((ROOT / name).read_text(encoding="utf-8"))


def test_there_is_one_version() -> None:
    version = toml("pyproject.toml")["project"]["version"]
    assert toml("Cargo.toml")["workspace"]["package"]["version"] == version
    assert loadrig.__version__ == version


def test_the_changelog_has_the_version_and_only_the_four_headings() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(r"^## \[?Unreleased\]?|^## \[?\d+\.\d+\.\d+", text, re.MULTILINE)
    headings = re.findall(r"^### (.+)$", text, re.MULTILINE)
    assert headings, "nothing is told"
    assert set(headings) <= set(KEPT)


def test_fragments_of_the_changelog_say_their_kind_and_are_short() -> None:
    wrong = []
    for path in (ROOT / "changes").glob("*.md"):
        if path.name == "README.md":
            continue
        kind = path.stem.rpartition(".")[2]
        lines = path.read_text(encoding="utf-8").strip().splitlines()
        if kind.capitalize() not in KEPT or not 1 <= len(lines) <= 2:
            wrong.append(short(path))
    assert wrong == []


def locked(name: str) -> dict[str, set[str]]:
    """Return the versions of each package of a lock."""
    text = (ROOT / "locks" / name).read_text(encoding="utf-8")
    versions: dict[str, set[str]] = {}
    for package, version in re.findall(r"^([a-z0-9-]+)==(\S+)", text, re.MULTILINE):
        versions.setdefault(package, set()).add(version)
    return versions


def wanted(requirements: list[Any]) -> set[str]:
    names = (
        re.match(r"[A-Za-z0-9_.-]+", requirement)
        for requirement in requirements
        if isinstance(requirement, str)
    )
    return {re.sub(r"[-_.]+", "-", match[0]).lower() for match in names if match}


def test_locks_hold_every_package_with_a_hash_and_no_host() -> None:
    locks = sorted((ROOT / "locks").iterdir())
    assert {lock.name for lock in locks} >= {"audit.txt", "demo.txt", "dev.txt", "installer.txt"}
    for lock in locks:
        text = lock.read_text(encoding="utf-8")
        assert not re.search(r"https?://|--index|--find-links", text)
        for entry in re.split(r"\n(?=[a-z0-9])", text.strip()):
            assert "--hash=sha256:" in entry, entry.splitlines()[0]


def test_locks_cover_what_the_project_asks_for() -> None:
    project = toml("pyproject.toml")
    always = project["project"]["dependencies"] + project["project"]["optional-dependencies"]["demo"]
    assert wanted(always) <= set(locked("demo.txt"))
    assert wanted(always + project["dependency-groups"]["dev"]) <= set(locked("dev.txt"))
    for group in ("audit", "installer"):
        assert wanted(project["dependency-groups"][group]) <= set(locked(f"{group}.txt"))


def test_the_demos_lock_is_a_part_of_the_tests_lock() -> None:
    every = locked("dev.txt")
    assert {
        name: versions for name, versions in locked("demo.txt").items() if every.get(name) != versions
    } == {}
