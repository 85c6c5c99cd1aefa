"""Measures that rest on probes: memory, cores in use, CPU time a request, speed of the cores."""

from pathlib import Path

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import HOST
from loadrig.base.series import Sample
from loadrig.measures import core_speed, cpu_per_request, memory, server_cpu
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.testing.synthetic import SyntheticServer, write_recording

NS = 1_000_000_000
CORES = (("cpu0", 20e-6), ("cpu1", 40e-6))


def recorded(
    folder: Path,
    readings: list[tuple[float, str, float]],
    answers: list[int],
    window_s: tuple[float, float],
    outcome: str = "ok",
) -> Recording:
    """Readings (second, metric, value) of the server's tree, and answers in frames of a second."""
    with TrialWriter(TrialFolder(folder), {}) as writer:
        begun = Recording.open(folder).manifest.monotonic_ns
        for n, count in enumerate(answers):
            rows = [row(outcome, [0.01] * count)] if count else []
            writer.frame(engine_frame(n, begun + n * NS, NS, rows))
        writer.samples(
            [Sample(begun + int(s * NS), "process", metric, "tree", value) for s, metric, value in readings]
        )
        start, end = (begun + int(s * NS) for s in window_s)
        writer.manifest_update(measured={"from_ns": start, "to_ns": end, "why": ""})
        writer.seal()
    return Recording.open(folder)


def test_memory_is_the_peak_within_the_window(tmp_path: Path) -> None:
    readings = [
        (0.5, "pss_bytes", 900e6),
        (1.5, "pss_bytes", 50e6),
        (2.5, "pss_bytes", 70e6),
        (3.5, "pss_bytes", 60e6),
    ]
    readings += [(4.5, "pss_bytes", 800e6), (2.5, "rss_bytes", 500e6)]
    estimate = memory.estimate(recorded(tmp_path / "1", readings, [1] * 5, (1, 4)))
    assert estimate is not None
    assert (estimate.value, estimate.unit, estimate.n, estimate.of) == (70e6, "B", 3, "readings")
    assert (estimate.low, estimate.warnings) == (None, ())


def test_where_only_rss_may_be_read_that_is_said(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    estimate = memory.estimate(recorded(tmp_path / "1", [(1.5, "rss_bytes", 5e6)], [1] * 3, (0, 3)))
    assert estimate is not None
    assert estimate.value == 5e6
    assert estimate.warnings == snapshot


def test_where_pss_was_not_read_in_time_rss_less_what_was_shared_then_stands_in(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    readings = [(0.2, "rss_bytes", 40e6), (0.2, "pss_bytes", 40e6)]  # before there were workers
    readings += [(0.8, "rss_bytes", 130e6), (0.8, "pss_bytes", 48e6)]
    readings += [(1.5, "rss_bytes", 131e6), (2.5, "rss_bytes", 133e6)]
    estimate = memory.estimate(recorded(tmp_path / "1", readings, [1] * 3, (1, 3)))
    assert estimate is not None
    assert (estimate.value, estimate.n) == (51e6, 2)
    assert estimate.warnings == snapshot


def test_a_server_that_was_not_watched_has_no_memory_and_no_cpu(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "1", (50.0,) * 8, server=None)
    assert [measure.estimate(recording) for measure in (memory, server_cpu, cpu_per_request)] == [None] * 3


def test_cpu_time_is_read_off_between_readings(tmp_path: Path) -> None:
    """Readings at half seconds, frames at whole ones: 0.8 cores all along, 100 answers a second."""
    readings = [(s + 0.5, "cpu_s", 5 + 0.8 * s) for s in range(8)]
    recording = recorded(tmp_path / "1", readings, [100] * 8, (2, 6))
    cores, demand = server_cpu.estimate(recording), cpu_per_request.estimate(recording)
    assert cores is not None
    assert demand is not None
    assert cores.value == pytest.approx(0.8)
    assert demand.value == pytest.approx(0.008)
    assert (cores.n, demand.n) == (4, 400)


def test_frames_that_no_reading_covers_are_left_out(tmp_path: Path) -> None:
    readings = [(s, "cpu_s", 0.5 * s) for s in (2.0, 3.0, 4.0, 5.0)]
    recording = recorded(tmp_path / "1", readings, [1000, 10, 10, 10, 10, 1000], (0, 6))
    demand = cpu_per_request.estimate(recording)
    assert demand is not None
    assert demand.n == 30
    assert demand.value == pytest.approx(0.05)


def test_cpu_time_of_frames_without_an_answer_is_paid_by_the_answers(tmp_path: Path) -> None:
    readings = [(float(s), "cpu_s", 1.0 * s) for s in range(9)]
    demand = cpu_per_request.estimate(recorded(tmp_path / "1", readings, [0, 4, 0, 4, 0, 4, 0, 4], (0, 8)))
    assert demand is not None
    assert demand.value == pytest.approx(0.5)
    assert demand.low is not None
    assert demand.low <= 0.5


def test_refused_connections_cost_no_one_a_request(tmp_path: Path) -> None:
    readings = [(float(s), "cpu_s", 0.1 * s) for s in range(5)]
    refused = recorded(tmp_path / "1", readings, [100] * 4, (0, 4), outcome="connect_refused")
    assert cpu_per_request.estimate(refused) is None
    failing = recorded(tmp_path / "2", readings, [100] * 4, (0, 4), outcome="http_5xx")
    demand = cpu_per_request.estimate(failing)
    assert demand is not None
    assert demand.value == pytest.approx(0.001)


def test_a_counter_that_seems_to_fall_did_not_shrink(tmp_path: Path) -> None:
    readings = [
        (0.0, "cpu_s", 1.0),
        (1.0, "cpu_s", 2.0),
        (2.0, "cpu_s", 1.5),
        (3.0, "cpu_s", 3.0),
        (4.0, "cpu_s", 5.0),
    ]
    cores = server_cpu.estimate(recorded(tmp_path / "1", readings, [1] * 4, (0, 4)))
    assert cores is not None
    assert cores.value == pytest.approx(1.0)
    assert cores.low is not None
    assert cores.low >= 0


def test_few_frames_give_a_value_without_an_interval(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    readings = [(float(s), "cpu_s", 0.1 * s) for s in range(3)]
    recording = recorded(tmp_path / "1", readings, [10, 10], (0, 2))
    for measure in (server_cpu, cpu_per_request):
        estimate = measure.estimate(recording)
        assert estimate is not None
        assert estimate.low is None
        assert len(estimate.warnings) == 1
        if measure is server_cpu:
            assert estimate.warnings == snapshot


def test_the_speed_of_the_cores_is_that_of_the_fixed_work_within_the_window(tmp_path: Path) -> None:
    # Two cores, 20 and 40 µs for the work: on average 30, so 33,333 a second; before the window slower.
    works = [(0.5, "cpu1", 80e-6)] + [(s + 0.5, core, t) for s in range(1, 7) for core, t in CORES]
    with TrialWriter(TrialFolder(tmp_path / "1"), {}) as writer:
        begun = Recording.open(tmp_path / "1").manifest.monotonic_ns
        for n in range(8):
            writer.frame(engine_frame(n, begun + n * NS, NS, [row("ok", [0.01])]))
        for second, core, work_s in works:
            writer.samples([Sample(begun + int(second * NS), "cpu_clock", "work_s", core, work_s)], HOST)
        writer.manifest_update(measured={"from_ns": begun + NS, "to_ns": begun + 7 * NS, "why": ""})
        writer.seal()
    speed = core_speed.estimate(Recording.open(tmp_path / "1"))
    assert speed is not None
    assert speed.value == pytest.approx(1 / 30e-6)
    assert (speed.unit, speed.n) == ("1/s", 12)
    assert (speed.low or 0.0) <= speed.value <= (speed.high or 0.0)


def test_a_machine_whose_speed_nobody_asked_has_none(tmp_path: Path) -> None:
    assert core_speed.estimate(write_recording(tmp_path / "1", (50.0,) * 8, server=None)) is None
    assert core_speed.estimate(write_recording(tmp_path / "2", (50.0,) * 8), route="search") is None


def test_one_route_has_no_memory_and_no_cpu_of_its_own(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "1", (50.0,) * 8)
    assert [m.estimate(recording, route="search") for m in (memory, server_cpu, cpu_per_request)] == [
        None
    ] * 3


def test_the_made_up_server_costs_what_it_was_made_to(tmp_path: Path) -> None:
    recording = write_recording(
        tmp_path / "1", (100.0,) * 30, server=SyntheticServer(cpu_s=0.002, grows_to_bytes=80e6)
    )
    demand, peak = cpu_per_request.estimate(recording), memory.estimate(recording)
    assert demand is not None
    assert demand.value == pytest.approx(0.002, rel=0.05)
    assert peak is not None
    assert peak.value == pytest.approx(80e6, rel=0.05)
