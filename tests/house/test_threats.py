"""The threat model names tests that exist, and every fuzz target."""

import re

import pytest

from loadrig.plan import holes
from tests.house.places import ROOT

PAGE = ROOT / "docs" / "concepts" / "threat-model.md"


def sections() -> dict[str, str]:
    """Return the text below each heading of the page."""
    parts = re.split(r"^## (.+)$", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_what_the_threat_model_rests_on_are_tests_that_exist() -> None:
    named = re.findall(r"`((?:tests|crates)/[\w/.-]+\.(?:py|rs))::(\w+)`", PAGE.read_text(encoding="utf-8"))
    assert len(named) >= 40
    missing = [
        f"{path}::{name}"
        for path, name in named
        if not (ROOT / path).is_file()
        or not re.search(rf"\b(?:def|fn) {name}\b", (ROOT / path).read_text(encoding="utf-8"))
    ]
    assert missing == []


def test_every_row_of_an_attack_names_the_test_that_shows_its_defence() -> None:
    bare = []
    for name, text in sections().items():
        table = re.search(r"^\| attack \|.*\n\| ---.*\n((?:\|.*\n)+)", text, re.MULTILINE)
        bare += (
            [] if table is None else [f"{name}: {row}" for row in table[1].splitlines() if "::" not in row]
        )
    assert bare == []


def test_every_way_in_says_what_is_not_defended() -> None:
    ways = [
        "A plan",
        "A run's folder",
        "A server's answer",
        "Files of other tools",
        "The observer on another host",
    ]
    ways += [
        "Leases and other users of this machine",
        "The environment",
        "The proxy",
        "What loadrig is made of",
    ]
    by_heading = sections()
    assert [way for way in ways if "**Not defended:**" not in by_heading[way]] == []


def test_every_fuzz_target_is_named_and_no_other() -> None:
    rows = re.findall(r"^\| (`.+`) \|", sections()["Fuzzing"], re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    assert named == {path.stem for path in (ROOT / "fuzz" / "fuzz_targets").glob("*.rs")}


@pytest.mark.parametrize("page", ["SECURITY.md", "docs/guide/secrets.md"])
def test_every_kind_of_hole_that_a_secret_fills_is_told(page: str) -> None:
    kinds = {hole.partition(":")[0] for hole in holes.secrets_in((ROOT / page).read_text(encoding="utf-8"))}
    assert kinds == set(holes.SECRET_KINDS)
