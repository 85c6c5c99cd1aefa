"""Connections by role from the text of /proc/net/tcp, and what the stack counts."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base.component import Component
from loadrig.base.running import Address
from loadrig.probes import tcp_sockets
from loadrig.probes._tcp.stack import figures, parse_counters, parse_port_range
from loadrig.probes._tcp.text import STATES, parse_tables

HEAD = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"


def row(n: int, local_port: int, remote_port: int, state: str, remote: str = "0100007F") -> str:
    return (
        f"{n:4d}: 0100007F:{local_port:04X} {remote}:{remote_port:04X} {state} 00000000:00000000"
        " 00:00000000 00000000     0        0 0 1 0000000000000000\n"
    )


def test_time_wait_counts_by_its_direction() -> None:
    listener = row(0, 8000, 0, "0A", "00000000")
    server_end = "".join(row(n, 8000, 40000 + n, "06") for n in range(1, 6))
    to_redis = "".join(row(n, 50000 + n, 6379, "06", "0500000A") for n in range(6, 9))
    table = parse_tables([HEAD + listener + server_end + to_redis])
    assert table.connections == {("in:8000", "time_wait"): 5, ("out:10.0.0.5:6379", "time_wait"): 3}
    assert table.accept_queues == {8000: 0}


@given(st.lists(st.tuples(st.integers(1, 65535), st.integers(1, 65535), st.sampled_from(list(STATES)))))
def test_every_connection_is_counted_once(rows: list[tuple[int, int, str]]) -> None:
    text = HEAD + "".join(row(n, *cells) for n, cells in enumerate(rows))
    assert sum(parse_tables([text]).connections.values()) == len(rows)


def test_line_numbers_wider_than_their_column_do_not_shift_the_cells() -> None:
    text = HEAD + row(123456, 50000, 80, "01")
    assert parse_tables([text]).connections == {("out:127.0.0.1:80", "established"): 1}


def test_destinations_beyond_the_allowed_number_are_others_and_names_stay(tmp_path: Path) -> None:
    net = tmp_path / "proc/net"
    net.mkdir(parents=True)

    def sample(t_ns: int, *remotes: int) -> dict[str, float]:
        rows = "".join(row(n, 50000 + n, port, "01") for n, port in enumerate(remotes))
        (net / "tcp").write_text(HEAD + rows)
        return {
            sample.subject: sample.value for sample in watch.sample(t_ns) if sample.metric == "established"
        }

    watch = tcp_sockets.TcpSocketsWatch(tcp_sockets.Options(destinations=1), tmp_path)
    assert sample(0, 80, 80, 443) == {"out:127.0.0.1:80": 2, "out:others": 1}
    assert sample(10**12, 443, 443, 443) == {"out:127.0.0.1:80": 0, "out:others": 3}


def test_what_is_watched_is_told_apart_though_there_is_no_more_room(tmp_path: Path) -> None:
    net = tmp_path / "proc/net"
    net.mkdir(parents=True)
    listeners = "".join(row(n, port, 0, "0A") for n, port in enumerate((700, 800, 900)))
    ends = "".join(row(n, port, 40000 + n, "01") for n, port in enumerate((700, 700, 700, 800, 800, 900)))
    far = "".join(row(n, 40000 + n, port, "01") for n, port in enumerate((443, 443, 900)))
    (net / "tcp").write_text(HEAD + listeners + ends + far)
    server = Component("server", "program", address=Address("127.0.0.1", 900))

    def sample(*components: Component) -> dict[str, float]:
        watch = tcp_sockets.TcpSocketsWatch(
            tcp_sockets.Options(destinations=1, ports=1), tmp_path, lambda: components
        )
        samples = watch.sample(0)
        queues = {sample.subject for sample in samples if sample.metric == "accept_queue"}
        established = {sample.subject: sample.value for sample in samples if sample.metric == "established"}
        assert queues == {role for role in established if role.startswith("in:")} - {"in:others"}
        return established

    to = "out:127.0.0.1"
    assert sample() == {"in:700": 3, "in:others": 3, f"{to}:443": 2, "out:others": 1}
    assert sample(server) == {"in:900": 1, "in:others": 5, f"{to}:900": 1, "out:others": 2}


def test_counters_of_snmp_are_read_by_name_whatever_their_order() -> None:
    text = "Tcp: ActiveOpens X PassiveOpens\nTcp: 5 1 7\nUdp: A\nUdp: 2\n"
    assert parse_counters(text) == {"Tcp.ActiveOpens": 5, "Tcp.X": 1, "Tcp.PassiveOpens": 7, "Udp.A": 2}


@pytest.mark.parametrize(
    ("text", "ports"),
    [("32768\t60999\n", 28232), ("1 1", 1), ("", None), (None, None), ("60999 32768", None)],
)
def test_the_port_range_includes_both_its_ends(text: str | None, ports: int | None) -> None:
    assert parse_port_range(text) == ports


def test_shares_are_of_the_settings_and_missing_ones_leave_their_metrics_out() -> None:
    sockstat = "sockets: used 9\nTCP: inuse 5 orphan 1 tw 50 alloc 7 mem 1\n"
    settings = {
        "ipv4/tcp_max_tw_buckets": "200\n", "ipv4/tcp_tw_reuse": "2\n",
        "netfilter/nf_conntrack_count": "30\n", "netfilter/nf_conntrack_max": "120\n",
    }  # fmt: skip
    assert figures(sockstat, None, None, settings) == {
        "tcp_in_use": 5, "orphans": 1, "time_wait_all": 50, "time_wait_share": 0.25, "time_wait_reuse": 2,
        "conntrack_entries": 30, "conntrack_share": 0.25,
    }  # fmt: skip
    assert figures(None, None, None, {}) == {}
