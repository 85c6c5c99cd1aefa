"""A CPU quota that holds a program back, and one that would do but for the threads under it."""

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.causes import cpu_quota, quota_unaware_runtime
from loadrig.judgement.causes._quota import quota_of
from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Cleared, FormulaSource, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase

GROUP = "/docker/3f2a"


def under_quota(
    case: ACase,
    quota: float,
    used: float,
    *,
    throttled: float = 10.0,
    still_s: float = 0.7,
    component: str = "server",
    cores: tuple[int, ...] = (0, 1),
    group: str = GROUP,
) -> ACase:
    """A program in a group with a quota. throttled: periods a second, of ten; still_s: a second."""
    case.counter(component, "process.cpu_s", "tree", used)
    case.gauge(component, "cgroup.quota_cores", group, quota, "cores")
    case.counter(component, "cgroup.periods", group, 10.0, "1")
    case.counter(component, "cgroup.throttled_periods", group, throttled, "1")
    case.counter(component, "cgroup.throttled_s", group, still_s)
    return case.tier(component, kind="program", runtime="go", cpus=cores, limits={"cores": quota})


def starved() -> ACase:
    """A quarter of a core for 200 requests a second that need half a core."""
    case = ACase(seconds=30, rate=200.0, ok=100.0, latency_s=2.0, in_flight=np.linspace(10, 3000, 30))
    return case.host_cpu([0.3, 0.3])


def first(said: Diagnosis) -> tuple[str, str, str]:
    return said.findings[0].verdict, said.findings[0].cause, said.findings[0].component


def causes(case: Case) -> list[str]:
    return [one.cause for one in diagnose(case).findings]


def why_cleared(case: Case, cause: str) -> Cleared:
    return next(one for one in diagnose(case).cleared if one.cause == cause)


def costs(case: Case) -> tuple[float, float]:
    """CPU seconds of a request, at least and at most."""
    quota = quota_of(case, case.server)
    assert quota is not None
    return cpu_quota.cost_of_request(case, case.server, quota)


def test_a_quota_that_is_used_up_comes_first() -> None:
    said = diagnose(under_quota(starved(), 0.25, 0.249).build())
    assert first(said) == ("likely", "cpu_quota", "server")
    assert said.findings[0].weight >= 3


def test_it_says_what_quota_would_be_enough_for_the_asked_rate(snapshot: SnapshotAssertion) -> None:
    case = under_quota(starved(), 0.25, 0.25).build()
    assert costs(case) == pytest.approx((0.25 / 100, 0.25 / 100))
    said = diagnose(case).findings[0]
    # 0.25 cores for 100 requests a second are 2.5 ms each; 200 a second need half a core.
    assert said.effect == snapshot
    assert said.mend == snapshot


def test_with_requests_given_up_it_says_between_what_the_need_lies(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=30, rate=200.0, ok=100.0, failed={"timeout": 100.0}, latency_s=0.4)
    built = under_quota(case.host_cpu([0.3, 0.3]), 0.25, 0.25).build()
    assert costs(built) == pytest.approx((0.25 / 200, 0.25 / 100))
    said = diagnose(built).findings[0]
    assert said.effect == snapshot
    assert said.mend == snapshot


def test_with_most_requests_given_up_it_says_only_that_the_quota_does_not_do(
    snapshot: SnapshotAssertion,
) -> None:
    case = ACase(seconds=30, rate=200.0, ok=4.0, failed={"timeout": 196.0}, latency_s=0.4)
    built = under_quota(case.host_cpu([0.3, 0.3]), 0.25, 0.25).build()
    assert costs(built) == pytest.approx((0.25 / 200, 0.25 / 4))
    said = diagnose(built).findings[0]
    assert said.effect == snapshot
    assert said.mend == snapshot


def test_what_the_server_itself_counted_tells_the_cost_of_a_request_exactly(
    snapshot: SnapshotAssertion,
) -> None:
    case = ACase(seconds=30, rate=200.0, ok=4.0, failed={"timeout": 196.0}, latency_s=0.4)
    under_quota(case.host_cpu([0.3, 0.3]), 0.25, 0.25).counter("server", "tomcat.requests", "", 50.0, "1")
    assert costs(case.build()) == pytest.approx((0.25 / 50, 0.25 / 50))
    assert diagnose(case.build()).findings[0].effect == snapshot


@pytest.mark.parametrize(("goal", "verdict"), [(None, "possible"), ("p99 < 200ms", "likely")])
def test_a_long_tail_alone_is_a_harm_only_to_who_says_so(goal: str | None, verdict: str) -> None:
    case = ACase(seconds=30, rate=116.0, ok=116.0, latency_s=0.01, p99_s=0.26).host_cpu([0.3, 0.3])
    if goal is not None:
        case.goal(goal, "p99", is_met=False)
    (found,) = [
        one for one in diagnose(under_quota(case, 0.5, 0.462, still_s=0.19).build()).findings
        if one.cause == "cpu_quota"
    ]  # fmt: skip
    assert found.verdict == verdict


def test_throttling_in_every_period_without_harm_accuses_nobody() -> None:
    case = ACase(seconds=30, rate=1000.0, ok=1000.0, latency_s=0.02, p99_s=0.069).host_cpu([0.3, 0.3])
    assert causes(under_quota(case, 0.25, 0.249, still_s=0.43).build()) == ["healthy"]


def test_ticking_counters_are_not_why_a_server_is_slow(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=30, users=20, ok=50.0, latency_s=0.4, in_flight=20.0).host_cpu([0.3, 0.3])
    case = under_quota(case, 1.0, 0.5, throttled=0.15, still_s=0.004)
    assert "cpu_quota" not in causes(case.build())
    clearance = why_cleared(case.build(), "cpu_quota")
    assert clearance.source == SeriesSource("server", "process.cpu_s", "tree")
    assert clearance.why == snapshot


def test_a_quota_just_below_the_cores_is_cleared_by_arithmetic(snapshot: SnapshotAssertion) -> None:
    case = starved().host_cpu([0.1, 0.97])
    under_quota(case, 0.95, 0.945, still_s=0.05, cores=(1,))
    source = why_cleared(case.build(), "cpu_quota").source
    assert isinstance(source, FormulaSource)
    assert source.text == snapshot


def test_a_single_thread_in_bursts_is_held_back_by_the_quota_itself(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=30, rate=5.0, ok=5.0, latency_s=0.02, p99_s=0.3).host_cpu([0.1, 0.1])
    under_quota(case, 0.25, 0.18, throttled=6.0, still_s=0.4, cores=(1,))
    case.gauge("server", "process.threads", "state:R", 1.0)
    said = diagnose(case.build())
    assert first(said) == ("likely", "cpu_quota", "server")
    assert SeriesSource("server", "process.cpu_s", "tree") in [
        one.source for one in said.findings[0].evidence
    ]
    assert [one.text for one in said.findings[0].evidence] == snapshot


def test_without_throttle_counters_it_is_only_possible(snapshot: SnapshotAssertion) -> None:
    case = starved().tier("server", kind="program", cpus=(0, 1), limits={"cores": 0.25})
    case.counter("server", "process.cpu_s", "tree", 0.25)
    said = diagnose(case.build())
    assert first(said) == ("possible", "cpu_quota", "server")
    assert said.findings[0].missing[0] == snapshot


def test_a_limit_one_level_up_holds_all_that_is_under_it(snapshot: SnapshotAssertion) -> None:
    case = under_quota(starved(), 0.25, 0.2, group="/")
    under_quota(case, 0.25, 0.05, component="redis", group="/")
    said = diagnose(case.build())
    assert first(said) == ("likely", "cpu_quota", "server")
    assert said.findings[0].effect == snapshot
    assert [one.cause for one in said.findings].count("cpu_quota") == 1


def test_of_a_database_at_its_quota_the_database_speaks_first() -> None:
    database = ACase(seconds=30, rate=200.0, ok=100.0, latency_s=2.0)
    database.tier("mariadb", kind="mariadb", cpus=(0, 1), limits={"cores": 0.5})
    database.counter("mariadb", "process.cpu_s", "tree", 0.5)
    (one,) = cpu_quota.examine(database.build())
    assert sum(evidence.weight for evidence in one.against) > 0


def bursting(used: float = 0.35) -> ACase:
    """Two threads at once under half a core: fine on average, and still in every other period."""
    case = ACase(seconds=30, rate=10.0, ok=10.0, latency_s=0.02, p99_s=0.18).host_cpu([0.2, 0.2])
    under_quota(case, 0.5, used, throttled=5.0, still_s=0.3)
    return case.gauge("server", "go.gomaxprocs", "", 2.0)


def test_many_threads_under_a_quota_that_would_do_come_first(snapshot: SnapshotAssertion) -> None:
    said = diagnose(bursting().build())
    assert first(said) == ("likely", "quota_unaware_runtime", "server")
    assert said.findings[0].weight >= 3
    assert said.findings[0].mend == snapshot
    assert "cpu_quota" not in [one.cause for one in said.findings]


def test_under_a_quota_that_is_used_up_the_threads_are_not_the_cause(snapshot: SnapshotAssertion) -> None:
    case = bursting(used=0.49)
    assert "quota_unaware_runtime" not in causes(case.build())
    clearance = why_cleared(case.build(), "quota_unaware_runtime")
    assert clearance.source == SeriesSource("server", "process.cpu_s", "tree")
    assert clearance.why == snapshot


def test_threads_on_one_core_run_one_after_the_other() -> None:
    case = ACase(seconds=30, rate=10.0, ok=10.0, latency_s=0.02, p99_s=0.18)
    under_quota(case, 0.5, 0.35, throttled=5.0, still_s=0.3, cores=(1,)).gauge(
        "server", "go.gomaxprocs", "", 8.0
    )
    signs = [h.signs[0].holds for h in quota_unaware_runtime.examine(case.build())]
    assert signs == [False]


def test_stalls_far_shorter_than_the_tail_cannot_be_it(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=30, rate=10.0, ok=10.0, latency_s=0.1, p99_s=9.0)
    under_quota(case, 0.5, 0.35, throttled=5.0, still_s=0.3).gauge("server", "go.gomaxprocs", "", 2.0)
    source = why_cleared(case.build(), "quota_unaware_runtime").source
    assert isinstance(source, FormulaSource)
    assert source.text == snapshot
