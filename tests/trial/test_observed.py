"""The series of a trial's JSON: names, levels of gauges, growth of counters."""

from pathlib import Path

import pytest

from loadrig.base.documents import ABSENT
from loadrig.base.series import Sample
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.trial.document import SeriesSummary
from loadrig.trial.observed import summaries

S = 1_000_000_000
METRICS = {
    "process.cpu_s": {"unit": "s", "kind": "counter", "doc": "CPU.", "otel": "process.cpu.time"},
    "redis.clients": {"unit": "1", "kind": "gauge", "doc": "Clients."},
}


def recorded(folder: Path, cpu: list[float], clients: list[float]) -> Recording:
    """Return a recording with a sample a second from second 0; measured are the seconds after 1 up to 5."""
    facts = {"metrics": METRICS, "measured": {"from_ns": 1 * S, "to_ns": 5 * S, "why": ""}, "start_ns": 0}
    with TrialWriter(TrialFolder(folder), facts) as writer:
        for second, value in enumerate(cpu):
            writer.samples([Sample(second * S, "process", "cpu_s", "tree", value)], "server")
        for second, value in enumerate(clients):
            writer.samples([Sample(second * S, "redis", "clients", "", value)], "redis")
        writer.seal()
    return Recording.open(folder)


def test_a_counter_is_told_by_its_growth_within_the_window(tmp_path: Path) -> None:
    summary_by_metric = summaries(recorded(tmp_path / "t", [0, 100, 101, 103, 106, 107, 999], []))
    (cpu,) = summary_by_metric["process.cpu.time"]
    assert cpu == SeriesSummary(
        component="server", subject="tree", probe="process", metric="cpu_s", unit="s", kind="counter", n=4,
        grew=6.0, least=1.0, median=2.0, greatest=3.0,
    )  # fmt: skip


def test_a_gauge_is_told_by_its_level_and_without_another_name_by_its_own(tmp_path: Path) -> None:
    summary_by_metric = summaries(recorded(tmp_path / "t", [], [9, 9, 4, 6, 5, 7]))
    (clients,) = summary_by_metric["redis.clients"]
    assert (clients.component, clients.n) == ("redis", 4)
    assert (clients.least, clients.median, clients.greatest) == (4.0, 5.5, 7.0)
    assert clients.grew is ABSENT


def test_a_counter_that_began_anew_tells_of_the_other_steps(tmp_path: Path) -> None:
    (cpu,) = summaries(recorded(tmp_path / "t", [0, 0, 50, 52, 1, 3], []))["process.cpu.time"]
    assert cpu.grew == pytest.approx(4.0)


def test_what_has_no_reading_in_the_window_is_left_out(tmp_path: Path) -> None:
    assert summaries(recorded(tmp_path / "t", [1.0, 2.0], [3.0])) == {}
