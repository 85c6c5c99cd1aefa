"""Completion of a plan while it is typed: `|` stands for the cursor."""

import pytest

from loadrig.base import members
from loadrig.plan.completion import proposals


def proposed(text: str) -> tuple[str, list[str]]:
    before, _, after = text.partition("|")
    lines = before.split("\n")
    word, rows = proposals(before + after, len(lines), len(lines[-1]) + 1)
    return word, [row.text for row in rows]


@pytest.mark.parametrize(
    ("text", "word", "some"),
    [
        ("|", "", ["loadrig: ", "target: ", "workload: "]),
        ("lo|", "lo", ["loadrig: "]),
        ("target:\n  gunicorn:\n    ch|", "ch", ["chdir: "]),
        ("workload:\n  users: 3\n  req|\n", "req", ["requests: "]),
        ("workload:\n  requests:\n    - {get: /}\n    - p|", "p", ["post: ", "put: ", "patch: "]),
        ("workload:\n  requests:\n  - get: /\n    ex|", "ex", ["expect: ", "extract: "]),
        ("workload:\n  rate:\n    arrivals: p|", "p", ["poisson"]),
        ("study:\n  find: c|", "c", ["capacity"]),
        ("knobs:\n  workers:\n    b|", "b", ["base: "]),
        ("workload:\n  connections:\n    keep_alive: |", "", ["true", "false"]),
    ],
)
def test_keys_and_words_of_a_place_are_proposed(text: str, word: str, some: list[str]) -> None:
    word_before, texts = proposed(text)
    assert word_before == word
    assert set(some) <= set(texts)
    assert all(text.startswith(word) for text in texts)


def test_members_of_a_room_are_proposed_with_what_they_mean_left_to_their_page() -> None:
    _, texts = proposed("target:\n  |")
    assert texts == [f"{name}: " for name in members.names("loadrig.target")]


def test_a_key_that_stands_there_already_is_not_proposed_again() -> None:
    _, texts = proposed("workload:\n  users: 3\n  |\n  requests: []\n")
    assert not {"users: ", "requests: "} & set(texts)
    assert "think: " in texts


@pytest.mark.parametrize(
    "text", ["# lo|", "target: {|", "goals: [|", "name: some |", "nothing:\n  |", "knobs:\n  |"]
)
def test_where_nothing_is_known_nothing_is_proposed(text: str) -> None:
    assert proposed(text)[1] == []


@pytest.mark.parametrize(("line", "column"), [(0, 0), (99, 1), (1, 99), (-3, -3)])
def test_a_place_outside_the_text_fails_nothing(line: int, column: int) -> None:
    proposals("loadrig: 1\n", line, column)
