from pathlib import Path

import pytest

from loadrig.base.cgroups import parse_cpu_max
from loadrig.probes import memory, tcp_sockets
from loadrig.probes._groups import read_v1, read_v2
from loadrig.probes._session import parse_pairs, parse_pressure


def test_pressure_is_read_in_seconds_and_what_is_no_pressure_is_left_out() -> None:
    text = "some avg10=0.00 avg60=0.17 avg300=0.40 total=11152294\nfull avg10=0.00 total=7\nodd\n"
    assert parse_pressure(text) == {"some": 11.152294, "full": 7e-6}


def test_pairs_leave_out_lines_that_are_no_pairs() -> None:
    assert parse_pairs("nr_periods 5\nmax\nname -1\nburst 1 2\n") == {"nr_periods": 5}


@pytest.mark.parametrize(
    ("text", "cores"), [("max 100000\n", None), ("25000 100000\n", 0.25), ("400000 100000", 4)]
)
def test_a_v2_quota_is_cores(text: str, cores: float | None) -> None:
    assert parse_cpu_max(text) == cores


def test_a_v1_group_without_limits_has_no_limit_metrics(tmp_path: Path) -> None:
    (tmp_path / "memory.usage_in_bytes").write_text("4096\n")
    (tmp_path / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    (tmp_path / "cpu.cfs_quota_us").write_text("-1\n")
    (tmp_path / "cpu.cfs_period_us").write_text("100000\n")
    assert read_v1("memory", tmp_path) == {"memory_bytes": 4096}
    assert read_v1("cpu", tmp_path) == {}


def test_pages_that_are_read_back_are_counted_of_groups_with_a_limit(tmp_path: Path) -> None:
    stat = "cache 4096\nworkingset_refault_file 7\ntotal_workingset_refault_anon 2\n"
    (tmp_path / "memory.stat").write_text(f"{stat}total_workingset_refault_file 40\n")
    assert "memory_refaults" not in read_v1("memory", tmp_path)
    (tmp_path / "memory.limit_in_bytes").write_text("62914560\n")
    assert read_v1("memory", tmp_path)["memory_refaults"] == 42
    (tmp_path / "memory.max").write_text("62914560\n")
    (tmp_path / "memory.stat").write_text("workingset_refault_anon 1\nworkingset_refault_file 8\n")
    assert read_v2(tmp_path)["memory_refaults"] == 9


def test_meminfo_leaves_out_lines_without_a_unit() -> None:
    assert memory.parse_meminfo("MemFree:  12 kB\nHugePages_Total:   3\n") == {"MemFree": 12288}


def test_a_kernel_without_these_files_gives_no_samples_and_no_error(tmp_path: Path) -> None:
    assert tcp_sockets.TcpSocketsWatch(tcp_sockets.Options(), tmp_path).sample(0) == []
    assert memory.MemoryWatch(tmp_path).sample(0) == []
