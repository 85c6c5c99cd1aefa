"""Who is to be told apart, and which experiment tells most."""

from loadrig.interventions import Lever
from loadrig.proving.rivals import ranked, seen_in, share_of_budget, subjects, suspects
from tests.proving.examples import cleared, finding


def test_roots_symptoms_and_near_misses_are_suspects() -> None:
    root = finding("database_cpu", "mariadb", symptoms=[finding("pool_too_small", "server", 2.0)])
    found = suspects([root], [cleared("gc_pressure", "server", 0.5), cleared("gil", "server", -3.0)])
    assert [one.cause for one in found] == ["database_cpu", "pool_too_small", "gc_pressure"]
    assert [one.is_standing for one in found] == [True, True, False]


def test_healthy_is_nobody_to_prove() -> None:
    assert suspects([finding("healthy", "server")], []) == []


def test_half_a_budget_is_left_where_no_experiment_decides_about_the_first_suspect() -> None:
    first = [finding("descriptor_limit", "server", 5.0), finding("request_overhead", "server", 3.0)]
    assert share_of_budget(suspects(first, [])) == 0.5
    assert share_of_budget(suspects(first[1:], [])) == share_of_budget([]) == 1.0


def test_the_lever_that_splits_equal_rivals_comes_first() -> None:
    rivals = suspects([finding("database_cpu", "mariadb"), finding("gc_pressure", "server")], [])
    order = [lever for lever, _ in ranked(rivals, ["mariadb"])]
    split = {Lever("cpu", "mariadb"), Lever("knob", "server", "heap")}
    assert set(order[:2]) == split


def test_a_lever_of_nearly_excluded_causes_is_worth_less() -> None:
    rivals = suspects(
        [finding("database_cpu", "mariadb", 4.0), finding("cpu_quota", "server", 3.5)],
        [cleared("gc_pressure", "server", -0.5)],
    )
    worth = dict(ranked(rivals, ["mariadb"]))
    assert worth[Lever("cpu", "mariadb")] > worth[Lever("knob", "server", "heap")]


def test_one_suspect_still_has_his_lever() -> None:
    found = ranked(suspects([finding("database_cpu", "mariadb")], []), ["mariadb"])
    assert found[0][0] == Lever("cpu", "mariadb")
    assert found[0][1] > 0


def test_of_growth_those_are_asked_who_show_in_it_and_of_throughput_all() -> None:
    rivals = suspects([finding("connection_churn", "server", 4.0), finding("leak", "server")], [])
    assert [one.cause for one in seen_in(rivals, "growth")] == ["leak"]
    assert seen_in(rivals, "throughput") == rivals
    assert seen_in(rivals[:1], "growth") == rivals[:1]


def test_a_lever_is_about_the_dependencies_of_those_who_have_it() -> None:
    rivals = suspects([finding("pool_too_small", "server", detail="connections: redis")], [])
    behind = ["redis", "mariadb"]
    assert subjects(Lever("knob", "server", "pool"), rivals, behind) == {"redis"}
    assert subjects(Lever("knob", "server", "heap"), rivals, behind) == set()
