"""TCP connections by role: how many, in which state, to whom; and what the stack counted.

## What it reads

/proc/net/tcp and tcp6 (one line a connection), /proc/net/sockstat, /proc/net/snmp and netstat.

## How to read it

The total of TIME_WAIT says nothing; its direction does. `in:8000` is the server's end of
connections to the listening port 8000: those use up no port. `out:10.0.0.5:6379` is the near end of
connections to that destination: each in TIME_WAIT keeps one local port for 60 s, and when all of
them are taken, connecting fails. On one machine a connection shows twice, once in each role.
`accept_queue` is connections that wait for the server to accept them: its workers are too busy.
`listen_overflows` counts those turned away because that queue was full.
The stack's counters are those of the whole machine (or network namespace), the generator included.

## Cost

3.5 ms of one core for a sample with no connections, because the kernel walks its whole table for
the text (262,144 slots on the machine measured, once for IPv4 and once for IPv6); and 1.5 µs more for
each connection: 15 ms with 8,000 in TIME_WAIT.
Measured on Linux 6.18, Python 3.11.
"""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from loadrig.base.component import HOST, Component
from loadrig.base.records import dataclass
from loadrig.base.series import Event, Metric, Sample
from loadrig.base.shape import option
from loadrig.base.sockets import decode_address
from loadrig.probes._session import Place, Session, Unavailable, read

# Source: include/net/tcp_states.h. LISTEN (0A) is counted by its queue, not as a connection.
STATES: Mapping[str, str] = {
    "01": "established", "02": "syn_sent", "03": "syn_recv", "04": "fin_wait1", "05": "fin_wait2",
    "06": "time_wait", "07": "close", "08": "close_wait", "09": "last_ack", "0B": "closing",
    "0C": "syn_recv",
}  # fmt: skip
_LISTEN = "0A"

_DOCS = {
    "established": "Connections in use or kept open.",
    "syn_sent": "Connections being opened, not yet answered.",
    "syn_recv": "Connections being opened by the other side.",
    "fin_wait1": "Closed by this side, not yet acknowledged.",
    "fin_wait2": "Closed by this side, the other side has not closed.",
    "time_wait": "Closed by this side first, kept for 60 s.",
    "close": "Closed sockets that a program still holds.",
    "close_wait": "Closed by the other side, not yet by this one: a program that leaks connections.",
    "last_ack": "Closed by both sides, the last acknowledgement is missing.",
    "closing": "Closed by both sides at once.",
}

_SOCKSTAT = {"inuse": "tcp_in_use", "orphan": "orphans", "tw": "time_wait_all"}
_COUNTERS = {
    "Tcp.ActiveOpens": ("active_opens", "Connections opened by this machine."),
    "Tcp.PassiveOpens": ("passive_opens", "Connections accepted by this machine."),
    "Tcp.AttemptFails": ("attempt_fails", "Connections that failed while being opened."),
    "Tcp.EstabResets": ("estab_resets", "Connections that were reset."),
    "Tcp.RetransSegs": ("retransmitted_segments", "Segments sent again."),
    "TcpExt.ListenOverflows": ("listen_overflows", "Connections turned away: the accept queue was full."),
    "TcpExt.ListenDrops": ("listen_drops", "Connections turned away by a listener, for whatever reason."),
    "TcpExt.TW": ("time_waits_made", "Connections that left TIME_WAIT when its time was over."),
    "TcpExt.TWRecycled": ("time_wait_recycled", "TIME_WAITs used again early (tcp_tw_reuse)."),
    "TcpExt.TCPTimeWaitOverflow": ("time_wait_overflows", "TIME_WAITs cut short by tcp_max_tw_buckets."),
}  # fmt: skip

METRICS: Mapping[str, Metric] = {
    **{state: Metric("1", "gauge", f"{doc} By role.") for state, doc in _DOCS.items()},
    "accept_queue": Metric("1", "gauge", "Connections that wait to be accepted, per listening port."),
    "tcp_in_use": Metric("1", "gauge", "TCP sockets of IPv4 in use."),
    "orphans": Metric("1", "gauge", "Connections that no program holds any more."),
    "time_wait_all": Metric("1", "gauge", "All connections in TIME_WAIT."),
    **{metric: Metric("1", "counter", doc) for metric, doc in _COUNTERS.values()},
}

MANY = 8
"""So many destinations are more than a server talks to: look whether most are clients of one that has
stopped, whose connections in TIME_WAIT stay for a minute with no listener."""


@dataclass(frozen=True, slots=True)
class Options:
    """How many destinations are told apart."""

    destinations: int = option(
        "Outgoing connections are counted per destination for so many of them; the rest is `out:others`.",
        default=20, low=1,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Table:
    """Connections by (role, state), and the accept queue of each listening port."""

    connections: Mapping[tuple[str, str], int]
    accept_queues: Mapping[int, int]


def parse_tables(texts: Iterable[str]) -> Table:
    """Count the lines of /proc/net/tcp and tcp6.

    A connection whose local port is listened on is the server's end ("in:PORT"), any other one is
    outgoing ("out:ADDRESS:PORT").
    """
    # A busy machine has tens of thousands of lines: they are cut by place, not parsed.
    queues: dict[str, int] = {}
    rows: list[tuple[str, str, str]] = []
    for text in texts:
        lines = [line.partition(": ")[2] for line in text.splitlines()[1:]]
        width = lines[0].index(":") if lines else 0  # 8 digits of an address for IPv4, 32 for IPv6
        at_port, at_far, at_state, at_queue = width + 1, width + 6, 2 * width + 12, 2 * width + 24
        rows += [
            (line[at_port : at_port + 4], line[at_far : at_state - 1], line[at_state : at_state + 2])
            for line in lines
        ]
        for line in lines:
            if line[at_state : at_state + 2] == _LISTEN:
                name = line[at_port : at_port + 4]
                queues[name] = queues.get(name, 0) + int(line[at_queue : at_queue + 8], 16)
    near = Counter((port, state) for port, _, state in rows if port in queues and state != _LISTEN)
    outgoing = [row for row in rows if row[0] not in queues]
    far_ends = Counter((remote, state) for _, remote, state in outgoing)
    if len(far_ends) > MANY:
        near_ends, outgoing = _ends_of_stopped(outgoing)
        near.update(near_ends)
        far_ends = Counter((remote, state) for _, remote, state in outgoing)
    connections: Counter[tuple[str, str]] = Counter()
    for (port_text, state), n in near.items():
        connections[f"in:{int(port_text, 16)}", STATES.get(state, "close")] += n
    for (remote, state), n in far_ends.items():
        connections[_destination(remote), STATES.get(state, "close")] += n
    return Table(connections, {int(name, 16): waiting for name, waiting in queues.items()})


_Rows = list[tuple[str, str, str]]


def _ends_of_stopped(rows: _Rows) -> tuple[Counter[tuple[str, str]], _Rows]:
    """Split off the ends of a server that has stopped: its port occurs more often than the other end's."""
    local = Counter(port for port, _, _ in rows)
    far = Counter(remote[-4:] for _, remote, _ in rows)
    is_near = [local[port] > far[remote[-4:]] for port, remote, _ in rows]
    near = Counter((row[0], row[2]) for row, yes in zip(rows, is_near, strict=True) if yes)
    return near, [row for row, yes in zip(rows, is_near, strict=True) if not yes]


def _destination(remote: str) -> str:
    address, _, port = remote.partition(":")
    host = decode_address(address)
    return f"out:[{host}]:{int(port, 16)}" if ":" in host else f"out:{host}:{int(port, 16)}"


def parse_sockstat(text: str) -> dict[str, int]:
    """The TCP line of /proc/net/sockstat: its words and numbers."""
    for line in text.splitlines():
        if line.startswith("TCP:"):
            words = line.split()[1:]
            return {name: int(number) for name, number in zip(words[::2], words[1::2], strict=False)}
    return {}


def parse_counters(text: str) -> dict[str, int]:
    """/proc/net/snmp or netstat, pairs of a line of names and a line of numbers: "Tcp.ActiveOpens" -> n."""
    found = {}
    lines = text.splitlines()
    for names, numbers in zip(lines[::2], lines[1::2], strict=False):
        group, _, rest = names.partition(":")
        values = numbers.partition(":")[2].split()
        found.update(
            {f"{group}.{name}": int(value) for name, value in zip(rest.split(), values, strict=False)}
        )
    return found


class Watch:
    """The session: reads below `root`, which is "/" but in tests."""

    def __init__(self, options: Options, root: Path = Path("/")) -> None:
        self.root = root
        self._most = options.destinations
        self._named: list[str] = []
        self._seen: set[tuple[str, str]] = set()

    def sample(self, t_ns: int) -> list[Sample]:
        """Read the five files."""
        net = self.root / "proc/net"
        table = parse_tables(read(net / name) or "" for name in ("tcp", "tcp6"))
        found = {(state, role): float(n) for (role, state), n in self._folded(table.connections).items()}
        # A state that was there and is not any more is zero, not unknown.
        for pair in self._seen - found.keys():
            found[pair] = 0.0
        self._seen.update(found)
        for port, waiting in table.accept_queues.items():
            found["accept_queue", f"in:{port}"] = waiting
        sockstat = parse_sockstat(read(net / "sockstat") or "")
        found.update({(metric, ""): sockstat[name] for name, metric in _SOCKSTAT.items() if name in sockstat})
        counters: dict[str, int] = {}
        for name in ("snmp", "netstat"):
            counters.update(parse_counters(read(net / name) or ""))
        found.update(
            {(metric, ""): counters[name] for name, (metric, _) in _COUNTERS.items() if name in counters}
        )
        return [Sample(t_ns, "tcp_sockets", metric, role, value) for (metric, role), value in found.items()]

    def _folded(self, connections: Mapping[tuple[str, str], int]) -> Counter[tuple[str, str]]:
        """Destinations beyond the allowed number as one. The first ones seen keep their names."""
        outgoing = Counter[str]()
        for (role, _), n in connections.items():
            if role.startswith("out:") and role not in self._named:
                outgoing[role] += n
        room = self._most - len(self._named)
        self._named += [role for role, _ in outgoing.most_common(max(0, room))]
        folded = Counter[tuple[str, str]]()
        for (role, state), n in connections.items():
            known = role.startswith("in:") or role in self._named
            folded[role if known else "out:others", state] += n
        return folded

    def events(self) -> list[Event]:
        """Nothing here is an event."""
        return []

    def detach(self) -> None:
        """Nothing is held."""


def fits(component: Component) -> bool:
    """The host: who uses ports up is often not the server, so all of the machine's are counted."""
    return component.kind == HOST


def attach(options: Options, component: Component, place: Place) -> Session:
    """Raises Unavailable where there is no /proc/net/tcp."""
    # Not by reading it: after a load it holds thousands of lines, and the first request waits for this.
    if not os.access("/proc/net/tcp", os.R_OK):
        raise Unavailable(
            "there is no /proc/net/tcp", "run on Linux with /proc mounted", code="probe.not-readable"
        )
    del component
    return Watch(options, place.root)
