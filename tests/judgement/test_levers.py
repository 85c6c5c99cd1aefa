"""Proofs that a cause declares, and which levers they mean for a component."""

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.interventions import Lever
from loadrig.judgement.cause import Proof
from loadrig.judgement.declarations import cause_of
from loadrig.judgement.levers import levers

BEHIND = ["mariadb", "redis"]


def changes(cause: str, detail: str | None = None) -> list[tuple[str, tuple[str, ...]]]:
    return [(proof.change, proof.what) for proof in cause_of(cause).proofs_of(detail)]


@pytest.mark.parametrize(
    ("proof", "expected"),
    [
        (Proof("cpu"), [Lever("cpu", "mariadb")]),
        (Proof("cores"), [Lever("cores", "host")]),
        (
            Proof("knob", ("workers", "threads"), "less"),
            [Lever("knob", "server", "workers", "less"), Lever("knob", "server", "threads", "less")],
        ),
        (Proof("load", ("identity",)), [Lever("load", "", "identity")]),
    ],
    ids=lambda parameter: parameter.change if isinstance(parameter, Proof) else "",
)
def test_the_levers_of_a_proof(proof: Proof, expected: list[Lever]) -> None:
    assert list(levers(proof, "mariadb", BEHIND)) == expected


@pytest.mark.parametrize(
    ("component", "detail", "delayed"),
    [
        ("mariadb", "", ["mariadb"]),
        ("server", "connections: redis", ["redis"]),
        ("server", "", ["mariadb", "redis"]),
        ("server", "connections: kafka", ["mariadb", "redis"]),
    ],
)
def test_a_delay_is_put_in_front_of_the_accused_or_of_what_is_named(
    component: str, detail: str, delayed: list[str]
) -> None:
    proposed = levers(Proof("delay"), component, BEHIND, detail)
    assert list(proposed) == [Lever("delay", name) for name in delayed]


def test_a_server_that_asks_nobody_has_nothing_to_be_delayed() -> None:
    assert list(levers(Proof("delay"), "server", [])) == []


def test_only_a_route_that_is_named_is_left_out() -> None:
    proof = Proof("load", ("without",))
    assert list(levers(proof, "server", BEHIND, "a call that waits: GET /slow")) == [
        Lever("load", "", "without:GET /slow")
    ]
    assert list(levers(proof, "server", BEHIND, "a call that waits")) == []


def test_experiments_that_speak_of_another_kind_of_the_cause_are_left_out() -> None:
    """That an answer without compression moves nothing does not clear one whose cost is logging."""
    assert changes("request_overhead", "serialisation") == [("cpu", ())]
    assert ("load", ("identity",)) not in changes("request_overhead", "logging")
    assert changes("connection_churn", "to a dependency: redis") == [("knob", ("pool",))]
    assert changes("connection_churn", "of visitors") == []
    assert ("load", ("spread_logins",)) not in changes("workload_artefact", "route: report")


def test_where_the_kind_is_not_known_all_of_them_are_told() -> None:
    every = changes("workload_artefact")
    assert {what for _, what in every} == {("spread_logins",), ("expiry",), ("without",)}


def test_the_cpu_of_a_database_without_its_index_must_move_and_is_no_proof_of_it() -> None:
    index, cpu = cause_of("missing_index").proofs_of()
    assert (index.what, index.is_own) == (("index",), True)
    assert (cpu.change, cpu.is_needed, cpu.is_own) == ("cpu", True, False)


def test_a_leak_is_asked_by_half_the_rate_as_it_grows_with_requests_and_not_with_time() -> None:
    assert [(proof.change, proof.what) for proof in cause_of("leak").proofs_of()] == [
        ("load", ("half_rate",)),
        ("knob", ("restarts",)),
    ]


def test_what_cannot_be_proved_says_what_to_do_instead(snapshot: SnapshotAssertion) -> None:
    assert cause_of("conntrack_full").proofs_of() == ()
    assert cause_of("conntrack_full").why_no_proof == snapshot
    assert cause_of("database_cpu").why_no_proof == ""
