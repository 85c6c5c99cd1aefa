"""A sentence is asserted in one place, the golden file of its view; other tests assert values.

A change of a sentence then touches one golden file, which `make golden` writes anew and a person reads.
"""

from collections import Counter
from pathlib import Path

import pytest

from tests.house.places import ROOT, folders_of_tests
from tests.house.test_names import named_in

TESTS = ROOT / "tests"

MOST = {"bench": 4, "judgement": 3, "probes": 5}
"""Assertions on prose that a folder may have: names and facts of so many words, words of other programs.
Other folders may have none. Lower it, never raise it."""


def on_prose(path: Path) -> list[str]:
    """Return the places of a file's assertions on prose, those of `pytest.raises(…, match=…)` among them."""
    return [f"{path.relative_to(ROOT).as_posix()}:{line}" for line in named_in(path).on_prose]


def folders() -> list[str]:
    return sorted(path.name for path in TESTS.iterdir() if (path / "__init__.py").is_file())


@pytest.mark.parametrize("folder", folders())
def test_a_sentence_is_asserted_by_its_golden_file_alone(folder: str) -> None:
    places = [place for path in folders_of_tests()[folder] for place in on_prose(path)]
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
