"""Translations are of the English texts as these are now, and show what the English pages show."""

import importlib.util
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRANSLATED = sorted(ROOT.glob("*.ko.md")) + sorted((ROOT / "docs").rglob("*.ko.md"))

BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ ", re.MULTILINE)
LINK = re.compile(r"\]\(([^)#]+)")
ROW = re.compile(r"^\|.*$", re.MULTILINE)
FIGURE = re.compile(r"\d+(?:[.,]\d+)*")


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


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_a_translated_table_has_the_figures_of_its_page(page: Path) -> None:
    here, english = (
        ROW.findall(BLOCK.sub("", path.read_text(encoding="utf-8")))
        for path in (page, page.with_name(page.name.replace(".ko.", ".")))
    )
    assert len(here) == len(english)
    for own, row in zip(here, english, strict=True):
        # What English spells out ("three runs") may be a figure in another language.
        assert Counter(FIGURE.findall(row)) <= Counter(FIGURE.findall(own)), own


def translated() -> ModuleType:
    """Return `scripts/translated.py` as a module."""
    spec = importlib.util.spec_from_file_location("translated", ROOT / "scripts" / "translated.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_page_and_description_is_translated_from_the_english_text_of_now() -> None:
    script = ROOT / "scripts" / "translated.py"
    done = subprocess.run(
        [sys.executable, script, "check"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_description_whose_english_text_has_changed_is_named() -> None:
    noted = {"metrics/a: same": "1", "metrics/a: changed": "1"}
    digests = {"metrics/a: same": "1", "metrics/a: changed": "2", "metrics/a: missing": "3"}
    here = {"metrics/a: same", "metrics/a: changed", "metrics/a: gone"}
    complaints = list(translated()._complaints(noted, digests, here))
    assert [complaint.partition(" is ")[0] for complaint in complaints] == [
        "metrics/a: changed", "metrics/a: missing", "metrics/a: gone",
    ]  # fmt: skip
