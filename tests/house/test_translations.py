"""Translations of pages: what is shown, and how it is cut into sections, is that of the English page."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = sorted(ROOT.glob("*.ko.md")) + sorted((ROOT / "docs").rglob("*.ko.md"))

BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ ", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)")


def test_there_are_translations() -> None:
    assert TRANSLATED


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_a_translation_shows_what_its_page_shows(page: Path) -> None:
    here, english = (
        path.read_text(encoding="utf-8") for path in (page, page.with_name(page.name.replace(".ko.", ".")))
    )
    assert BLOCK.findall(here) == BLOCK.findall(english)
    without = [BLOCK.sub("", text) for text in (here, english)]
    assert HEADING.findall(without[0]) == HEADING.findall(without[1])
    links = [{link for link in LINK.findall(text) if not link.endswith("README.ko.md")} for text in without]
    assert links[0] - {"README.md"} == links[1]
