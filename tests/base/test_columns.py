"""Texts are as wide as a terminal shows them, and lose no word where they are wrapped."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.columns import width, wrapped

TEXTS = st.text(alphabet="ab 가나é", max_size=80)


@pytest.mark.parametrize(("text", "columns"), [("p99", 3), ("처리량", 6), ("e\u0301", 1), ("", 0)])
def test_a_text_has_the_columns_that_a_terminal_gives_it(text: str, columns: int) -> None:
    assert width(text) == columns


@given(TEXTS, st.integers(4, 40))
def test_nothing_is_lost_and_no_line_is_too_wide(text: str, most: int) -> None:
    lines = wrapped(text, most)
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert all(width(line) <= most for line in lines)


@given(TEXTS)
def test_what_fits_is_one_line(text: str) -> None:
    assert wrapped(text, 200) == (
        [" ".join(text.split())] if width(text) > len(text) and text.strip() else textwrap.wrap(text, 200)
    )


def test_lines_after_the_first_are_indented() -> None:
    assert wrapped("요청 하나에 시간이", 10, subsequent_indent="  ") == ["요청", "  하나에", "  시간이"]
