"""Counts of the TCP stack of a network namespace, and the settings that bound it."""

from collections.abc import Mapping

from loadrig.base.series import Metric

# Source: include/uapi/linux/snmp.h, and RFC 1213 and Documentation/networking/snmp_counter.rst for their
# meaning. Key: group and name in /proc/net/snmp and netstat.
COUNTERS: Mapping[str, tuple[str, str]] = {
    "Tcp.ActiveOpens": ("active_opens", "Connections opened by this machine."),
    "Tcp.PassiveOpens": ("passive_opens", "Connections accepted by this machine."),
    "Tcp.AttemptFails": ("attempt_fails", "Connections that failed while being opened."),
    "Tcp.EstabResets": ("estab_resets", "Connections that were reset."),
    "Tcp.OutSegs": ("sent_segments", "Segments sent, without those sent again."),
    "Tcp.RetransSegs": ("retransmitted_segments", "Segments sent again."),
    "TcpExt.DelayedACKs": ("delayed_acks", "Acknowledgements held back until their time was up, 40 ms."),
    "TcpExt.TCPDSACKRecv": ("needless_segments", "Segments sent again that their receiver had already."),
    "TcpExt.TCPTimeouts": ("timeouts", "Times that nothing was acknowledged until the timer ended."),
    "TcpExt.ListenOverflows": ("listen_overflows", "Connections turned away: the accept queue was full."),
    "TcpExt.ListenDrops": ("listen_drops", "Connections turned away by a listener, for whatever reason."),
    "TcpExt.TCPReqQFullDrop": ("request_queue_drops", "Connections turned away: too many half open ones."),
    "TcpExt.SyncookiesSent": ("syn_cookies_sent", "Connections begun with a cookie: the queue was full."),
    "TcpExt.SyncookiesRecv": ("syn_cookies_received", "Cookies that came back right."),
    "TcpExt.SyncookiesFailed": ("syn_cookies_failed", "Cookies that came back wrong."),
    "TcpExt.TW": ("time_waits_made", "Connections that left TIME_WAIT when its time was over."),
    "TcpExt.TWRecycled": ("time_wait_recycled", "TIME_WAITs used again early (tcp_tw_reuse)."),
    "TcpExt.TCPTimeWaitOverflow": ("time_wait_overflows", "TIME_WAITs cut short by tcp_max_tw_buckets."),
    "TcpExt.TCPAbortOnData": ("aborts_on_data", "Connections reset as data came for a closed socket."),
    "TcpExt.TCPAbortOnClose": ("aborts_on_close", "Connections reset by a close with data left unread."),
    "TcpExt.TCPAbortOnMemory": ("aborts_on_memory", "Connections reset: too many orphans or no memory."),
    "TcpExt.TCPAbortOnTimeout": ("aborts_on_timeout", "Connections reset after too many retransmits."),
    "TcpExt.TCPAbortOnLinger": ("aborts_on_linger", "Connections reset that lingered in FIN_WAIT2."),
}  # fmt: skip

_SOCKSTAT = {"inuse": "tcp_in_use", "orphan": "orphans", "tw": "time_wait_all"}

METRICS: Mapping[str, Metric] = {
    "tcp_in_use": Metric("1", "gauge", "TCP sockets of IPv4 in use."),
    "orphans": Metric("1", "gauge", "Connections that no program holds any more."),
    "time_wait_all": Metric("1", "gauge", "All connections in TIME_WAIT."),
    "time_wait_share": Metric("1", "gauge", "All connections in TIME_WAIT over tcp_max_tw_buckets."),
    "time_wait_reuse": Metric("1", "gauge", "Setting tcp_tw_reuse: 0 never, 1 always, 2 on loopback only."),
    "port_range": Metric("1", "gauge", "Ports for outgoing connections to one destination."),
    "conntrack_entries": Metric("1", "gauge", "Connections that the packet filter keeps track of."),
    "conntrack_share": Metric("1", "gauge", "Tracked connections over nf_conntrack_max."),
    **{metric: Metric("1", "counter", doc) for metric, doc in COUNTERS.values()},
}

SETTINGS = (
    "ipv4/ip_local_port_range",
    "ipv4/tcp_max_tw_buckets",
    "ipv4/tcp_tw_reuse",
    "netfilter/nf_conntrack_count",
    "netfilter/nf_conntrack_max",
)
"""Files below /proc/sys/net that are read."""


def parse_sockstat(text: str) -> dict[str, int]:
    """Return the words and numbers in the TCP line of /proc/net/sockstat."""
    for line in text.splitlines():
        if line.startswith("TCP:"):
            words = line.split()[1:]
            return {name: int(number) for name, number in zip(words[::2], words[1::2], strict=False)}
    return {}


def parse_counters(text: str) -> dict[str, int]:
    """Return the counters in /proc/net/snmp or netstat: "Tcp.ActiveOpens" -> n.

    A pair of lines holds names and numbers.
    """
    counters = {}
    lines = text.splitlines()
    for names, numbers in zip(lines[::2], lines[1::2], strict=False):
        group, _, rest = names.partition(":")
        values = numbers.partition(":")[2].split()
        counters.update(
            {f"{group}.{name}": int(value) for name, value in zip(rest.split(), values, strict=False)}
        )
    return counters


def parse_port_range(text: str | None) -> int | None:
    """Return how many ports the text of ip_local_port_range spans; None where it is no range."""
    words = (text or "").split()
    if len(words) != 2 or not (words[0].isdecimal() and words[1].isdecimal()):
        return None
    ports = int(words[1]) - int(words[0]) + 1
    return ports if ports > 0 else None


def figures(
    sockstat: str | None, snmp: str | None, netstat: str | None, settings: Mapping[str, str | None]
) -> dict[str, float]:
    """Return the metrics that the texts give. settings: by their names in SETTINGS."""
    metrics: dict[str, float] = {}
    words = parse_sockstat(sockstat or "")
    metrics.update({metric: words[name] for name, metric in _SOCKSTAT.items() if name in words})
    counters = {**parse_counters(snmp or ""), **parse_counters(netstat or "")}
    metrics.update({metric: counters[name] for name, (metric, _) in COUNTERS.items() if name in counters})
    if (ports := parse_port_range(settings.get("ipv4/ip_local_port_range"))) is not None:
        metrics["port_range"] = ports
    if (reuse := _number(settings.get("ipv4/tcp_tw_reuse"))) is not None:
        metrics["time_wait_reuse"] = reuse
    if (most := _number(settings.get("ipv4/tcp_max_tw_buckets"))) and "time_wait_all" in metrics:
        metrics["time_wait_share"] = metrics["time_wait_all"] / most
    if (tracked := _number(settings.get("netfilter/nf_conntrack_count"))) is not None:
        metrics["conntrack_entries"] = tracked
        if most := _number(settings.get("netfilter/nf_conntrack_max")):
            metrics["conntrack_share"] = tracked / most
    return metrics


def _number(text: str | None) -> int | None:
    word = (text or "").strip()
    return int(word) if word.isdecimal() else None
