"""The TCP figures of one network namespace."""

import time
from collections.abc import Collection, Container, Mapping
from pathlib import Path

from loadrig._native import Look, Sockets
from loadrig.probes._session import read
from loadrig.probes._tcp import stack as _tcp_stack
from loadrig.probes._tcp.text import STATES, Folding, parse_tables

LOOK_SHARE = 0.01
"""Of the time, at most so much is spent on looking at sockets: with up to some 10,000 connections it is each
second. With 50,000 established ones a look takes some 45 ms, nearly all of it in the kernel, and comes every
4 to 5 s. Where there are so many they are what the question is about, so no smaller part would do."""

INFO_EVERY_NS = 5_000_000_000
"""Round trips and retransmits change slowly, and reading them locks each connection for a moment."""

PORTS_SHOWN_SHARE = 0.01
"""A destination that uses less of the port range than this has nothing to tell, until it does."""

Figures = dict[tuple[str, str], float]
"""By metric and role; the role is "" for what is of the whole namespace."""

_COUNTERS = {name for name, metric in _tcp_stack.METRICS.items() if metric.kind == "counter"} | {
    "opened", "closed_first", "retransmits",
}  # fmt: skip


class Space:
    """Reads one network namespace. Made by the probe for its own, and for each that it finds.

    destinations, ports: how many are told apart. name: of the program that led here. netns: the path that
    leads in, None for the namespace of this process. before: counters of a space that this one goes on
    from. refused: why its sockets cannot be read by netlink, if so.
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
        self._heard: set[str] = set()
        self._due_ns = self._info_due_ns = 0
        if by_netlink:
            try:
                self._sockets = Sockets(netns, destinations, ports)
            except OSError as error:
                self.refused = error

    def read(self, t_ns: int, net: Path, sys: Path | None, watched: Collection[str] = ()) -> Figures:
        """The stack's figures, and the sockets' if it is time for them.

        net: /proc/net of the namespace. sys: /proc/sys/net, None where it shows another one's. watched:
        roles that are told apart however many others there are.
        """
        sockstat, snmp, netstat = (read(net / name) for name in ("sockstat", "snmp", "netstat"))
        stack = _tcp_stack.figures(sockstat, snmp, netstat, self._settings(sys))
        found: Figures = {(metric, ""): value for metric, value in stack.items()}
        if t_ns >= self._due_ns:
            began = time.monotonic()
            levels, others = self._look(t_ns, net, watched)
            self._due_ns = t_ns + int((time.monotonic() - began) / LOOK_SHARE * 1e9)
            if ports := stack.get("port_range"):
                levels.update(_port_shares(levels, ports, self._levels))
            # A level that was there and is not any more is zero, not unknown.
            found.update(dict.fromkeys(self._levels - levels.keys(), 0.0))
            self._levels.update(levels)
            found.update(levels)
            found.update(others)
        for key, value in found.items():
            if key[0] in _COUNTERS:
                found[key] = self._counted[key] = value + self._before.get(key, 0.0)
        return found

    def close(self) -> Mapping[tuple[str, str], float]:
        """Close the socket to the kernel. Returns the counters, for a space that goes on from here."""
        self._sockets = None
        return {**self._before, **self._counted}

    def _look(self, t_ns: int, net: Path, watched: Collection[str]) -> tuple[Figures, Figures]:
        """Levels, and all figures that are no level."""
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
        """Queues and backlogs of those to which somebody has connected, if they are told apart."""
        found: Figures = {}
        roles = look.roles
        for one in look.listeners:
            role = f"in:{one.port or one.address}"
            if one.queue and not one.port:
                self._heard.add(role)
            if role in roles or role in self._heard:
                # Sockets that share a port (SO_REUSEPORT) have a queue each.
                for metric, n in (("accept_queue", one.queue), ("backlog", one.backlog)):
                    found[metric, role] = found.get((metric, role), 0.0) + n
        return found

    def _settings(self, sys: Path | None) -> Mapping[str, str | None]:
        names = list(_tcp_stack.SETTINGS)
        if self._sockets is not None:
            try:
                return dict(zip(names, self._sockets.settings(names), strict=True))
            except OSError:
                return {}
        return {name: read(sys / name) for name in names} if sys is not None else {}


def _levels(look: Look) -> Figures:
    found: Figures = {}
    for role, connections in look.roles.items():
        found.update({(state, role): float(n) for state, n in connections.states.items()})
        if connections.receive_bytes:
            found["receive_queue_bytes", role] = connections.receive_bytes
        if connections.send_bytes:
            found["send_queue_bytes", role] = connections.send_bytes
    return found


def _growth(look: Look) -> Figures:
    found: Figures = {("sockets", ""): look.sockets}
    for role, connections in look.roles.items():
        found["opened", role] = connections.opened
        found["closed_first", role] = connections.closed_first
        if connections.retransmits:
            found["retransmits", role] = connections.retransmits
        if connections.rtt_s is not None:
            found["rtt_median_s", role], found["rtt_max_s", role] = connections.rtt_s
    return found


def _port_shares(levels: Figures, ports: float, shown: Container[tuple[str, str]]) -> Figures:
    used: dict[str, float] = {}
    for (metric, role), n in levels.items():
        if role.startswith("out:") and role != "out:others" and metric in STATES.values():
            used[role] = used.get(role, 0.0) + n
    shares = {("port_range_share", role): n / ports for role, n in used.items()}
    return {key: share for key, share in shares.items() if share >= PORTS_SHOWN_SHARE or key in shown}
