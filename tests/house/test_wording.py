"""A sentence is asserted in one place, the golden file of its view; other tests assert values.

A change of a sentence then touches one golden file, which `make golden` writes anew and a person reads.
"""

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

from tests.house.places import ROOT, files

TESTS = ROOT / "tests"

WORDS = 4
"""Words of letters in a row of text that make it prose: fewer are names, flags and commands."""

WORD = re.compile(r"[A-Za-z]+(?:'[a-z]+)?")
ENDS = {"startswith", "endswith"}

MOST = {"bench": 4, "judgement": 3, "probes": 5}
"""Assertions on prose that a folder may have: names and facts of so many words, words of other programs.
Other folders may have none. Lower it, never raise it."""


def is_prose(node: ast.expr) -> bool:
    """Return whether an expression is a text of so many words, its holes left out."""
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    text = "".join(str(part.value) for part in parts if isinstance(part, ast.Constant))
    if not isinstance(node, ast.JoinedStr) and not isinstance(getattr(node, "value", None), str):
        return False
    return sum(bool(WORD.fullmatch(word.strip("`'\".,;:()?!"))) for word in text.split()) >= WORDS


def texts(node: ast.expr) -> list[ast.expr]:
    """Return an expression, or the items of the collections that it is made of."""
    match node:
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [text for item in items for text in texts(item)]
        case ast.Dict(values=values):
            return [text for value in values for text in texts(value)]
        case _:
            return [node]


def sought(test: ast.expr) -> list[ast.expr]:
    """Return what an assertion compares, looks for, or wants at the begin or the end of a text."""
    compared: list[ast.expr] = []
    for node in ast.walk(test):
        if isinstance(node, ast.Compare):
            compared += texts(node.left)
            compared += [text for comparator in node.comparators for text in texts(comparator)]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ENDS:
            compared += [text for argument in node.args for text in texts(argument)]
    return compared


def on_prose(path: Path) -> list[str]:
    """Return the places of a file's assertions on prose, those of `pytest.raises(…, match=…)` among them."""
    places = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assert):
            wanted = sought(node.test)
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "raises":
            wanted = [keyword.value for keyword in node.keywords if keyword.arg == "match"]
        else:
            continue
        if any(is_prose(text) for text in wanted):
            places.append(f"{path.relative_to(ROOT).as_posix()}:{node.lineno}")
    return places


def folders() -> list[str]:
    return sorted(path.name for path in TESTS.iterdir() if (path / "__init__.py").is_file())


@pytest.mark.parametrize("folder", folders())
def test_a_sentence_is_asserted_by_its_golden_file_alone(folder: str) -> None:
    ours = [path for path in files() if path.suffix == ".py" and TESTS / folder in path.parents]
    places = [place for path in ours for place in on_prose(path)]
    most = MOST.get(folder, 0)
    assert len(places) <= most, (
        f"{len(places)} assertions on prose and {most} may be: assert the value, or let a golden file hold it"
        f" (snapshot): {places}"
    )


@pytest.mark.parametrize(
    ("line", "count"),
    [
        ("assert said == 'it leaks with every request'", 1),
        ("assert f'nothing listens on {port} of this host' in err", 1),
        ("assert lines == ['a', ('b', 'the time for measuring was up')]", 1),
        ("assert any(text.startswith('no leak that matters') for text in said)", 1),
        ("with pytest.raises(OSError, match='nothing listens on this port'): ...", 1),
        ("assert code == 'plan.unknown-key', 'this is a word to the reader of a test'", 0),
        ("assert 'loadrig run out --resume' in err", 0),
        ("assert found(text='this is what it is given') == 3", 0),
    ],
)
def test_what_counts_as_prose(line: str, count: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.house.test_wording.ROOT", tmp_path)
    (tmp_path / "test_it.py").write_text(line, encoding="utf-8")
    assert Counter(place.partition(":")[0] for place in on_prose(tmp_path / "test_it.py")) == (
        Counter({"test_it.py": count}) if count else Counter()
    )
