"""Text of others on a terminal: no control character reaches it, whatever says it."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.errors import Problem, Span
from loadrig.base.printable import in_one_line, printable

STEERING = "\x1b[2J\x1b]0;title\x07\x9b31m\r\x00\x08\x7f\u202e\u2066\u2028\u2029\x85"
CONTROLS = sorted(letter for letter in set(STEERING) if not letter.isprintable())


@given(st.text())
def test_no_control_character_is_left_and_no_width_changes(text: str) -> None:
    shown = printable(text)
    assert len(shown) == len(text)
    assert not {letter for letter in shown if unicodedata.category(letter) in ("Cc", "Cs")} - {"\n", "\t"}
    assert printable(shown) == shown


@given(st.text(st.characters(exclude_categories=["C", "Z"])))
def test_plain_text_stays_as_it_is(text: str) -> None:
    assert printable(text) == text


@pytest.mark.parametrize("letter", CONTROLS, ids=ascii)
def test_what_steers_a_terminal_becomes_a_picture(letter: str) -> None:
    assert printable(f"a{letter}b")[1] not in CONTROLS


def test_line_feeds_stay_in_a_page_and_go_from_a_line() -> None:
    assert printable("a\n\tb") == "a\n\tb"
    assert in_one_line("a\nb") == "a␊b"


def test_a_problem_that_quotes_a_server_steers_nothing() -> None:
    problem = Problem(
        what=f"died {STEERING}", mend=STEERING, code="a.b", why=STEERING, detail=(STEERING,),
        where=Span("plan.yaml", 1, 2, 3, f"x: {STEERING}"),
    )  # fmt: skip
    assert not set(problem.render()) & set(CONTROLS)
