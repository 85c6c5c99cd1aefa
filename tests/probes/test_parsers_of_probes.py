import builtins
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.cgroups import parse_cpu_max
from loadrig.base.running import Address, RunningTarget
from loadrig.probes import memory, process, tcp_sockets
from loadrig.probes._groups import read_v1
from loadrig.probes._session import parse_pairs, parse_pressure

HERE = RunningTarget(Address("127.0.0.1", 1))
HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def row(n: int, local_port: int, remote_port: int, state: str, remote: str = "0100007F") -> str:
    return (
        f"{n:4d}: 0100007F:{local_port:04X} {remote}:{remote_port:04X} {state} 00000000:00000000"
        " 00:00000000 00000000     0        0 0 1 0000000000000000\n"
    )


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


def test_meminfo_leaves_out_lines_without_a_unit() -> None:
    assert memory.parse_meminfo("MemFree:  12 kB\nHugePages_Total:   3\n") == {"MemFree": 12288}


def test_a_soft_limit_that_is_unlimited_is_none() -> None:
    line = "Max open files            {0:20} 524288               files\n"
    assert process.parse_fd_limit(line.format("1024")) == 1024
    assert process.parse_fd_limit(line.format("unlimited")) is None
    assert process.parse_fd_limit("") is None


def test_memory_that_may_not_be_read_leaves_rss_and_one_note(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Path(__file__).with_name("recorded") / "process/worker_replaced"
    pid = int((case / "options.yaml").read_text().split()[1])

    def refuse(path: Any, *rest: Any, **more: Any) -> Any:
        if str(path).endswith("smaps_rollup"):
            raise PermissionError(13, "Permission denied")
        return builtins.open(path, *rest, **more)

    monkeypatch.setattr(process, "open", refuse, raising=False)
    watch = process.Watch(process.Options(), pid, None, case / "tick0")
    for t_ns in (0, 10**9):
        metrics = {sample.metric for sample in watch.sample(t_ns)}
        assert "rss_bytes" in metrics
        assert "pss_bytes" not in metrics
    notes = [event.text for event in watch.events() if event.kind == "note"]
    assert len(notes) == 1
    assert "RSS only" in notes[0]


def test_too_many_threads_are_not_read_one_by_one_and_a_note_says_so() -> None:
    case = Path(__file__).with_name("recorded") / "process/worker_replaced"
    pid = int((case / "options.yaml").read_text().split()[1])
    watch = process.Watch(process.Options(threads=2), pid, None, case / "tick0")
    metrics = {sample.metric for sample in watch.sample(0)}
    assert "threads" in metrics
    assert "voluntary_switches" not in metrics
    assert ["more than 2 threads" in event.text for event in watch.events()] == [True]


def test_time_wait_counts_by_its_direction() -> None:
    listener = row(0, 8000, 0, "0A", "00000000")
    server_end = "".join(row(n, 8000, 40000 + n, "06") for n in range(1, 6))
    to_redis = "".join(row(n, 50000 + n, 6379, "06", "0500000A") for n in range(6, 9))
    table = tcp_sockets.parse_tables([HEAD + listener + server_end + to_redis])
    assert table.connections == {("in:8000", "time_wait"): 5, ("out:10.0.0.5:6379", "time_wait"): 3}
    assert table.accept_queues == {8000: 0}


@given(
    st.lists(
        st.tuples(st.integers(1, 65535), st.integers(1, 65535), st.sampled_from(list(tcp_sockets.STATES)))
    )
)
def test_every_connection_is_counted_once(rows: list[tuple[int, int, str]]) -> None:
    text = HEAD + "".join(row(n, *one) for n, one in enumerate(rows))
    assert sum(tcp_sockets.parse_tables([text]).connections.values()) == len(rows)


def test_line_numbers_wider_than_their_column_do_not_shift_the_cells() -> None:
    text = HEAD + row(123456, 50000, 80, "01")
    assert tcp_sockets.parse_tables([text]).connections == {("out:127.0.0.1:80", "established"): 1}


def test_destinations_beyond_the_allowed_number_are_others_and_names_stay(tmp_path: Path) -> None:
    net = tmp_path / "proc/net"
    net.mkdir(parents=True)

    def sample(*remotes: int) -> dict[str, float]:
        rows = "".join(row(n, 50000 + n, port, "01") for n, port in enumerate(remotes))
        (net / "tcp").write_text(HEAD + rows)
        return {one.subject: one.value for one in watch.sample(0) if one.metric == "established"}

    watch = tcp_sockets.Watch(tcp_sockets.Options(destinations=1), HERE, tmp_path)
    assert sample(80, 80, 443) == {"out:127.0.0.1:80": 2, "out:others": 1}
    assert sample(443, 443, 443) == {"out:127.0.0.1:80": 0, "out:others": 3}


def test_a_kernel_without_these_files_gives_no_samples_and_no_error(tmp_path: Path) -> None:
    assert tcp_sockets.Watch(tcp_sockets.Options(), HERE, tmp_path).sample(0) == []
    assert memory.Watch(memory.Options(), HERE, tmp_path).sample(0) == []


def test_counters_of_snmp_are_read_by_name_whatever_their_order() -> None:
    text = io.StringIO("Tcp: ActiveOpens X PassiveOpens\nTcp: 5 1 7\nUdp: A\nUdp: 2\n").getvalue()
    assert tcp_sockets.parse_counters(text) == {
        "Tcp.ActiveOpens": 5, "Tcp.X": 1, "Tcp.PassiveOpens": 7, "Udp.A": 2,
    }  # fmt: skip
