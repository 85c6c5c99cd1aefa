"""Cores that are used up by what is measured: by one program, or by several together."""

from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.causes import host_cpu
from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase


def saturated(per_core: list[float]) -> ACase:
    return ACase(seconds=30, users=40, ok=200.0, latency_s=0.2, in_flight=40.0).host_cpu(per_core)


def program(case: ACase, name: str, used: float, kind: str = "program") -> ACase:
    case.tier(name, kind=kind, runtime="go", cpus=(0, 1))
    return case.counter(name, "process.cpu_s", "tree", used)


def accused(case: Case) -> list[tuple[str, str]]:
    return [(one.component, one.verdict) for one in diagnose(case).findings if one.cause == "host_cpu"]


def test_a_program_that_fills_its_cores_comes_first() -> None:
    said = diagnose(program(saturated([0.98, 0.99]), "server", 1.9).build())
    assert (said.findings[0].cause, said.findings[0].verdict) == ("host_cpu", "likely")


def test_cores_that_are_idle_now_and_then_are_not_surely_what_users_always_wait_for() -> None:
    assert accused(program(saturated([0.88, 0.88]), "server", 1.7).build()) == [("server", "possible")]
    # Of an open load they may be idle between two crowds, and are the limit of both.
    open_load = ACase(seconds=30, rate=200.0, ok=180.0, failed={"timeout": 20.0}, latency_s=0.2)
    case = program(open_load.host_cpu([0.88, 0.88]), "server", 1.7)
    assert accused(case.build()) == [("server", "likely")]


def test_of_programs_that_fill_them_together_the_greatest_is_named(snapshot: SnapshotAssertion) -> None:
    case = program(saturated([0.99, 0.99]), "server", 0.8)
    for name, used in (("mariadb", 0.5), ("redis", 0.3)):
        program(case, name, used, name)
    assert [component for component, _ in accused(case.build())] == ["server"]
    assert next(iter(host_cpu.examine(case.build()))).effect == snapshot


def test_the_rest_of_a_machine_that_strangers_fill_is_not_its_own() -> None:
    assert accused(program(saturated([0.99, 0.99]), "server", 0.3).build()) == []


def test_a_database_that_fills_its_cores_has_a_cause_of_its_own() -> None:
    case = program(program(saturated([0.99, 0.99]), "server", 0.2), "mariadb", 1.6, "mariadb")
    assert [one.component for one in host_cpu.examine(case.build())] == ["server"]


def test_a_quota_below_the_cores_is_the_tighter_limit() -> None:
    case = saturated([0.99, 0.99]).tier("server", kind="program", cpus=(0, 1), limits={"cores": 0.5})
    case.counter("server", "process.cpu_s", "tree", 0.5)
    assert accused(case.build()) == []


def test_who_else_uses_the_cores_may_be_unknown() -> None:
    case = ACase(seconds=30, users=40, ok=200.0, latency_s=0.2, in_flight=40.0)
    assert accused(program(case, "server", 1.95).build()) == [("server", "possible")]
