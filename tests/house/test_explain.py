"""Every code of an error has a page, and every page belongs to a code."""

import ast
import re
from functools import cache

import pytest

from tests.house.places import EXPLAIN, python_files, rust_files, short

CODE = re.compile(r"(?P<area>[a-z]+)\.[a-z0-9]+(?:-[a-z0-9]+)*$")
IN_RUST = re.compile(r'"([a-z]+\.[a-z0-9]+(?:-[a-z0-9]+)*)"')
HEADINGS = ("## What it means", "## Example", "## How to mend")

PAGES = sorted(path for path in EXPLAIN.glob("*.md") if "." in path.stem)


@cache
def given() -> dict[str, str]:
    """Return every code that the source gives to an error, and one place where it does."""
    places: dict[str, str] = {}
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            for keyword in node.keywords:
                value = keyword.value
                if keyword.arg == "code" and isinstance(value, ast.Constant) and CODE.match(str(value.value)):
                    places[str(value.value)] = f"{short(path)}:{node.lineno}"
    for path in rust_files():
        for code in IN_RUST.findall(path.read_text(encoding="utf-8")):
            if code.startswith("engine."):
                places[code] = short(path)
    return places


@cache
def mentioned() -> set[str]:
    """Return every text in the source that has the form of a code: some are handed on by name."""
    codes = {code for path in rust_files() for code in IN_RUST.findall(path.read_text(encoding="utf-8"))}
    for path in python_files():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.match(node.value):
                codes.add(node.value)
    return codes


def test_every_code_has_a_page() -> None:
    paged = {path.stem for path in PAGES}
    assert {code: place for code, place in given().items() if code not in paged} == {}


@pytest.mark.parametrize("page", [path.stem for path in PAGES])
def test_a_page_belongs_to_a_code(page: str) -> None:
    assert page in mentioned(), f"nothing in the source says {page}; remove explain/{page}.md"


@pytest.mark.parametrize("page", [path.stem for path in PAGES])
def test_a_page_says_what_it_means_and_how_to_mend_it(page: str) -> None:
    text = (EXPLAIN / f"{page}.md").read_text(encoding="utf-8")
    assert re.match(rf"# {re.escape(page)}: \S", text), "the first line is `# code: what it is`"
    places = [text.find(heading) for heading in HEADINGS]
    assert -1 not in places, f"headings wanted, in this order: {HEADINGS}"
    assert places == sorted(places)


def test_words_of_the_glossary_have_a_title_and_a_meaning() -> None:
    thin = []
    for path in sorted((EXPLAIN / "words").glob("*.md")):
        title, _, rest = path.read_text(encoding="utf-8").partition("\n")
        if not title.startswith("# ") or len(rest.split()) < 5:
            thin.append(path.name)
    assert thin == []
