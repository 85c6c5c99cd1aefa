"""TCP connections by role from the text of /proc/net/tcp, for where the kernel is not asked by netlink.

What the text cannot tell: how long a listener's queue may get, what is new, what `tcp_info` says.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import islice

from loadrig.base.sockets import decode_address

# Source: include/net/tcp_states.h. LISTEN (0A) is counted by its queue, not as a connection.
STATES: Mapping[str, str] = {
    "01": "established", "02": "syn_sent", "03": "syn_recv", "04": "fin_wait1", "05": "fin_wait2",
    "06": "time_wait", "07": "close", "08": "close_wait", "09": "last_ack", "0B": "closing",
    "0C": "syn_recv",
}  # fmt: skip
_LISTEN = "0A"

MANY = 8
"""Destinations beyond which more are there than a server talks to: most may be clients of a server that has
stopped, whose connections in TIME_WAIT stay for a minute with no listener."""


@dataclass(frozen=True, slots=True)
class ConnectionTable:
    """Connections by (role, state), and the accept queue of each listening port."""

    connections: Mapping[tuple[str, str], int]
    accept_queues: Mapping[int, int]


def parse_tables(texts: Iterable[str]) -> ConnectionTable:
    """Count the lines of /proc/net/tcp and tcp6.

    A connection whose local port is listened on is the server's end ("in:PORT"), any other connection is
    outgoing ("out:ADDRESS:PORT").
    """
    # A busy machine has tens of thousands of lines: they are cut by position, not parsed.
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
    return ConnectionTable(connections, {int(name, 16): waiting for name, waiting in queues.items()})


_Rows = list[tuple[str, str, str]]


def _ends_of_stopped(rows: _Rows) -> tuple[Counter[tuple[str, str]], _Rows]:
    """Split off the ends of a server that has stopped: its port occurs more often than the other end's."""
    local = Counter(port for port, _, _ in rows)
    far = Counter(remote[-4:] for _, remote, _ in rows)
    is_near = [local[port] > max(far[remote[-4:]], MANY) for port, remote, _ in rows]
    near = Counter((row[0], row[2]) for row, yes in zip(rows, is_near, strict=True) if yes)
    return near, [row for row, yes in zip(rows, is_near, strict=True) if not yes]


def _destination(remote: str) -> str:
    address, _, port = remote.partition(":")
    host = decode_address(address)
    return f"out:[{host}]:{int(port, 16)}" if ":" in host else f"out:{host}:{int(port, 16)}"


class Folding:
    """Counts by role, with a limited number of roles of a kind: the first that are seen keep their names.

    destinations, ports: how many outgoing roles, and how many roles of listeners, are told apart.
    """

    def __init__(self, destinations: int, ports: int) -> None:
        self._most = {"out:": destinations, "in:": ports}
        self._named: set[str] = set()

    def fold(
        self, connections: Mapping[tuple[str, str], int], watched: Collection[str] = ()
    ) -> Counter[tuple[str, str]]:
        """Return counts by (role, state), roles without a name as `out:others` and `in:others`.

        watched: roles that are told apart whatever the number of all roles.
        """
        unnamed = Counter[str]()
        for (role, _), n in connections.items():
            if not self.has(role):
                unnamed[role] += n
        self._named |= unnamed.keys() & set(watched)
        for kind, most in self._most.items():
            room = most - sum(role.startswith(kind) for role in self._named)
            newcomers = (
                role for role, _ in unnamed.most_common() if role.startswith(kind) and not self.has(role)
            )
            self._named.update(islice(newcomers, max(0, room)))
        folded = Counter[tuple[str, str]]()
        for (role, state), n in connections.items():
            kind = role[: role.index(":") + 1]
            folded[role if self.has(role) else f"{kind}others", state] += n
        return folded

    def has(self, role: str) -> bool:
        """Return whether a role is told apart."""
        return role in self._named
