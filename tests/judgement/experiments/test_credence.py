"""Credence of each claim, and what an experiment would tell: by what the claims foretell."""

import math
from collections.abc import Mapping

import numpy as np
import pytest

from loadrig.interventions import Lever
from loadrig.judgement.experiments.credence import (
    ELSEWHERE,
    LEAST_BITS,
    SURE,
    UNMOVED,
    Credence,
    Foretold,
    most_telling,
)
from loadrig.judgement.experiments.suspects import Suspect, suspects_in
from tests.judgement.experiments.examples import finding, result

DATABASE, POOL, HEAP = (
    Lever("cpu", "mariadb"),
    Lever("knob", "server", "pool"),
    Lever("knob", "server", "heap"),
)
FIFTH = math.log(0.8)
"""Move of throughput that follows a fifth less CPU one to one."""

Table = Mapping[tuple[str, Lever], Foretold]


def credence(table: Table, *causes: str) -> Credence:
    """Return the claims of some causes, of which the first is the likeliest, and what they foretell."""
    asked = suspects_in([finding(cause, "mariadb", gain=2.0) for cause in causes], [])

    def foretell(suspect: Suspect, lever: Lever, ratio: float | None) -> Foretold:
        return table.get((suspect.cause, lever), UNMOVED)

    return Credence(asked, foretell)


SPLIT: Table = {
    ("database_cpu", DATABASE): Foretold(FIFTH, 1.0),
    ("pool_too_small", POOL): Foretold(math.log(2), 1.0),
}


def test_chances_add_up_to_one_and_leave_room_for_none_of_the_claims() -> None:
    chances = credence(SPLIT, "database_cpu", "pool_too_small").chances([])
    assert chances.sum() == pytest.approx(1)
    assert chances[-1] == pytest.approx(ELSEWHERE)
    assert chances[0] > chances[1] > 0


def test_a_foretold_move_makes_a_claim_sure_and_its_absence_the_rival_likelier() -> None:
    claims = credence(SPLIT, "database_cpu", "pool_too_small")
    suspect, chance = claims.likeliest([result(DATABASE, "limits", gain=0.8)])
    assert suspect.cause == "database_cpu"
    assert chance >= SURE
    suspect, chance = claims.likeliest([result(DATABASE, "cleared", gain=1.0)])
    assert chance < SURE
    assert claims.chances([result(DATABASE, "cleared", gain=1.0)])[1] > claims.chances([])[1]


def test_a_move_of_another_size_than_foretold_says_less() -> None:
    claims = credence(SPLIT, "database_cpu", "pool_too_small")
    as_foretold, half = (claims.chances([result(DATABASE, "limits", gain=gain)])[0] for gain in (0.8, 0.92))
    assert as_foretold > half


def test_noise_of_the_measured_blocks_lowers_what_a_result_tells() -> None:
    claims, moved = credence(SPLIT, "database_cpu", "pool_too_small"), result(DATABASE, "limits", gain=0.8)
    noisy = result(DATABASE, "limits", gain=0.8, spread=0.4)
    assert claims.chances([moved])[0] > claims.chances([noisy])[0]


def test_a_lever_that_splits_the_claims_tells_more_than_one_that_all_foretell_alike() -> None:
    shared = {(cause, HEAP): Foretold(FIFTH, 1.0) for cause in ("database_cpu", "pool_too_small")}
    claims = credence({**SPLIT, **shared}, "database_cpu", "pool_too_small")
    own, both, none = (claims.bits(lever, None, []) for lever in (DATABASE, HEAP, Lever("cores", "host")))
    assert own > both > none
    assert none == pytest.approx(0, abs=1e-6)


def test_no_experiment_tells_more_than_there_is_doubt() -> None:
    claims = credence(SPLIT, "database_cpu", "pool_too_small")
    chances = claims.chances([])
    assert 0 < claims.bits(DATABASE, None, []) < -float(chances @ np.log2(chances))


def test_after_an_answer_the_same_lever_tells_less() -> None:
    claims = credence(SPLIT, "database_cpu", "pool_too_small")
    after = claims.bits(DATABASE, None, [result(DATABASE, "limits", gain=0.8)])
    assert after < claims.bits(DATABASE, None, [])


def test_claims_that_foretell_the_same_are_tied_until_something_splits_them() -> None:
    alike = {(cause, DATABASE): Foretold(FIFTH, 1.0) for cause in ("database_cpu", "pool_too_small")}
    claims = credence(
        {**alike, ("pool_too_small", POOL): Foretold(math.log(2), 1.0)}, "pool_too_small", "database_cpu"
    )
    still = result(POOL, "cleared", ratio=2.0, gain=1.0)
    both = [result(DATABASE, "limits", gain=0.8), result(POOL, "unsure", ratio=2.0, gain=1.15)]
    assert {suspect.cause for suspect in claims.tied(both)} == {"database_cpu", "pool_too_small"}
    assert claims.tied([*both, still, still]) == []


def test_levers_that_tell_alike_are_pulled_together_and_one_that_tells_most_alone() -> None:
    assert most_telling([1.0, 1.0, 1.0]) == [0, 1, 2]
    assert most_telling([0.1, 1.0, 0.1]) == [1]
    assert most_telling([LEAST_BITS / 2, 0.0]) == []
    assert most_telling([]) == []


def test_a_belief_says_which_result_has_raised_it_most() -> None:
    claims = credence(SPLIT, "database_cpu", "pool_too_small")
    still, moved = result(DATABASE, "cleared", gain=1.0), result(POOL, "limits", ratio=2.0, gain=2.0)
    beliefs = claims.beliefs([still, moved])
    pool, database = beliefs["pool_too_small", "mariadb"], beliefs["database_cpu", "mariadb"]
    assert pool.raised_by is moved
    assert pool.posterior > pool.prior
    assert database.posterior < database.prior
    assert database.raised_by is None
    assert claims.beliefs([])["database_cpu", "mariadb"].raised_by is None
