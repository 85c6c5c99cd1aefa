"""An error says what, where, why and how to mend it, on lines that a person and grep can read."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import (
    WIDEST,
    Interrupted,
    PlanError,
    Problem,
    RigError,
    Span,
    TargetError,
    VoidError,
)
from loadrig.base.exits import Exit
from tests.wording import codes

CONNECTIONS = Problem(
    what="10 connections cannot carry 2,000 requests a second",
    where=Span("plan.yaml", 14, 16, 2, "  connections: 10"),
    why="each would have to finish a request every 5 ms; the last trial saw 80 ms",
    mend="set connections to at least 160, or leave it out and let the rig choose",
    code="plan.connections-too-few",
)


def test_a_problem_is_printed_as_the_style_page_shows_it(snapshot: SnapshotAssertion) -> None:
    assert CONNECTIONS.render() == snapshot
    assert CONNECTIONS.render().splitlines()[0] == f"plan.yaml:14:16: {CONNECTIONS.what}"
    assert codes(CONNECTIONS.render()) == [CONNECTIONS.code]


def test_an_error_of_one_problem_is_made_of_its_parts() -> None:
    error_words = ErrorWords(CONNECTIONS.what, CONNECTIONS.mend, CONNECTIONS.why)
    error = PlanError.of(error_words, where=CONNECTIONS.where, code=CONNECTIONS.code)
    assert isinstance(error, PlanError)
    assert error.problems == (CONNECTIONS,)


def test_a_problem_without_a_place_says_what_and_how_to_mend_it(snapshot: SnapshotAssertion) -> None:
    problem = Problem("nothing listens", "start the server first", "target.not-listening")
    assert problem.render() == snapshot


def test_last_lines_are_shown_as_they_are() -> None:
    problem = Problem("it exited", "mend it", "target.exited", detail=("one", "  two"))
    assert "   | one\n   |   two\n" in problem.render()


@pytest.mark.parametrize(
    ("span", "text"),
    [(Span("--rate"), "--rate"), (Span("plan.yaml", 3, 7), "plan.yaml:3:7")],
)
def test_a_place_is_shown_as_editors_understand_it(span: Span, text: str) -> None:
    assert str(span) == text


def underlined(span: Span) -> tuple[str, str]:
    """Return the shown line and what stands over the carets."""
    lines = Problem("what", "mend", "plan.path", where=span).render().splitlines()
    line, carets = lines[2], lines[3]
    return line, line[carets.index("^") : carets.rindex("^") + 1]


def test_a_tab_moves_no_caret() -> None:
    assert underlined(Span("p", 1, 7, 3, "\ta: \t xyz"))[1] == "xyz"


def test_wide_letters_and_accents_are_counted_as_terminals_do() -> None:
    text = "name: 負荷 e\u0301 xyz"
    lines = Problem("w", "m", "plan.path", where=Span("p", 1, 13, 3, text)).render().splitlines()
    # Two ideographs take two columns each, the combining accent takes none.
    assert lines[3].index("^") == lines[2].index("xyz") + 2 - 1
    assert lines[3].count("^") == 3


@given(st.integers(0, 300), st.integers(1, 20), st.integers(0, 300))
def test_a_long_line_is_cut_around_what_is_meant(before: int, length: int, after: int) -> None:
    text = "a" * before + "X" * length + "b" * after
    line, meant = underlined(Span("p", 1, before + 1, length, text))
    assert len(line) <= WIDEST + len("   1 │ ")
    assert meant == "X" * length


def test_problems_are_told_in_the_order_of_their_places() -> None:
    later = Problem("later", "m", "plan.path", where=Span("plan.yaml", 20, 1))
    nowhere = Problem("nowhere", "m", "plan.path")
    text = PlanError([nowhere, later, CONNECTIONS]).render()
    assert [line for line in text.splitlines() if line[:1].strip()] == [
        f"plan.yaml:14:16: {CONNECTIONS.what}",
        "plan.yaml:20:1: later",
        "nowhere",
    ]


@pytest.mark.parametrize(
    ("kind", "code"),
    [(PlanError, 104), (TargetError, 120), (VoidError, 111), (Interrupted, 105), (RigError, 70)],
)
def test_each_kind_of_error_has_its_exit_code(kind: type[RigError], code: int) -> None:
    error = kind(CONNECTIONS)
    assert (error.exit, error.problems) == (code, (CONNECTIONS,))
    assert str(error) == CONNECTIONS.what


def test_exit_codes_are_those_of_the_public_contract() -> None:
    assert {code.name: int(code) for code in Exit} == {
        "FINE": 0,
        "FAULT": 70,
        "GOAL_MISSED": 99,
        "PLAN_WRONG": 104,
        "INTERRUPTED": 105,
        "VOID": 111,
        "UNDECIDED": 112,
        "REGRESSION": 113,
        "TARGET_FAILED": 120,
        "READER_GONE": 141,
    }
