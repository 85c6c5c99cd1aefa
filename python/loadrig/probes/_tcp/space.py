"""TCP figures of a network namespace."""

import time
from collections.abc import Collection, Container, Mapping
from pathlib import Path

from loadrig._native import Look, Sockets
from loadrig.probes._session import read
from loadrig.probes._tcp import stack as _tcp_stack
from loadrig.probes._tcp.text import STATES, Folding, parse_tables

LOOK_SHARE = 0.01
"""Share of the time for looking at sockets, at most: with up to some 10,000 connections a look comes each
second. With 50,000 established ones a look takes some 45 ms, nearly all of it in the kernel, and comes every
4 to 5 s. Where there are so many they are what the question is about, so no smaller part would do."""

INFO_EVERY_NS = 5_000_000_000
"""Time between two readings of round trips and retransmits: they change slowly.

Reading them locks each connection for a moment.
"""

PORTS_SHOWN_SHARE = 0.01
"""Share of the port range from which on a destination's use is reported."""

Figures = dict[tuple[str, str], float]
"""Values by metric and role; the role is "" for the whole namespace."""

_COUNTERS = {name for name, metric in _tcp_stack.METRICS.items() if metric.kind == "counter"} | {
    "opened", "closed_first", "retransmits",
}  # fmt: skip


class NamespaceReader:
    """Reader of a network namespace. The probe makes one for its own, and one for each that it finds.

    destinations, ports: how many are told apart. name: of the program through which the namespace was found.
    netns: the path that leads in, None for the namespace of this process. before: counters of a space from
    which this one goes on counting. refused: why its sockets cannot be read by netlink, if so.
    """

    def __init__(
        self,
        destinations: int,
        ports: int,
        name: str = "",
        netns: str | None = None,
        before: Mapping[tuple[str, str], float] | None = None,
        *,
        by_netlink: bool = True,
    ) -> None:
        self.name = name
        self.refused: OSError | None = None
        self._sockets: Sockets | None = None
        self._folding = Folding(destinations, ports)
        self._before = dict(before or {})
        self._counted: Figures = {}
        self._levels: set[tuple[str, str]] = set()
        self._listening_roles: set[str] = set()
        self._due_ns = self._info_due_ns = 0
        if by_netlink:
            try:
                self._sockets = Sockets(netns, destinations, ports)
            except OSError as error:
                self.refused = error

    def read(self, t_ns: int, net: Path, sys: Path | None, watched: Collection[str] = ()) -> Figures:
        """Return the stack's figures, and those of the sockets if it is time for them.

        net: /proc/net of the namespace. sys: /proc/sys/net, None where it shows that of another namespace.
        watched: roles that are told apart whatever the number of all roles.
        """
        sockstat, snmp, netstat = (read(net / name) for name in ("sockstat", "snmp", "netstat"))
        stack = _tcp_stack.figures(sockstat, snmp, netstat, self._settings(sys))
        figures: Figures = {(metric, ""): value for metric, value in stack.items()}
        if t_ns >= self._due_ns:
            began = time.monotonic()
            levels, counts = self._look(t_ns, net, watched)
            self._due_ns = t_ns + int((time.monotonic() - began) / LOOK_SHARE * 1e9)
            if ports := stack.get("port_range"):
                levels.update(_port_shares(levels, ports, self._levels))
            # A level that was there before and is gone is zero, not unknown.
            figures.update(dict.fromkeys(self._levels - levels.keys(), 0.0))
            self._levels.update(levels)
            figures.update(levels)
            figures.update(counts)
        for key, value in figures.items():
            if key[0] in _COUNTERS:
                figures[key] = self._counted[key] = value + self._before.get(key, 0.0)
        return figures

    def close(self) -> Mapping[tuple[str, str], float]:
        """Close the socket to the kernel.

        Return the counters, for a space that goes on counting from here.
        """
        self._sockets = None
        return {**self._before, **self._counted}

    def _look(self, t_ns: int, net: Path, watched: Collection[str]) -> tuple[Figures, Figures]:
        """Return the levels of the sockets, and all figures that are no level."""
        if self._sockets is not None:
            with_info = t_ns >= self._info_due_ns
            if with_info:
                self._info_due_ns = t_ns + INFO_EVERY_NS
            try:
                look = self._sockets.look(with_info, list(watched))
            except OSError as error:
                self.refused, self._sockets = error, None
            else:
                return _levels(look), {**_growth(look), **self._listeners(look)}
        table = parse_tables(read(net / name) or "" for name in ("tcp", "tcp6"))
        folded = self._folding.fold(table.connections, watched)
        levels = {(state, role): float(n) for (role, state), n in folded.items()}
        queues = {f"in:{port}": float(n) for port, n in table.accept_queues.items()}
        return levels, {("accept_queue", role): n for role, n in queues.items() if self._folding.has(role)}

    def _listeners(self, look: Look) -> Figures:
        """Return queues and backlogs of listeners to which a client has connected, if they are told apart."""
        figures: Figures = {}
        roles = look.roles
        for listener in look.listeners:
            role = f"in:{listener.port or listener.address}"
            if listener.queue and not listener.port:
                self._listening_roles.add(role)
            if role in roles or role in self._listening_roles:
                # Sockets that share a port (SO_REUSEPORT) have a queue each, which are added up.
                for metric, n in (("accept_queue", listener.queue), ("backlog", listener.backlog)):
                    figures[metric, role] = figures.get((metric, role), 0.0) + n
        return figures

    def _settings(self, sys: Path | None) -> Mapping[str, str | None]:
        names = list(_tcp_stack.SETTINGS)
        if self._sockets is not None:
            try:
                return dict(zip(names, self._sockets.settings(names), strict=True))
            except OSError:
                return {}
        return {name: read(sys / name) for name in names} if sys is not None else {}


def _levels(look: Look) -> Figures:
    levels: Figures = {}
    for role, connections in look.roles.items():
        levels.update({(state, role): float(n) for state, n in connections.states.items()})
        if connections.receive_bytes:
            levels["receive_queue_bytes", role] = connections.receive_bytes
        if connections.send_bytes:
            levels["send_queue_bytes", role] = connections.send_bytes
    return levels


def _growth(look: Look) -> Figures:
    figures: Figures = {("sockets", ""): look.sockets}
    for role, connections in look.roles.items():
        figures["opened", role] = connections.opened
        figures["closed_first", role] = connections.closed_first
        if connections.retransmits:
            figures["retransmits", role] = connections.retransmits
        if connections.rtt_s is not None:
            figures["rtt_median_s", role], figures["rtt_max_s", role] = connections.rtt_s
    return figures


def _port_shares(levels: Figures, ports: float, shown: Container[tuple[str, str]]) -> Figures:
    used: dict[str, float] = {}
    for (metric, role), n in levels.items():
        if role.startswith("out:") and role != "out:others" and metric in STATES.values():
            used[role] = used.get(role, 0.0) + n
    shares = {("port_range_share", role): n / ports for role, n in used.items()}
    return {key: share for key, share in shares.items() if share >= PORTS_SHOWN_SHARE or key in shown}
