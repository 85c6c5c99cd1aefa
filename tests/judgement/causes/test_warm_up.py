"""A server that was not yet warm, one that became slower, and courses that only look like it."""

from dataclasses import replace

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import Cleared, LoadSource
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import drift
from loadrig.recording.steps import Floats
from loadrig.testing.cases import ACase

COLD = np.where(np.arange(30) < 8, 6.0, 1.0)
"""Times the usual cost: eight seconds of six times as much."""


def course(cost: Floats, latency_s: Floats, *, rate: float = 100.0, failed: "Floats | None" = None) -> ACase:
    """Return an open load whose requests take a changing amount of CPU time and time."""
    bad = np.zeros(30) if failed is None else failed
    case = ACase(seconds=30, rate=rate, ok=rate - bad, failed={"timeout": bad}, p99_s=float(latency_s.max()))
    object.__setattr__(case.load, "latency_by_step", lambda q: latency_s * (1 if q <= 0.5 else 2))
    case.tier("server", kind="tomcat", runtime="jvm", cpus=(1,), is_ours=True)
    return case.host_cpu([0.1, 0.5]).counter("server", "process.cpu_s", "tree", cost * rate)


def cold() -> ACase:
    case = course(0.001 * COLD, 0.05 * COLD, failed=np.where(np.arange(30) < 6, 20.0, 0.0))
    return case.counter("server", "jvm.compilation_s", "", 0.1 * COLD)


def causes(case: Case) -> list[tuple[str, str]]:
    return [(finding.verdict, finding.cause) for finding in diagnose(case).findings]


def cleared(case: Case) -> dict[str, Cleared]:
    return {clearance.cause: clearance for clearance in diagnose(case).cleared}


def test_a_slow_beginning_that_settles_comes_first(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(cold().build())
    assert causes(cold().build())[0] == ("likely", "warm_up")
    assert diagnosis.findings[0].weight >= 3
    assert diagnosis.findings[0].effect == snapshot


def test_a_slow_beginning_is_a_harm_by_itself(snapshot: SnapshotAssertion) -> None:
    case = course(0.001 * COLD, 0.05 * COLD).build()
    assert case.harms["drift"] == snapshot


def test_a_first_second_of_a_few_milliseconds_hurts_nobody() -> None:
    case = course(0.001 * COLD, 0.001 * COLD).build()
    assert causes(case) == [("likely", "healthy")]


def test_failures_later_on_are_not_for_want_of_warmth(snapshot: SnapshotAssertion) -> None:
    late = np.where(np.arange(30) > 20, 20.0, 0.0)
    case = course(0.001 * COLD, 0.05 * COLD, failed=late).build()
    clearance = cleared(case)["warm_up"]
    assert clearance.source == LoadSource("load.failed")
    assert clearance.why == snapshot


def test_failures_all_along_lie_in_the_beginning_no_more_than_later() -> None:
    case = course(0.001 * COLD, np.full(30, 0.05), failed=np.full(30, 1.0)).build()
    assert "failing" in case.harms
    assert cleared(case)["warm_up"].why


@pytest.mark.parametrize(("outcome", "is_cold"), [("timeout", True), ("reset", False)])
def test_a_server_that_is_slow_at_first_closes_no_connections(outcome: str, *, is_cold: bool) -> None:
    early = np.where(np.arange(30) < 6, 3.0, 0.0)
    case = course(0.001 * COLD, np.full(30, 0.01), failed=early)
    del case.load.outcomes["timeout"]  # type: ignore[attr-defined]
    case.load.outcomes[outcome] = early  # type: ignore[index]
    assert ("warm_up" in [cause for _, cause in causes(case.build())]) is is_cold


@pytest.mark.parametrize(("at_first", "is_crowd"), [(800.0, True), (2.0, False)], ids=["piled up", "idle"])
def test_a_server_closes_connections_that_pile_up_at_first(at_first: float, *, is_crowd: bool) -> None:
    """Take a JVM that answers after 700 ms in its first three seconds, at hardly more CPU time a request."""
    first = np.arange(30) < 3
    early = np.where(first, 20.0, 0.0)
    case = course(0.001 * np.where(first, 1.3, 1.0), np.where(first, 0.7, 0.0005), failed=early)
    case.load = replace(case.load, in_flight=np.where(first, at_first, 1.0), outcomes={"reset": early})
    built = case.build()
    assert (("possible", "warm_up") in causes(built)) is is_crowd
    assert ("keep_alive_mismatch" in {cause for _, cause in causes(built)}) is not is_crowd


def test_the_first_second_of_a_run_is_of_no_account() -> None:
    first = np.where(np.arange(30) < 2, 300.0, 1.0)
    assert causes(course(0.001 * first, 0.002 * first).build()) == [("likely", "healthy")]


def test_a_load_that_was_higher_at_first_is_another_matter(snapshot: SnapshotAssertion) -> None:
    case = course(0.001 * COLD, 0.05 * COLD)
    case.load.offered[:8] *= 3
    clearance = cleared(case.build())["warm_up"]
    assert clearance.source == LoadSource("load.offered_rps")
    assert clearance.why == snapshot


@pytest.mark.parametrize(
    "values",
    [
        np.ones(30),
        np.linspace(3, 1, 30),
        np.linspace(1, 3, 30),
        np.tile([1.0, 3.0, 1.0], 10),
        np.full(30, np.nan),
    ],
    ids=["level", "falls to the end", "rises", "comes and goes", "unknown"],
)
def test_other_courses_have_no_beginning(values: Floats) -> None:
    assert drift.beginning_of(values) is None


FILLING = np.exp(-np.arange(30) / 3)
"""Misses of a cache that fills: ever fewer, and never none."""


def test_what_falls_by_ever_less_has_settled() -> None:
    beginning = drift.beginning_of(1.0 + 50.0 * FILLING)
    assert beginning is not None
    assert 6 <= beginning.steps <= 10


@pytest.mark.parametrize(("cost", "is_cold"), [(1.0 + 9.0 * FILLING, True), (np.ones(30), False)])
def test_a_queue_that_goes_when_requests_become_cheaper_is_of_a_cold_start(
    cost: Floats, is_cold: bool
) -> None:
    """A queue that is only worked off leaves the cost of a request as it was."""
    warming = course(0.001 * cost, 0.002 + 0.4 * FILLING)
    warming.load.in_flight[:] = 0.2 + 40.0 * FILLING
    case = warming.build()
    case.__dict__["harms"] = {"drift": "it was slow at first", "queueing": "requests waited"}
    assert (("likely", "warm_up") in causes(case)) is is_cold


@pytest.mark.parametrize(("cores", "is_cold"), [(0.97, False), (0.5, True)], ids=["full", "room"])
def test_a_queue_of_a_core_that_is_as_full_later_is_of_no_cold_start(cores: float, *, is_cold: bool) -> None:
    """Requests cost the same all along, and the first of them waited for those of one slow second."""
    case = course(np.full(30, cores / 100), 0.05 * COLD).build()
    assert (("likely", "warm_up") in causes(case)) is is_cold


@pytest.mark.parametrize("seed", range(20))
def test_noise_has_no_beginning_worth_telling(seed: int) -> None:
    values = np.random.default_rng(seed).lognormal(0, 0.25, 30)
    beginning = drift.beginning_of(values)
    assert beginning is None or beginning.ratio < 1.5
    assert "drift" not in course(0.001 * values, 0.2 * values).build().harms


def slower(frequency: Floats) -> ACase:
    dearer = np.where(np.arange(30) < 15, 1.0, 1.7) + np.linspace(0, 0.2, 30)
    # Steps without any noise would look like noise that is carried on from step to step.
    dearer *= np.random.default_rng(1).lognormal(0, 0.02, 30)
    case = course(0.004 * dearer, 0.02 * dearer)
    return case.gauge("host", "cpu_clock.frequency", "cpu1", frequency, "1/s")


def test_cores_that_became_slower_come_first(snapshot: SnapshotAssertion) -> None:
    case = slower(np.where(np.arange(30) < 15, 3e9, 1.8e9)).build()
    assert causes(case)[0] == ("likely", "cpu_frequency")
    assert diagnose(case).findings[0].bound == pytest.approx(1 - 1 / 1.81, rel=0.01)
    assert diagnose(case).findings[0].effect == snapshot


def test_requests_that_became_dearer_at_one_frequency_do_not_accuse_the_cores(
    snapshot: SnapshotAssertion,
) -> None:
    case = slower(np.full(30, 3e9)).build()
    assert case.harms["drift"] == snapshot
    assert "cpu_frequency" not in [cause for _, cause in causes(case)]


def test_a_frequency_that_fell_at_no_cost_is_cleared(snapshot: SnapshotAssertion) -> None:
    case = course(np.full(30, 0.001), np.full(30, 0.02), failed=np.full(30, 20.0))
    case.gauge("host", "cpu_clock.frequency", "cpu1", np.where(np.arange(30) < 15, 3e9, 1.8e9), "1/s")
    assert cleared(case.build())["cpu_frequency"].why == snapshot
