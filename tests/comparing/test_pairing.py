"""Pairs of trials that ran side by side."""

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from loadrig.comparing.pairing import pairing
from loadrig.comparing.read import read_side
from loadrig.comparing.side import Side
from tests.comparing import fabricated


def side(name: str, times: list[float]) -> Side:
    """Return the side of runs of one trial at these times."""
    trials = tuple(fabricated.measured(run=n, began_s=at) for n, at in enumerate(times))
    return Side(name, {}, trials, tuple(Path(f"{name}{n}") for n in range(len(times))))


def order(text: str) -> tuple[Side, Side]:
    """Return two sides whose runs came in this order."""
    times = [[1.0 + at for at, letter in enumerate(text) if letter == name] for name in "AB"]
    return side("a", times[0]), side("b", times[1])


def test_blocks_of_one_study_are_pairs_by_their_number(tmp_path: Path) -> None:
    folder = fabricated.study(
        tmp_path / "s", [({"workers": 2}, 400.0), ({"workers": 4}, 500.0)], blocks=4, void=[6]
    )
    paired = pairing(read_side(f"{folder}#0"), read_side(f"{folder}#1"))
    assert paired.how == "blocks"
    assert [first[0].block for first, _ in paired.pairs] == [0, 2, 3]
    assert all(first[0].block == second[0].block for first, second in paired.pairs)


def test_runs_in_turns_are_pairs_also_where_the_order_is_by_lot() -> None:
    for text in ("ABAB", "ABBA", "BAABABBA"):
        paired = pairing(*order(text))
        assert (paired.how, len(paired.pairs)) == ("turns", len(text) // 2), text


def test_runs_one_after_the_other_are_no_pairs() -> None:
    for text in ("AB", "AAABBB", "BBAA", "AAAABBBBA"):
        assert pairing(*order(text)).pairs == (), text


def test_a_run_that_was_lost_leaves_the_others_paired() -> None:
    paired = pairing(*order("ABAABABAB"))
    assert (paired.how, len(paired.pairs)) == ("turns", 4)


def test_one_that_always_comes_first_is_told() -> None:
    assert pairing(*order("ABABAB")).is_one_sided
    assert not pairing(*order("ABBAAB")).is_one_sided
    assert not pairing(*order("ABAB")).is_one_sided


def test_runs_of_which_nobody_knows_when_they_ran_are_no_pairs() -> None:
    assert pairing(side("a", [0.0, 0.0]), side("b", [0.0, 0.0])).how == "apart"


@given(st.text(alphabet="AB", min_size=2, max_size=24))
def test_pairs_are_of_both_sides_and_no_run_is_in_two(text: str) -> None:
    if set(text) != {"A", "B"}:
        return
    a, b = order(text)
    paired = pairing(a, b)
    firsts = [trial for block, _ in paired.pairs for trial in block]
    seconds = [trial for _, block in paired.pairs for trial in block]
    assert set(map(id, firsts)) <= set(map(id, a.trials))
    assert set(map(id, seconds)) <= set(map(id, b.trials))
    assert len(set(map(id, firsts))) == len(paired.pairs) == len(set(map(id, seconds)))
