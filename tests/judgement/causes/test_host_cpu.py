"""Cores that are used up by what is measured: by one program, or by several together."""

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase


def saturated(per_core: list[float]) -> ACase:
    return ACase(seconds=30, users=40, ok=200.0, latency_s=0.2, in_flight=40.0).host_cpu(per_core)


def program(case: ACase, name: str, used: float, kind: str = "program", runtime: str = "go") -> ACase:
    case.tier(name, kind=kind, runtime=runtime, cpus=(0, 1))
    return case.counter(name, "process.cpu_s", "tree", used)


def accused(case: Case) -> list[tuple[str, str]]:
    return [
        (finding.component, finding.verdict)
        for finding in diagnose(case).findings
        if finding.cause == "host_cpu"
    ]


def test_a_program_that_fills_its_cores_comes_first() -> None:
    diagnosis = diagnose(program(saturated([0.98, 0.99]), "server", 1.9).build())
    assert (diagnosis.findings[0].cause, diagnosis.findings[0].verdict) == ("host_cpu", "likely")


def test_a_function_of_node_that_nobody_could_name_is_named_by_a_permit() -> None:
    go, node = (
        diagnose(program(saturated([0.98, 0.99]), "server", 1.9, runtime=runtime).build())
        for runtime in ("go", "node")
    )
    assert ("node-inspector" in go.findings[0].mend, "node-inspector" in node.findings[0].mend) == (
        False,
        True,
    )


def test_the_rest_of_a_machine_that_strangers_fill_is_not_its_own() -> None:
    assert accused(program(saturated([0.99, 0.99]), "server", 0.3).build()) == []


def test_a_quota_below_the_cores_is_the_tighter_limit() -> None:
    case = saturated([0.99, 0.99]).tier("server", kind="program", cpus=(0, 1), limits={"cores": 0.5})
    case.counter("server", "process.cpu_s", "tree", 0.5)
    assert accused(case.build()) == []
