"""Measured numbers in words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.estimate import Estimate
from loadrig.report import numbers


def test_an_estimate_is_told_on_one_scale_with_its_n() -> None:
    estimate = Estimate(0.0412, "s", 0.0398, 0.043, n=18_204)
    assert numbers.whole(estimate) == "41.2 ms (39.8 – 43, n = 18,204)"


def test_other_observations_than_requests_are_named() -> None:
    estimate = Estimate(412.0, "1/s", 408.0, 417.0, n=6, of="blocks")
    assert numbers.whole(estimate) == "412/s (408 – 417, n = 6 blocks)"


def test_an_estimate_without_an_interval_claims_none() -> None:
    assert numbers.whole(Estimate(3.0, "s")) == "3 s"
    assert numbers.interval(Estimate(3.0, "s")) == numbers.interval(None) == "–"


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(1.0, "0 %"), (1.034, "+3.4 %"), (0.9, "−10 %"), (1.95, "+95 %"), (4.2, "×4.2"), (1.0004, "0 %")],
)
def test_a_ratio_is_told_as_a_change(ratio: float, text: str) -> None:
    assert numbers.change(ratio) == text


def test_an_interval_of_changes_has_one_notation() -> None:
    assert numbers.change_span(0.988, 1.034) == "−1.2 … +3.4 %"
    assert numbers.change_span(1.9, 3.4) == "×1.9 … ×3.4"


def test_what_is_not_all_is_never_called_all() -> None:
    assert numbers.share_of(99_999, 100_000) == "> 99.9 %"
    assert numbers.share_of(100_000, 100_000) == "100 %"


@given(st.floats(1e-9, 1e9), st.integers(2, 6))
def test_rounding_for_a_chart_moves_a_value_by_no_more_than_its_last_digit(value: float, digits: int) -> None:
    short = numbers.rounded(value, digits)
    assert short is not None
    assert abs(short - value) <= value * 10.0 ** (1 - digits)


@given(st.lists(st.text(min_size=1), min_size=1, max_size=9))
def test_a_list_names_as_many_as_it_says(items: list[str]) -> None:
    sentence = numbers.listed(items)
    assert sentence.startswith(items[0])
    assert ("more" in sentence) or len(items) <= 4 or "more" in "".join(items)
