"""A CPU quota that holds a program back, and one that would do but for the threads under it."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.causes import quota_unaware_runtime
from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Cleared, FormulaSource, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.quota import cost_of_request, quota_of
from loadrig.judgement.limits.bottlenecks import judgement_of
from loadrig.testing.cases import ACase
from tests.judgement.causes.test_request_overhead import FLATE, WORK, profile_of

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
    """Return a program in a group with a quota. throttled: periods a second, of ten; still_s: a second."""
    case.counter(component, "process.cpu_s", "tree", used)
    case.gauge(component, "cgroup.quota_cores", group, quota, "cores")
    case.counter(component, "cgroup.periods", group, 10.0, "1")
    case.counter(component, "cgroup.throttled_periods", group, throttled, "1")
    case.counter(component, "cgroup.throttled_s", group, still_s)
    return case.tier(component, kind="program", runtime="go", cpus=cores, limits={"cores": quota})


def starved() -> ACase:
    """Return a quarter of a core for 200 requests a second that need half a core."""
    case = ACase(seconds=30, rate=200.0, ok=100.0, latency_s=2.0, in_flight=np.linspace(10, 3000, 30))
    return case.host_cpu([0.3, 0.3])


def first(diagnosis: Diagnosis) -> tuple[str, str, str]:
    return diagnosis.findings[0].verdict, diagnosis.findings[0].cause, diagnosis.findings[0].component


def causes(case: Case) -> list[str]:
    return [finding.cause for finding in diagnose(case).findings]


def why_cleared(case: Case, cause: str) -> Cleared:
    return next(clearance for clearance in diagnose(case).cleared if clearance.cause == cause)


def costs(case: Case) -> tuple[float, float]:
    """Return the CPU seconds of a request, at least and at most."""
    quota = quota_of(case, case.server)
    assert quota is not None
    return cost_of_request(case, case.server, quota)


def test_a_quota_that_is_used_up_comes_first() -> None:
    diagnosis = diagnose(under_quota(starved(), 0.25, 0.249).build())
    assert first(diagnosis) == ("likely", "cpu_quota", "server")
    assert diagnosis.findings[0].weight >= 3


@pytest.mark.parametrize(
    ("compressing", "names"),
    [(100, ["cpu_quota", "request_overhead"]), (490, ["request_overhead"])],
)
def test_a_small_waste_does_not_hide_the_quota_that_idle_cores_would_lift(
    compressing: int, names: list[str], tmp_path: Path
) -> None:
    built = under_quota(starved(), 0.25, 0.249).build()
    profile = profile_of(tmp_path, {FLATE: compressing, WORK: 500 - compressing}, used=0.249)
    judgement = judgement_of(replace(built, profiles=(profile,)))
    assert [bottleneck.cause for bottleneck in judgement.harmful] == names


def test_it_says_what_quota_would_be_enough_for_the_asked_rate(snapshot: SnapshotAssertion) -> None:
    case = under_quota(starved(), 0.25, 0.25).build()
    assert costs(case) == pytest.approx((0.25 / 100, 0.25 / 100))
    finding = diagnose(case).findings[0]
    # 0.25 cores for 100 requests a second are 2.5 ms each; 200 a second need half a core.
    assert finding.effect == snapshot
    assert finding.mend == snapshot


def test_with_requests_given_up_it_says_between_what_the_need_lies(snapshot: SnapshotAssertion) -> None:
    case = ACase(seconds=30, rate=200.0, ok=100.0, failed={"timeout": 100.0}, latency_s=0.4)
    built = under_quota(case.host_cpu([0.3, 0.3]), 0.25, 0.25).build()
    assert costs(built) == pytest.approx((0.25 / 200, 0.25 / 100))
    finding = diagnose(built).findings[0]
    assert finding.effect == snapshot
    assert finding.mend == snapshot


def test_with_most_requests_given_up_it_says_only_that_the_quota_does_not_do(
    snapshot: SnapshotAssertion,
) -> None:
    case = ACase(seconds=30, rate=200.0, ok=4.0, failed={"timeout": 196.0}, latency_s=0.4)
    built = under_quota(case.host_cpu([0.3, 0.3]), 0.25, 0.25).build()
    assert costs(built) == pytest.approx((0.25 / 200, 0.25 / 4))
    finding = diagnose(built).findings[0]
    assert finding.effect == snapshot
    assert finding.mend == snapshot


def test_what_the_server_itself_counted_tells_the_cost_of_a_request_exactly(
    snapshot: SnapshotAssertion,
) -> None:
    case = ACase(seconds=30, rate=200.0, ok=4.0, failed={"timeout": 196.0}, latency_s=0.4)
    under_quota(case.host_cpu([0.3, 0.3]), 0.25, 0.25).counter("server", "tomcat.requests", "", 50.0, "1")
    assert costs(case.build()) == pytest.approx((0.25 / 50, 0.25 / 50))
    assert diagnose(case.build()).findings[0].effect == snapshot


def test_throttling_in_every_period_without_harm_accuses_nobody() -> None:
    case = ACase(seconds=30, rate=1000.0, ok=1000.0, latency_s=0.02, p99_s=0.069).host_cpu([0.3, 0.3])
    assert causes(under_quota(case, 0.25, 0.249, still_s=0.43).build()) == ["healthy"]


def test_a_limit_one_level_up_holds_all_that_is_under_it(snapshot: SnapshotAssertion) -> None:
    case = under_quota(starved(), 0.25, 0.2, group="/")
    under_quota(case, 0.25, 0.05, component="redis", group="/")
    diagnosis = diagnose(case.build())
    assert first(diagnosis) == ("likely", "cpu_quota", "server")
    assert diagnosis.findings[0].effect == snapshot
    assert [finding.cause for finding in diagnosis.findings].count("cpu_quota") == 1


def bursting(used: float = 0.35) -> ACase:
    """Return two threads at once under half a core: fine on average, and still in every other period."""
    case = ACase(seconds=30, rate=10.0, ok=10.0, latency_s=0.02, p99_s=0.18).host_cpu([0.2, 0.2])
    under_quota(case, 0.5, used, throttled=5.0, still_s=0.3)
    return case.gauge("server", "go.gomaxprocs", "", 2.0)


def test_many_threads_under_a_quota_that_would_do_come_first(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(bursting().build())
    assert first(diagnosis) == ("likely", "quota_unaware_runtime", "server")
    assert diagnosis.findings[0].weight >= 3
    assert diagnosis.findings[0].mend == snapshot
    assert "cpu_quota" not in [finding.cause for finding in diagnosis.findings]


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


def test_a_quota_is_the_limit_though_others_fill_the_core_beneath_it() -> None:
    """A third of a core is all that the program may use; who fills the rest takes nothing from it."""
    case = ACase(seconds=30, rate=200.0, ok=100.0, latency_s=2.0, in_flight=np.linspace(10, 3000, 30))
    case.host_cpu([0.2, 0.95])
    under_quota(case, 0.35, 0.34, cores=(1,)).counter("server", "process.run_delay_s", "tree", 0.3)
    case.counter("host", "neighbours.cpu_s", "cpu1:build, process 7", 0.55)
    assert causes(case.build())[0] == "cpu_quota"
