"""The reader of simple YAML says what the YAML library says, or nothing at all."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loadrig.base.errors import PlanError
from loadrig.plan import yaml_library, yaml_simple
from loadrig.plan.quick import quick_plan
from loadrig.plan.yaml_text import Lines
from tests.house.places import ROOT

PLANS = sorted([*ROOT.glob("examples/*.yaml"), *ROOT.glob("tests/plan/cases/*/*/plan.yaml")])

PIECES = (
    " ", "  ", "\n", "\n  ", "- ", ": ", ":", "#", " #", "{", "}", "[", "]", ",", ", ", "'", '"', "''", "\\",
    "-", "?", "!", "&a", "*a", "|", ">", "%", "@", "`", "~", "null", "true", "0x1f", "1e3", ".5", "---",
    "...", "\t", "\u2028", "é", "a", "<<: ", "\r\n", "$", "=", "- - ", "a: b", "? a", "{a: 1}", "[1, 2]",
    "\n\n", "# c\n", '"x"', "'x'", '"\\n"', '"\\q"', "1_000", "0o7", "+1", "-1",
    "- 1", ".inf", "\ufeff", "\x85",
)  # fmt: skip
"""What texts are damaged with: every sign that means something in YAML, and words that look like values."""


def held_against_the_library(text: str) -> bool:
    """Whether the simple reader read it; then the library must read the very same, and see no problem."""
    found = yaml_simple.read(Lines(text, "plan.yaml"))
    if found is None:
        return False
    try:
        expected = yaml_library.read(Lines(text, "plan.yaml"))
    except PlanError as error:
        pytest.fail(f"the library refuses {text!r}: {error}")
    # By their texts: 1 is not true there, and not-a-number is itself.
    assert repr((found, [])) == repr(expected), text
    return True


def readable() -> list[str]:
    texts = []
    for path in PLANS:
        try:
            texts.append(path.read_bytes().decode("utf-8"))
        except UnicodeDecodeError:
            continue
    return texts


def test_plans_as_people_write_them_are_read_the_same() -> None:
    read = [held_against_the_library(text) for text in readable()]
    # Most of them: else all of it would be for nothing.
    assert sum(read) > len(read) / 2


@settings(deadline=None, max_examples=300)
@given(st.integers(0, 2**32))
def test_damaged_plans_are_read_the_same_or_left_to_the_library(seed: int) -> None:
    chance = random.Random(seed)
    text = chance.choice(readable())
    if chance.random() < 0.7:
        lines = text.split("\n")
        first = chance.randrange(len(lines))
        some = lines[first : first + chance.randint(1, 8)]
        margin = min((len(line) - len(line.lstrip(" ")) for line in some if line.strip()), default=0)
        text = "\n".join(line[margin:] for line in some)
    for _ in range(chance.randint(0, 3)):
        place = chance.randrange(len(text) + 1)
        cut = chance.choice((0, 0, 1, 2))
        text = text[:place] + chance.choice(PIECES) + text[place + cut :]
    held_against_the_library(text)


printed = st.text(st.characters(codec="utf-8"), max_size=20)
ascii_words = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 .=;/-]{0,12}", fullmatch=True)


@settings(deadline=None, max_examples=100)
@given(
    body=st.none() | printed.filter(lambda text: not text.startswith("@")),
    headers=st.dictionaries(
        st.from_regex(r"X-[A-Za-z0-9!$%&'*+.^_`|~ -]{1,8}[a-z]", fullmatch=True), ascii_words, max_size=3
    ),
    duration=st.none() | printed,
    rate=st.none() | ascii_words,
    goals=st.lists(printed, max_size=2),
    close=st.booleans(),
)
def test_every_plan_of_a_quick_command_is_read_without_the_library(
    body: str | None,
    headers: dict[str, str],
    duration: str | None,
    rate: str | None,
    goals: list[str],
    close: bool,
) -> None:
    text = quick_plan(
        "http://127.0.0.1:8000/a b?c={d}&e=#x",
        body=body,
        headers=tuple(f"{name}: {value}" for name, value in headers.items()),
        duration=duration,
        rate=rate,
        goals=tuple(goals),
        keep_alive=not close,
        connections="3",
    )
    # The library refuses some characters of the planes beyond the first, even escaped or in comments.
    if not re.search(r"[^\n -~\u00a0-\ud7ff\ue000-\ufffd]", text):
        assert held_against_the_library(text), text


@pytest.mark.parametrize(
    "text",
    ["", "# nothing\n", "a", "- a\n", "a: &x 1\nb: *x\n", "a: !t 1\n", "a: |\n  b\n", "a: b\n  c\n",
     "a: 1\na: 2\n", "\ta: 1\n", "a: [1,\n  2]\n", "a: 'b\n  c'\n", "--- {a: 1}\n", "a: 1\r\nb: 2\r\n",
     "? a\n: b\n", "a: b: c\n", "a: {b}\n", "a: 1\n b: 2\n", "a: @b\n", "<<: {a: 1}\n"],
)  # fmt: skip
def test_what_is_not_simple_is_left_to_the_library(text: str) -> None:
    assert yaml_simple.read(Lines(text, "plan.yaml")) is None
