"""More workers than cores: mostly a possibility, as one trial cannot tell it from a full load."""

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase


def crowded(running: float = 32.0) -> ACase:
    case = ACase(seconds=30, users=64, ok=190.0, latency_s=0.33, in_flight=64.0).host_cpu([0.1, 0.99])
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=32)
    case.counter("server", "process.cpu_s", "tree", 0.97)
    case.counter("server", "process.cpu_system_s", "tree", 0.2)
    return case.gauge("server", "process.threads", "state:R", running)


def verdicts(case: Case) -> dict[str, str]:
    """Return the verdicts on all that stands, roots and symptoms."""
    roots = diagnose(case).findings
    return {finding.cause: finding.verdict for root in roots for finding in (root, *root.symptoms)}


def test_far_more_threads_than_cores_are_only_possible() -> None:
    assert verdicts(crowded().build())["too_many_workers"] == "possible"
    assert diagnose(crowded().build()).findings[0].cause == "host_cpu"


def test_what_they_cost_makes_it_likely() -> None:
    case = crowded().gauge("server", "cgroup.memory_limit_bytes", "/web", 1e9, "B")
    case.gauge("server", "process.pss_bytes", "tree", 0.97e9, "B")
    case.counter("server", "process.cpu_system_s", "tree", 0.6)
    case.counter("server", "process.involuntary_switches", "tree", 12_000.0, "1")
    assert verdicts(case.build())["too_many_workers"] == "likely"


def test_two_for_each_core_are_not_worth_a_word() -> None:
    assert "too_many_workers" not in verdicts(crowded(running=2.0).build())


def test_threads_that_run_with_cores_to_spare_are_cleared() -> None:
    case = ACase(seconds=30, users=64, ok=190.0, latency_s=0.33, in_flight=64.0).host_cpu([0.1, 0.4])
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=32)
    case.counter("server", "process.cpu_s", "tree", 0.3).gauge("server", "process.threads", "state:R", 6.0)
    assert "too_many_workers" not in verdicts(case.build())
