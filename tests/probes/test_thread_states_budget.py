"""Cost of bursts of looks at threads: by numbers alone, without a clock."""

import pytest

from loadrig.probes import thread_states
from loadrig.probes.thread_states import ADVANCE_S, MOST_SAVED_S, Savings

NS = 1_000_000_000
SHARE = 0.004


@pytest.fixture(autouse=True)
def _alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else's programs share the budget."""
    monkeypatch.setattr(thread_states, "_WATCHES", set())


def test_a_first_burst_is_lent_a_little() -> None:
    assert Savings().left_s(77 * NS, SHARE) == pytest.approx(ADVANCE_S)


def test_what_was_spent_in_advance_is_made_up_for() -> None:
    savings = Savings()
    savings.left_s(0, SHARE)
    savings.spend(ADVANCE_S + 10 * SHARE)
    assert savings.left_s(4 * NS, SHARE) == pytest.approx(-6 * SHARE)
    assert savings.left_s(11 * NS, SHARE) == pytest.approx(SHARE)


def test_what_a_pause_leaves_over_is_not_spent_at_once() -> None:
    savings = Savings()
    savings.left_s(0, SHARE)
    assert savings.left_s(3600 * NS, SHARE) == pytest.approx(MOST_SAVED_S)


def test_programs_share_the_budget(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thread_states, "_WATCHES", {"a", "b", "c", "d"})
    savings = Savings()
    assert savings.left_s(0, SHARE) == pytest.approx(ADVANCE_S / 4)
    assert savings.left_s(8 * NS, SHARE) == pytest.approx(ADVANCE_S / 4 + 2 * SHARE)
