"""Memory that is short, and processes that the kernel killed for it, against full caches and other ends."""

import numpy as np
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Cleared, EventSource, FormulaSource, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase

GROUP = "/docker/3f2a"


def thrashing(stalled: float = 0.6, faults: float = 400.0, memory: float = 119e6) -> ACase:
    """Return a closed load on a server in a group of 120 MB."""
    case = ACase(seconds=30, users=8, ok=100.0, latency_s=0.08, in_flight=8.0).host_cpu([0.2, 0.3])
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), limits={"memory_bytes": 120e6})
    case.counter("server", "process.cpu_s", "tree", 0.3)
    case.counter("server", "process.major_faults", "tree", faults, "1")
    case.gauge("server", "cgroup.memory_bytes", GROUP, memory, "B")
    case.gauge("server", "cgroup.memory_limit_bytes", GROUP, 120e6, "B")
    case.counter("server", "cgroup.memory_limit_hits", GROUP, 900.0, "1")
    case.gauge("host", "memory.available_bytes", "", 20e9, "B")
    case.gauge("host", "memory.total_bytes", "", 24e9, "B")
    return case.counter("host", "memory.stalled_some_s", "", stalled)


def causes(diagnosis: Diagnosis) -> list[tuple[str, str, str]]:
    return [(finding.verdict, finding.cause, finding.component) for finding in diagnosis.findings]


def cleared(case: Case) -> dict[str, Cleared]:
    return {clearance.cause: clearance for clearance in diagnose(case).cleared}


def test_memory_that_is_waited_for_comes_first() -> None:
    diagnosis = diagnose(thrashing().build())
    assert causes(diagnosis)[0] == ("likely", "memory_pressure", "server")
    assert diagnosis.findings[0].weight >= 3


def test_a_limit_that_is_full_of_cached_files_accuses_nobody(snapshot: SnapshotAssertion) -> None:
    case = thrashing(stalled=0.002, faults=0.0).build()
    clearance = cleared(case)["memory_pressure"]
    assert clearance.source == SeriesSource("host", "memory.stalled_some_s")
    assert clearance.why == snapshot


def test_waits_for_memory_elsewhere_do_not_accuse_a_program_with_room(snapshot: SnapshotAssertion) -> None:
    clearance = cleared(thrashing(memory=40000000.0, faults=0.0).build())["memory_pressure"]
    assert clearance.source == SeriesSource("server", "cgroup.memory_bytes", "/docker/3f2a")
    assert clearance.why == snapshot


def test_pages_that_are_read_back_make_waits_for_the_disk_waits_for_memory() -> None:
    case = thrashing(stalled=0.08).counter("host", "disks.stalled_some_s", "", 0.9)
    diagnosis = diagnose(case.gauge("server", "process.threads", "state:D", 1.5).build())
    assert causes(diagnosis)[0] == ("likely", "memory_pressure", "server")
    assert "disk_io" in [symptom.cause for symptom in diagnosis.findings[0].symptoms]


def test_without_pressure_figures_it_is_only_possible() -> None:
    case = thrashing().build()
    series = {key: readings for key, readings in case.series.items() if key.metric != "stalled_some_s"}
    blind = Case(
        case.edges_ns, case.load, case.components, case.edges, series, cores=case.cores
    )  # fmt: skip
    verdicts = {cause: verdict for verdict, cause, _ in causes(diagnose(blind))}
    assert verdicts["memory_pressure"] == "possible"


def killed(*, death_s: float | None = 14.6, failed_from: int = 13, until: int = 18) -> ACase:
    """Return a kill at 15 s, failures of some seconds around it."""
    failed = np.zeros(30)
    failed[failed_from:until] = 20.0
    case = ACase(seconds=30, rate=100.0, ok=100.0 - failed, failed={"reset": failed}, latency_s=0.01)
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), limits={"memory_bytes": 90e6})
    case.counter("server", "process.cpu_s", "tree", 0.3)
    case.event(15.0, "oom_kill", "host", count=1).event(15.0, "oom_kill", "server", count=1)
    if death_s is not None:
        case.event(death_s, "process_died", "server", pid=4711, reason="unknown", memory_bytes=60e6)
    return case


def test_a_process_that_was_killed_for_memory_comes_first(snapshot: SnapshotAssertion) -> None:
    diagnosis = diagnose(killed().build())
    assert causes(diagnosis)[0] == ("likely", "oom_kill", "server")
    assert diagnosis.findings[0].weight >= 4
    assert diagnosis.findings[0].effect == snapshot


def test_what_a_master_says_of_its_worker_counts() -> None:
    case = killed(death_s=None).event(14.2, "worker_died", "server", reason="out_of_memory", pid=4711)
    assert causes(diagnose(case.build()))[0] == ("likely", "oom_kill", "server")


def test_a_server_that_stays_away_is_explained_to_the_end() -> None:
    case = killed(failed_from=14, until=30)
    case.load.ok[14:] = 0.0
    assert causes(diagnose(case.build()))[0][1] == "oom_kill"


def test_a_kill_that_took_none_of_ours_is_somebody_elses(snapshot: SnapshotAssertion) -> None:
    case = killed(death_s=4.0).build()
    clearance = cleared(case)["oom_kill"]
    assert clearance.source == EventSource("server", "process_died", 0)
    assert clearance.why == snapshot


def test_failures_at_another_time_are_not_its_doing(snapshot: SnapshotAssertion) -> None:
    case = killed(failed_from=0, until=6).build()
    source = cleared(case)["oom_kill"].source
    assert isinstance(source, FormulaSource)
    assert source.text == snapshot
