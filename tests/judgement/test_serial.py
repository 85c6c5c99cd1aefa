"""Turns: what requests get one after the other while whoever has the turn waits for a disk or for memory."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.disks import are_flushed_in_turn, flushes_each
from loadrig.judgement.facts.memory import read_back_share
from loadrig.judgement.limits.bottlenecks import judgement_of
from loadrig.judgement.limits.serial import turns
from loadrig.testing.cases import ACase
from tests.judgement.scenes import scene
from tests.judgement.test_holders import FILES, N
from tests.profilers.test_cpu_time import VIEW, burst
from tests.wording import numbers


def writing_in_turn(
    folder: Path, *, cpu: float = 0.4, busy: float | None = None, flushes: float = 2.0, disk: float = 0.5
) -> Case:
    """Return a server with one writer, who flushes while the others wait inside.

    It has so many flushes for each of 800 requests a second. busy: of its core, by anybody.
    """
    case = scene(800.0, {"in_hand": 24.0, "disk": disk, "runnable": 0.5}, cpu=cpu, busy=busy, waited_s=0.6)
    watched = ACase(seconds=N).counter("host", "disks.flushes", "vda", 800.0 * flushes, "1")
    watched.counter("host", "disks.written_bytes", "vda", 22e6, "B")
    watched.counter("server", "process.disk_written_bytes", "tree", 22e6, "B")
    watched.gauge("server", "process.threads", "state:D", disk).gauge(
        "server", "process.threads", "state:S", 5.0
    )
    series = {**case.series, **watched.build().series}
    return replace(case, series=series, profiles=(burst(folder, 1, {FILES: 60, VIEW: 140}),))


def likely(diagnosis: Diagnosis) -> list[str]:
    return [finding.cause for finding in diagnosis.findings if finding.verdict == "likely"]


@pytest.mark.parametrize("busy", [None, 0.97], ids=["quiet", "beside a neighbour"])
def test_a_lock_whose_holder_makes_data_durable_is_the_queue_for_the_disk(
    tmp_path: Path, busy: float | None
) -> None:
    """Let the holder be at the disk for (0.5 + 0.3 x 0.4) of 0.9 parts: the turn is so much shorter without.

    Others fill the core, and requests do not wait for that: they wait for their turn.
    """
    diagnosis = diagnose(writing_in_turn(tmp_path, busy=busy))
    first = diagnosis.findings[0]
    assert (first.cause, first.component, first.verdict) == ("disk_io", "server", "likely")
    share = (0.5 + 0.3 * 0.4) / 0.9
    assert first.gain == pytest.approx(1 / (1 - share), rel=0.05)
    assert likely(diagnosis) == ["disk_io"]
    # The effect says how many of the 24 requests wait for their turn.
    assert any(20 < number < 24 for number in numbers(first.effect))


def test_shorter_turns_bring_no_more_than_the_cores_bear(tmp_path: Path) -> None:
    first = diagnose(writing_in_turn(tmp_path, cpu=0.8, disk=3.0)).findings[0]
    assert first.cause == "disk_io"
    assert first.gain == pytest.approx(1 / (0.8 * 0.7), rel=0.05)


def claim(cause: str, detail: str = "") -> Finding:
    return Finding(cause, "server", "likely", "", "", "", "", 3.0, (), detail=detail, bound=0.5)


def test_a_lock_beside_turns_at_the_disk_is_no_resource_of_its_own(tmp_path: Path) -> None:
    case, lock, disk = writing_in_turn(tmp_path), claim("lock_contention"), claim("disk_io", "each request")
    assert [turn.cause for turn in turns(case, (lock, disk))] == ["disk_io"]
    assert [turn.cause for turn in turns(case, (lock,))] == ["lock_contention"]
    shared = writing_in_turn(tmp_path, flushes=0.6)
    assert [turn.cause for turn in turns(shared, (lock, disk))] == ["lock_contention"]


@pytest.mark.parametrize(("each", "are_alone"), [(1.0, True), (0.3, False)])
def test_flushes_are_set_against_the_requests_of_the_route_that_writes(
    tmp_path: Path, each: float, are_alone: bool
) -> None:
    """One request of five writes: a flush for each of these is a fifth of one for each request."""
    writes = np.random.default_rng(3).binomial(800, 0.2, N).astype(float)
    case = writing_in_turn(tmp_path)
    load = replace(case.load, routes={"POST /booking": writes, "GET /account": 800.0 - writes})
    flushes = ACase(seconds=N).counter("host", "disks.flushes", "vda", each * writes, "1").build()
    case = replace(case, load=load, series={**case.series, **flushes.series}, remembered={})
    assert flushes_each(case, case.host) == pytest.approx(each, rel=0.1)
    assert are_flushed_in_turn(case, "server") is are_alone


def reading_back(
    folder: Path, *, kernel: float = 0.75, pages: float = 5.0, limit: float = 61e6, profiled: bool = True
) -> Case:
    """Return a server at its memory limit that reads pages back for each of 3,000 requests a second.

    kernel: cores that it uses in the kernel, of 0.85.
    """
    server = {"in_hand": 3.0, "unread": 21.0, "disk": 1.0, "runnable": 1.0}
    case = scene(3_000.0, server, cpu=0.85, busy=0.93, held=3.0)
    watched = ACase(seconds=N).counter("server", "process.major_faults", "tree", 3_000.0 * pages, "1")
    watched.counter("server", "cgroup.memory_refaults", "/shop", 2_500.0 * pages, "1")
    watched.counter("server", "process.cpu_system_s", "tree", kernel)
    watched.counter("server", "process.disk_read_bytes", "tree", 3_000.0 * 4096 * pages, "B")
    watched.gauge("server", "process.threads", "state:D", 1.0)
    watched.gauge("server", "cgroup.memory_bytes", "/shop", 60.9e6, "B")
    watched.gauge("server", "cgroup.memory_limit_bytes", "/shop", limit, "B")
    watched.counter("host", "memory.stalled_some_s", "", 0.03)
    watched.counter("host", "disks.stalled_some_s", "", 0.28).counter(
        "host", "disks.written_bytes", "vda", 2e6, "B"
    )
    profiles = (burst(folder, 1, {FILES: 80, VIEW: 120}),) if profiled else ()
    return replace(case, series={**case.series, **watched.build().series}, profiles=profiles)


@pytest.mark.parametrize("profiled", [True, False])
def test_pages_that_are_read_back_cost_what_the_kernel_does_for_them_and_the_wait(
    tmp_path: Path, profiled: bool
) -> None:
    """A third of the CPU time may be the kernel's for connections; a profile saw less than the rest."""
    case = reading_back(tmp_path, profiled=profiled)
    pages = 0.75 - 0.85 / 3
    assert read_back_share(case, case.server) == pytest.approx((1.0 + pages) / 1.85, rel=0.05)
    first = diagnose(case).findings[0]
    assert (first.cause, first.verdict) == ("memory_pressure", "likely")
    assert first.gain is not None
    assert 1.8 < first.gain < 1 / (1 - (1.0 + pages) / 1.85)


def test_no_page_costs_more_than_a_page_can(tmp_path: Path) -> None:
    few, many = (reading_back(tmp_path, pages=pages, profiled=False) for pages in (1.0, 5.0))
    few_share, many_share = (read_back_share(case, case.server) for case in (few, many))
    assert few_share is not None
    assert many_share is not None
    assert few_share < many_share


def test_what_waits_for_pages_is_no_lock_nor_a_slow_disk_nor_too_few_workers(tmp_path: Path) -> None:
    case = reading_back(tmp_path)
    short, disk, lock = claim("memory_pressure"), claim("disk_io"), claim("lock_contention")
    assert list(turns(case, (short, disk, lock))) == []
    with_room = reading_back(tmp_path, limit=400e6)
    assert [turn.cause for turn in turns(with_room, (disk, lock))] == ["disk_io", "lock_contention"]
    named = {each.cause for each in judgement_of(case, (short, disk, lock)).bottlenecks}
    assert "memory_pressure" in named
    diagnosis = diagnose(case)
    assert likely(diagnosis) == ["memory_pressure"]
    assert {"disk_io"} <= {symptom.cause for symptom in diagnosis.findings[0].symptoms}


def test_pages_that_process_and_group_count_are_told_once(tmp_path: Path) -> None:
    first = diagnose(reading_back(tmp_path)).findings[0]
    counts = [evidence for evidence in first.evidence if {12_500.0, 15_000.0} & set(numbers(evidence.text))]
    assert len(counts) == 1


def test_who_only_reads_is_not_told_to_write_less(tmp_path: Path) -> None:
    """Let no limit of memory be near: then the disk is what is slow, and reading is what it does."""
    read = next(
        finding
        for finding in diagnose(reading_back(tmp_path, limit=400e6)).findings
        for finding in (finding, *finding.symptoms)
        if finding.cause == "disk_io"
    )
    written = diagnose(writing_in_turn(tmp_path)).findings[0]
    assert read.mend != written.mend
