"""TCP connections by role: their number, their states, their peers, and the counts of the stack.

## What it reads

All TCP sockets and the listening Unix sockets by netlink (sock_diag), as `ss` does; /proc/net/sockstat,
snmp and netstat; of /proc/sys/net the port range, tcp_max_tw_buckets, tcp_tw_reuse and the count of
nf_conntrack. Where netlink is refused, /proc/net/tcp and tcp6 instead, and a note says what is missing.
Each network namespace that a watched program lives in is read: the subject of one that is not the rig's
ends in `@` and the name of that program, such as `in:6379@redis`.

## How to read it

The total of TIME_WAIT says nothing; its direction does. `in:8000` is the server's end of
connections to the listening port 8000: those use up no port. `out:10.0.0.5:6379` is the near end of
connections to that destination: each keeps one local port, in TIME_WAIT for 60 s, and when all of
them are taken, connecting fails: `port_range_share` is then 1. On one machine a connection shows twice,
once in each role.
`opened` over the requests in the same time is how many connections a request costs: near 0 with
keep-alive or a pool, 1 without. It counts also connections that came and went between two samples, if one
end's TIME_WAIT is on this machine. `closed_first` counts those that this side closed.
`accept_queue` is connections that wait for the server to accept them, `backlog` how many may: its workers
are too busy. `listen_overflows` counts those turned away because that queue was full. A listener to which
nobody connects is left out. A Unix socket has its path for a port: `in:/run/app.sock`.
Of the destinations and the ports that are listened on the first that are seen have series of their own,
as many as the options say; the others are `out:others` and `in:others`, which have no queue of their own.
What is watched is never among the others, at neither end.
`send_queue_bytes` that stand mean that the other end does not read, `receive_queue_bytes` that this one
does not. `rtt_median_s` and `retransmits` are the kernel's own figures for each connection.
The stack's counters are those of the whole machine (or network namespace), the generator included.

## Cost

1 ms of one core for a sample with few connections, 0.3 ms of it the kernel's walk through its table
(262,144 slots on the machine measured); 0.3 µs more for each connection in TIME_WAIT and 0.8 µs for each
established one: 14 ms with 50,000 in TIME_WAIT, 41 ms with 50,000 established, which is the kernel's work
nearly all; every 5 s a third more for round trips. A look at the sockets is taken so seldom that it costs
at most 1 % of a core, every 4 to 5 s with 50,000 established; the stack's counters are read each time. By the
text of /proc/net/tcp it would be 3 ms for none and 116 ms for 50,000 in TIME_WAIT (`python -m bench
sockets`).
Measured on Linux 6.18, Python 3.11.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from loadrig.base import networks
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Metric, Sample
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_kernel import ProbesTcpSocketsErrors
from loadrig.probes._session import Place, Session
from loadrig.probes._tcp import stack as _tcp_stack
from loadrig.probes._tcp.space import NamespaceReader
from loadrig.probes._watch import Watch, is_host, need

ERRORS = texts_of(ProbesTcpSocketsErrors)

_STATES = {
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

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    **{
        state: Metric("1", "gauge", f"{doc} By role.", otel="system.network.connection.count")
        for state, doc in _STATES.items()
    },
    "opened": Metric("1", "counter", "Connections opened since attached. By role."),
    "closed_first": Metric("1", "counter", "Connections that this side closed first. By role."),
    "receive_queue_bytes": Metric("B", "gauge", "Bytes received and not yet read. By role."),
    "send_queue_bytes": Metric("B", "gauge", "Bytes not yet sent or acknowledged. By role."),
    "retransmits": Metric("1", "counter", "Segments sent again on connections still open. By role."),
    "rtt_median_s": Metric("s", "gauge", "Median of the connections' smoothed round trips. By role."),
    "rtt_max_s": Metric("s", "gauge", "The highest of the connections' smoothed round trips. By role."),
    "port_range_share": Metric("1", "gauge", "Local ports in use over the port range. By destination."),
    "accept_queue": Metric("1", "gauge", "Connections that wait to be accepted. By listener."),
    "backlog": Metric("1", "gauge", "Connections that may wait to be accepted. By listener."),
    "sockets": Metric("1", "gauge", "TCP sockets in all states, listeners too."),
    **_tcp_stack.METRICS,
}


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: how many destinations and ports are told apart."""

    destinations: int = option(
        "Outgoing connections are counted per destination for so many of them, and for each that is watched;"
        " the rest is `out:others`.",
        default=50, low=1,
    )  # fmt: skip
    ports: int = option(
        "Connections to ports that are listened on are counted per port for so many of them, and for each"
        " that is watched; the rest is `in:others`.",
        default=50, low=1,
    )  # fmt: skip


class TcpSocketsWatch(Watch):
    """Session of the probe. root: folder below which it reads, "/" but in tests, which use no netlink."""

    probe = "tcp_sockets"

    def __init__(
        self,
        options: Options,
        root: Path = Path("/"),
        components: Callable[[], tuple[Component, ...]] = tuple,
    ) -> None:
        super().__init__(root)
        self._options = options
        self._components = components
        self._is_real = root == Path("/")
        self._own = NamespaceReader(options.destinations, options.ports, by_netlink=self._is_real)
        self._own_inode = networks.of_process(Path("/proc/self"))
        self._spaces: dict[int, NamespaceReader] = {}
        self._ended: dict[str, Mapping[tuple[str, str], float]] = {}

    def sample(self, t_ns: int) -> list[Sample]:
        """Read the rig's namespace, and those in which watched programs live."""
        proc = self.root / "proc"
        samples = self._read(t_ns, self._own, "", proc / "net", proc / "sys/net")
        if self._is_real:
            for inode, component in self._elsewhere().items():
                if inode not in self._spaces:
                    self._spaces[inode] = self._enter(component)
                space = self._spaces[inode]
                samples += self._read(t_ns, space, space.name, proc / str(component.pid) / "net", None)
        return samples

    def _read(
        self, t_ns: int, space: NamespaceReader, name: str, net: Path, sys: Path | None
    ) -> list[Sample]:
        figures = space.read(t_ns, net, sys, _roles(self._components()))
        if space.refused is not None:
            self._note_refused(t_ns, name, space.refused)
        subject = f"@{name}" if name else ""
        return self.samples(t_ns, {(metric, role + subject): n for (metric, role), n in figures.items()})

    def _elsewhere(self) -> dict[int, Component]:
        """Return the network namespaces apart from the rig's, each with the first program that is in it."""
        namespaces: dict[int, Component] = {}
        for component in self._components():
            inode = networks.of_process(Path(f"/proc/{component.pid}")) if component.pid is not None else None
            if inode is not None and inode != self._own_inode:
                namespaces.setdefault(inode, component)
        for ended in self._spaces.keys() - namespaces.keys():
            space = self._spaces.pop(ended)
            self._ended[space.name] = space.close()
        return namespaces

    def _enter(self, component: Component) -> NamespaceReader:
        # A program that comes back in a new namespace goes on counting where the old one ended.
        before = self._ended.pop(component.name, {})
        most = self._options
        return NamespaceReader(
            most.destinations, most.ports, component.name, f"/proc/{component.pid}/ns/net", before
        )

    def _note_refused(self, t_ns: int, name: str, error: OSError) -> None:
        why = str(error.strerror)
        wording = ERRORS.namespace_refused(name, why) if name else ERRORS.netlink_refused(why)
        facts = {"code": "probe.no-right", "mend": wording.mend}
        self.note_once(t_ns, wording.what, facts, f"refused {name}")

    def detach(self) -> None:
        """Close the sockets to the kernel."""
        for space in (self._own, *self._spaces.values()):
            space.close()


def _roles(components: Iterable[Component]) -> set[str]:
    """Return the names of the roles at both ends of connections to watched programs."""
    roles: set[str] = set()
    for address in (
        address for component in components for address in (component.address, *component.listens) if address
    ):
        if address.unix is None:
            _, _, authority = address.url.partition("//")
            # A program that listens on this machine can be spoken to over loopback as well.
            ends = (authority, f"127.0.0.1:{address.port}", f"[::1]:{address.port}")
            roles.update((f"in:{address.port}", *(f"out:{end}" for end in ends)))
    return roles


fits = is_host  # not only the server uses ports, so all of them are counted


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where there is no /proc/net/tcp."""
    del component
    # The file is not read: after a load it holds thousands of lines, and the first request waits for this.
    need(place.root, "proc/net/tcp")
    return TcpSocketsWatch(options, place.root, place.components)
