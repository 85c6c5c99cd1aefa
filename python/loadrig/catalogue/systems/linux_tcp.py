"""TCP of the Linux kernel: sysctls, each network namespace having its own unless it is said."""

from loadrig.base.setting import Setting, Value
from loadrig.catalogue.entry import Entry, TimeConstant, by_name, number

TITLE = "Linux TCP"
V = "Linux 6.18"
SOURCE = "Linux kernel documentation, IP Sysctl"
CORE = "Linux kernel documentation, Documentation for /proc/sys/net/"

TIME_WAIT_S = 60.0
"""Time for which a closed connection holds its port, in seconds: TCP_TIMEWAIT_LEN of include/net/tcp.h."""

DEFAULT_PORTS = 60_999 - 32_768 + 1


def _until_ports_end(value: Value, setting: Setting, per_second: float) -> float | None:
    """Return the time until a connection for each request has used up the ports, in seconds.

    At most 60 s, as the ports come back then.
    """
    del setting
    if per_second <= 0:
        return None
    words = str(value).split()
    ports = int(words[1]) - int(words[0]) + 1 if len(words) == 2 and all(map(str.isdigit, words)) else 0
    return min(TIME_WAIT_S, (ports if ports > 0 else DEFAULT_PORTS) / per_second)


def _until_reused(value: Value, setting: Setting, per_second: float) -> float | None:
    """Return the time until reuse shows, once the ports are used up; the range may be a knob, too."""
    del value
    return _until_ports_end(setting.get("net.ipv4.ip_local_port_range", ""), setting, per_second)


def _until_full(value: Value, setting: Setting, per_second: float) -> float | None:
    del setting
    buckets = number(value)
    return min(TIME_WAIT_S, buckets / per_second) if buckets and per_second > 0 else None


def _seconds(value: Value, setting: Setting, per_second: float) -> float | None:
    del setting, per_second
    return number(value) or None


KNOBS = by_name(
    Entry(
        "net.core.somaxconn", "sysctl", "Longest backlog that a listener gets, whatever it asks for.",
        "When connections come in bursts and ListenOverflows grows.",
        "4096", V, CORE, low=128, high=65_535, scale="log",
    ),
    Entry(
        "net.ipv4.tcp_max_syn_backlog", "sysctl", "Most half-open connections of a listener.",
        "When many clients connect over slow ways.",
        "by memory, 128 and more", V, SOURCE, low=128, high=65_535, scale="log",
    ),
    Entry(
        "net.ipv4.ip_local_port_range", "sysctl", "Ports for connections made from here: first, last.",
        "When a client makes more than ports / 60 s connections a second to one address: 470 by default.",
        "32768 60999", V, SOURCE, scale="words", words=("32768 60999", "15000 64999", "1024 65535"),
        time=TimeConstant("ports / connections a second, at most 60 s", _until_ports_end, cycles=1),
    ),
    Entry(
        "net.ipv4.tcp_tw_reuse", "sysctl",
        "Whether a port in TIME_WAIT may be used for a new connection: 0 no, 1 yes, 2 on loopback.",
        "For a client without a pool; a test on loopback does not show what a network will.",
        "2", V, SOURCE, words=("0", "1", "2"), scale="words",
        time=TimeConstant("ports / connections a second, at most 60 s", _until_reused, cycles=1),
    ),
    Entry(
        "net.ipv4.tcp_tw_reuse_delay", "sysctl", "How long a port must have been in TIME_WAIT to be reused.",
        "With tcp_tw_reuse, at thousands of connections a second to one address.",
        "1000", V, SOURCE, unit="ms", low=100, high=10_000, scale="log",
    ),
    Entry(
        "net.ipv4.tcp_max_tw_buckets", "sysctl", "Most connections in TIME_WAIT; more are dropped at once.",
        "It caps the count that people read, and hardly anything else.",
        "by memory", V, SOURCE, low=4_096, high=1_048_576, scale="log",
        time=TimeConstant("buckets / connections a second, at most 60 s", _until_full, cycles=1),
    ),
    Entry(
        "net.ipv4.tcp_fin_timeout", "sysctl", "How long an orphaned connection waits in FIN-WAIT-2.",
        "When clients do not close; it is not the length of TIME_WAIT, which is fixed.",
        "60", V, SOURCE, unit="s", low=5, high=120, scale="log",
        time=TimeConstant("tcp_fin_timeout", _seconds, cycles=1),
    ),
    Entry(
        "net.ipv4.tcp_slow_start_after_idle", "sysctl", "Whether an idle connection begins slowly again.",
        "For large answers over long ways on connections that are kept.",
        "1", V, SOURCE, words=("0", "1"), scale="words",
    ),
    Entry(
        "net.core.netdev_max_backlog", "sysctl",
        "Packets that wait between a device and the stack, for each core; of the whole machine.",
        "When softnet_stat counts drops.",
        "1000", V, CORE, low=1_000, high=65_535, scale="log",
    ),
    Entry(
        "net.ipv4.tcp_abort_on_overflow", "sysctl", "Whether a full backlog answers with a reset.",
        "It turns connects that wait 1, 3, 7 s into errors at once.",
        "0", V, SOURCE, words=("0", "1"), scale="words",
    ),
)  # fmt: skip
