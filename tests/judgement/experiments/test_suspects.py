"""Suspects that are to be told apart."""

import pytest

from loadrig.interventions import Lever
from loadrig.judgement.experiments.suspects import FALL, at_hand, own_knobs, shown_by, subjects, suspects_in
from tests.judgement.experiments.examples import cleared, finding


def test_roots_symptoms_and_near_misses_are_suspects() -> None:
    root = finding("database_cpu", "mariadb", symptoms=[finding("pool_too_small", "server", 2.0)])
    rivals = suspects_in([root], [cleared("gc_pressure", "server", 0.5), cleared("gil", "server", -3.0)])
    assert [suspect.cause for suspect in rivals] == ["database_cpu", "pool_too_small", "gc_pressure"]
    assert [suspect.is_standing for suspect in rivals] == [True, True, False]


def test_healthy_is_nobody_to_prove() -> None:
    assert suspects_in([finding("healthy", "server")], []) == []


def test_a_suspect_is_likelier_the_earlier_it_stands_and_the_more_its_mend_would_bring() -> None:
    two = suspects_in([finding("database_cpu", "mariadb", gain=2.0), finding("gil", "server", gain=2.0)], [])
    assert two[0].prior / two[1].prior == pytest.approx(1 / FALL)
    more, less = (suspects_in([finding("gil", "server", gain=gain)], [])[0].prior for gain in (4.0, 1.2))
    assert more > less > 0


def test_whose_finding_is_less_sure_leaves_more_to_the_others() -> None:
    def share_of_first(**traits: float) -> float:
        first, second = suspects_in(
            [finding("database_cpu", "mariadb", **traits), finding("gil", "server")], []
        )
        return first.prior / (first.prior + second.prior)

    assert share_of_first(chance=0.9) > share_of_first() > share_of_first(chance=0.4)


def test_what_could_not_be_seen_comes_right_after_what_it_looks_like() -> None:
    rivals = suspects_in([finding("host_cpu", "server"), finding("row_lock", "postgresql")], [])
    assert [suspect.cause for suspect in rivals] == ["host_cpu", "request_overhead", "row_lock"]


def test_of_growth_those_are_asked_who_show_in_it_and_of_throughput_all_others() -> None:
    rivals = suspects_in(
        [finding("connection_churn", "server", 4.0), finding("leak", "server"), finding("warm_up", "server")],
        [],
    )
    assert [suspect.cause for suspect in shown_by(rivals, "growth")] == ["leak"]
    assert [suspect.cause for suspect in shown_by(rivals, "throughput")] == ["connection_churn", "warm_up"]
    assert shown_by(rivals[:1], "growth") == rivals[:1]
    assert shown_by(rivals[1:2], "throughput") == rivals[1:2]


def test_a_lever_is_about_the_dependencies_of_those_who_have_it() -> None:
    rivals = suspects_in([finding("pool_too_small", "server", detail="connections: redis")], [])
    behind = ["redis", "mariadb"]
    assert subjects(Lever("knob", "server", "pool"), rivals, behind) == {"redis"}
    assert subjects(Lever("knob", "server", "heap"), rivals, behind) == set()


def test_causes_against_the_signs_are_at_hand_where_the_plan_has_their_own_knob() -> None:
    root = suspects_in([finding("noisy_neighbour", "host")], [])
    gone = [cleared(cause, "server", -3.0) for cause in ("pool_too_small", "gc_pressure", "healthy", "leak")]
    (pool,) = at_hand(root, gone, ["db_pool", "batch"])
    assert (pool.key, pool.prior, pool.is_standing) == (("pool_too_small", "server"), 0.0, False)
    assert own_knobs(pool, ["db_pool"]) == [Lever("knob", "server", "pool")]
    assert at_hand([pool], gone, ["db_pool"]) == []
    assert at_hand(root, gone, []) == []
