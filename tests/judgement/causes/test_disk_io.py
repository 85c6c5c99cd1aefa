"""Waits for a disk, against disks that are busy with nobody waiting."""

from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import Cleared, SeriesSource
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase


def slow(stalled: float = 0.8) -> ACase:
    """Return a closed load with idle cores, and a disk that flushes 60 times a second."""
    case = ACase(seconds=30, users=8, ok=50.0, latency_s=0.16, in_flight=8.0).host_cpu([0.1, 0.15])
    case.tier("server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4)
    case.counter("server", "process.cpu_s", "tree", 0.1)
    case.gauge("server", "process.threads", "state:S", 5.0)
    case.counter("host", "disks.flushes", "vda", 60.0, "1").counter("host", "disks.flush_s", "vda", 0.7)
    case.counter("host", "disks.busy_s", "vda", 0.9).counter("host", "disks.written_bytes", "vda", 40e6, "B")
    return case.counter("host", "disks.stalled_some_s", "", stalled)


def with_database(case: ACase, kind: str = "mariadb") -> ACase:
    case.tier(kind, kind=kind, cpus=(1,), address="127.0.0.1:3306", pid=77)
    case.edge("server", kind, "127.0.0.1:3306", 4)
    return case.counter(kind, "process.cpu_s", "tree", 0.05)


def causes(case: Case) -> list[tuple[str, str, str]]:
    return [(finding.verdict, finding.cause, finding.component) for finding in diagnose(case).findings]


def cleared(case: Case) -> dict[str, Cleared]:
    return {clearance.cause: clearance for clearance in diagnose(case).cleared}


def test_a_server_whose_threads_wait_for_the_disk_comes_first(snapshot: SnapshotAssertion) -> None:
    case = slow().gauge("server", "process.threads", "state:D", 1.5)
    case.counter("server", "process.disk_written_bytes", "tree", 1e6, "B")
    diagnosis = diagnose(case.build())
    assert causes(case.build())[0] == ("likely", "disk_io", "server")
    assert diagnosis.findings[0].weight >= 3
    assert diagnosis.findings[0].effect == snapshot


def test_it_is_the_database_that_waits_and_not_who_waits_for_it(snapshot: SnapshotAssertion) -> None:
    case = with_database(slow()).gauge("mariadb", "process.threads", "state:D", 0.9)
    case.counter("mariadb", "mariadb.fsyncs", "", 60.0, "1")
    assert causes(case.build())[0] == ("likely", "disk_io", "mariadb")
    assert diagnose(case.build()).findings[0].mend == snapshot


def test_what_a_databases_sessions_wait_for_counts_where_its_threads_are_not_seen() -> None:
    case = with_database(slow(), "postgresql").gauge("postgresql", "postgresql.waits", "IO:WALSync", 3.0)
    assert causes(case.build())[0] == ("likely", "disk_io", "postgresql")


def test_sessions_that_wait_for_a_lock_whose_holder_writes_wait_for_no_disk() -> None:
    for locked, first in ((7.0, "row_lock"), (0.5, "disk_io")):
        case = with_database(slow(), "postgresql").gauge("postgresql", "postgresql.waits", "IO:WALSync", 0.7)
        case.gauge("postgresql", "postgresql.waits", "Lock:transactionid", locked)
        assert causes(case.build())[0] == ("likely", first, "postgresql")


def test_a_busy_disk_that_nobody_of_ours_waits_for_is_cleared(snapshot: SnapshotAssertion) -> None:
    clearance = cleared(slow().build())["disk_io"]
    assert clearance.source == SeriesSource("server", "process.threads", "state:D")
    assert clearance.why == snapshot


def test_write_back_in_the_background_is_cleared(snapshot: SnapshotAssertion) -> None:
    case = slow(stalled=0.03).gauge("server", "process.threads", "state:D", 0.3)
    clearance = cleared(case.build())["disk_io"]
    assert clearance.source == SeriesSource("host", "disks.stalled_some_s")
    assert clearance.why == snapshot


def test_a_program_with_its_core_used_up_waits_for_that(snapshot: SnapshotAssertion) -> None:
    case = slow().gauge("server", "process.threads", "state:D", 0.5)
    case.counter("server", "process.cpu_s", "tree", 0.98)
    clearance = cleared(case.build())["disk_io"]
    assert clearance.source == SeriesSource("server", "process.cpu_s", "tree")
    assert clearance.why == snapshot


def test_a_fast_enough_disk_is_no_harm() -> None:
    case = ACase(seconds=30, rate=50.0, ok=50.0).tier("server", kind="program", cpus=(1,))
    case.counter("server", "process.cpu_s", "tree", 0.1).gauge("server", "process.threads", "state:D", 0.6)
    case.counter("host", "disks.stalled_some_s", "", 0.4)
    assert causes(case.build()) == [("likely", "healthy", "server")]


def test_without_pressure_figures_it_is_only_possible() -> None:
    case = slow().gauge("server", "process.threads", "state:D", 1.5).build()
    series = {key: readings for key, readings in case.series.items() if key.metric != "stalled_some_s"}
    blind = Case(case.edges_ns, case.load, case.components, case.edges, series, cores=case.cores)
    assert ("possible", "disk_io", "server") in causes(blind)
