"""Every code of an error has a page, and every page belongs to a code."""

import ast
import re
from dataclasses import dataclass
from functools import cache

from tests.house.places import EXPLAIN, nodes, rust_files, short, trees_with

GIVES = re.compile(r"""\bcode\s*=|["'][a-z]+\.[a-z0-9]""")
"""Text of a module that gives a code, or has a text that looks like one: others need no parsing."""

CODE = re.compile(r"(?P<area>[a-z]+)\.[a-z0-9]+(?:-[a-z0-9]+)*$")
IN_RUST = re.compile(r'"([a-z]+\.[a-z0-9]+(?:-[a-z0-9]+)*)"')
HEADINGS = ("## What it means", "## Example", "## How to mend")

PAGES = sorted(path for path in EXPLAIN.glob("*.md") if "." in path.stem)


@dataclass(frozen=True)
class CodesOfSource:
    """Codes that the source gives to errors, each with its place, and all texts that look like a code."""

    raised: dict[str, str]
    mentioned: set[str]


@cache
def codes_of_source() -> CodesOfSource:
    """Read the source once: some codes are handed on by name, so what has their form counts as mentioned."""
    raised, mentioned = {}, set()
    for path, tree in trees_with(GIVES):
        for node in nodes(tree):
            if isinstance(node, ast.Constant):
                if isinstance(node.value, str) and CODE.match(node.value):
                    mentioned.add(node.value)
            elif isinstance(node, ast.Call):
                for keyword in node.keywords:
                    value = keyword.value
                    if (
                        keyword.arg == "code"
                        and isinstance(value, ast.Constant)
                        and CODE.match(str(value.value))
                    ):
                        raised[str(value.value)] = f"{short(path)}:{node.lineno}"
    for path in rust_files():
        for code in IN_RUST.findall(path.read_text(encoding="utf-8")):
            mentioned.add(code)
            if code.startswith("engine."):
                raised[code] = short(path)
    return CodesOfSource(raised, mentioned)


def test_every_code_has_a_page() -> None:
    paged = {path.stem for path in PAGES}
    assert {code: place for code, place in codes_of_source().raised.items() if code not in paged} == {}


def test_a_page_belongs_to_a_code() -> None:
    unsaid = {path.stem for path in PAGES} - codes_of_source().mentioned
    assert not unsaid, f"nothing in the source says these codes: {unsaid}; remove explain/CODE.md of each"


def test_a_page_says_what_it_means_and_how_to_mend_it() -> None:
    faults = []
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        if not re.match(rf"# {re.escape(path.stem)}: \S", text):
            faults.append(f"{path.name}: the first line is `# code: what it is`")
        places = [text.find(heading) for heading in HEADINGS]
        if -1 in places or places != sorted(places):
            faults.append(f"{path.name}: headings wanted, in this order: {HEADINGS}")
    assert faults == []


def test_words_of_the_glossary_have_a_title_and_a_meaning() -> None:
    thin = []
    for path in sorted((EXPLAIN / "words").glob("*.md")):
        title, _, rest = path.read_text(encoding="utf-8").partition("\n")
        if not title.startswith("# ") or len(rest.split()) < 5:
            thin.append(path.name)
    assert thin == []
