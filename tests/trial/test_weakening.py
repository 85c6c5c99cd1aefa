"""Claims that a disturbance leaves of a trial: which claims weaken, by how much, and which stand."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.claims import CLAIMS, EFFECTS, together
from loadrig.trial import checks
from loadrig.trial.evidence import ValidityEvidence
from loadrig.trial.reasons import Reason
from loadrig.trial.validity import Validity, of_evidence, of_remarks
from loadrig.trial.weakening import MOST_WIDER, TABLE, weakened
from tests.trial.clean import healthy, witness


def judged(**other: Any) -> Validity:
    run: ValidityEvidence = replace(healthy(), **other)
    return of_evidence(run)


def effects(validity: Validity) -> Mapping[str, str]:
    return {claim.claim: claim.effect for claim in validity.weakened}


def test_nothing_weakens_where_nothing_disturbed() -> None:
    assert judged() == Validity("valid", ())


@pytest.mark.parametrize("share", [0.02, 0.05, 0.10, 0.15, 0.25])
def test_under_steal_facts_ratios_and_load_stand_and_what_is_in_seconds_is_off_by_it(share: float) -> None:
    validity = judged(host_stolen_share=share)
    assert validity.verdict == "disturbed"
    assert effects(validity) == {"rates": "wider", "times": "wider", "tails": "wider"}
    assert [claim.by for claim in validity.weakened] == pytest.approx([share] * 3)
    assert validity.has_load
    assert validity.is_comparable


def test_steal_of_one_core_is_not_counted_twice() -> None:
    validity = judged(host_stolen_share=0.2, witness=witness(stolen_share=0.1))
    assert [reason.by for reason in validity.reasons] == [0.2]


def test_disturbances_add_up_as_what_is_left_of_the_time() -> None:
    validity = judged(run_delay_share=0.1, witness=witness(throttled_share=0.2, stolen_share=0.3))
    rates = validity.of("rates")
    assert rates is not None
    assert rates.by == pytest.approx(1 - 0.9 * 0.8 * 0.7)
    assert rates.checks == ("G4",)


def test_where_more_than_half_of_the_time_was_taken_no_figure_is_left_and_facts_still_stand() -> None:
    validity = judged(run_delay_share=MOST_WIDER + 0.1)
    assert validity.verdict == "disturbed"
    assert effects(validity) == {"rates": "lost", "times": "lost", "tails": "lost"}
    assert validity.has_load
    assert not validity.is_comparable


@pytest.mark.parametrize(
    "other",
    [
        {"unsent": 600, "sent": 5_400},
        {"no_connection": 60, "capped": 200, "sent": 5_940},
        {"outcomes": {"ok": 5_900, "no_ports": 100}},
        {"due": 5_500, "sent": 5_500},
    ],
)
def test_a_generator_that_fell_short_takes_claims_about_the_load_alone(other: Mapping[str, Any]) -> None:
    validity = judged(**other)
    assert validity.verdict == "disturbed"
    assert {claim.claim for claim in validity.weakened if claim.effect == "lost"} == {"load"}
    assert validity.of("facts") is validity.of("ratios") is validity.of("rates") is None
    assert not validity.has_load


def test_a_generator_that_fell_short_says_how_much_it_sent() -> None:
    load = judged(unsent=600, sent=5_400).of("load")
    assert load is not None
    assert load.why.startswith("5,400 of the 6,000")


@pytest.mark.parametrize(
    ("other", "verdict"),
    [({"due": 0}, "void"), ({"little": (126.0, 120.0)}, "void"), ({"little": (122.0, 120.0)}, "disturbed")],
)
def test_nothing_can_be_said_only_of_no_load_and_of_wrong_books(
    other: Mapping[str, Any], verdict: str
) -> None:
    validity = judged(**other)
    assert validity.verdict == verdict
    assert bool(validity.weakened) == (verdict == "disturbed")


def test_the_table_speaks_of_checks_claims_and_effects_that_there_are() -> None:
    check_names = {check.__name__.partition("_")[0].upper() for check in checks.ALL} | {"clock", "imported"}
    assert {row.check for row in TABLE} == check_names - {"CLOCK", "G15", "G17"}
    for row in TABLE:
        assert set(row.claims) <= set(CLAIMS)
        assert "facts" not in row.claims
        assert row.effect in EFFECTS


REASONS = st.builds(
    Reason,
    st.sampled_from(sorted({row.check for row in TABLE})),
    st.sampled_from(["note", "disturbed", "grave"]),
    st.just("something was measured"),
    st.just(""),
    st.none() | st.floats(0, 1),
)


@given(st.lists(REASONS, max_size=8))
def test_every_reason_but_a_note_weakens_something_and_none_weakens_facts(reasons: list[Reason]) -> None:
    claims = weakened(reasons)
    assert bool(claims) == any(reason.level != "note" for reason in reasons)
    assert "facts" not in {claim.claim for claim in claims}
    assert all(claim.by is None or 0 <= claim.by <= 1 for claim in claims)


@given(st.lists(REASONS, max_size=6), REASONS)
def test_one_more_reason_never_strengthens_a_claim(reasons: list[Reason], more: Reason) -> None:
    order = list(EFFECTS)
    before = {claim.claim: claim for claim in weakened(reasons)}
    after = {claim.claim: claim for claim in weakened([*reasons, more])}
    assert before.keys() <= after.keys()
    for claim, claim_before in before.items():
        assert order.index(claim_before.effect) <= order.index(after[claim].effect)
        assert (claim_before.by or 0.0) <= (after[claim].by or 0.0) + 1e-12


@given(st.lists(st.floats(0, 1), max_size=6))
def test_what_is_taken_together_is_at_least_the_most_and_at_most_the_sum(shares: list[float]) -> None:
    assert max(shares, default=0.0) - 1e-12 <= together(shares) <= min(1.0, sum(shares)) + 1e-12


def test_a_trial_is_as_wise_as_its_gravest_remark() -> None:
    notes = [Reason("G15", "note", "uneven cores")]
    assert of_remarks(notes).verdict == "valid"
    assert of_remarks([*notes, Reason("G8", "disturbed", "p50 drifted")]).verdict == "disturbed"
    assert of_remarks([Reason("G9", "void", "the books"), Reason("G8", "disturbed", "it")]).weakened == ()
