"""Questions to name servers (DNS), and to others that are asked over UDP, that wait for their answer.

## What it reads

/proc/net/udp and udp6 of the rig's network namespace, and of those in which watched programs live: UDP
sockets that are connected to port 53, and that a watched program holds, or a resolver of the system which
asks for it. What others on the machine ask for holds up no request. Where no process is watched, as of a
server on another host, all are counted.
Of sockets that are connected to another port those are counted that were not there at the sample before: who
sends figures or log lines over UDP keeps a socket for them, and waits for nothing.

## How to read it

A resolver opens a socket for a question and closes it with the answer, so the mean number of such sockets is
that of questions under way, by Little's law answers a second × seconds that one takes. `waiting` of 24 beside
32 requests in flight says that three quarters of a request's time go to a name. Resolvers that send from a
socket that is not connected (musl's), or over TCP or TLS, are not seen.
Nor are questions to another port that take longer than a second, or that share a socket.

## Cost

0.03 ms of one core for a sample with ten UDP sockets, and 3 ms beside 200 processes where some ask for names.
Measured on Linux 6.18, Python 3.11.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from loadrig.base import networks, processes, sockets
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.series import Metric, Sample
from loadrig.base.sockets import decode_address
from loadrig.probes._session import Place, Session, read
from loadrig.probes._watch import Options as Options
from loadrig.probes._watch import Watch, is_host, need

EFFECTS: tuple[ServerEffect, ...] = ()

METRICS: Mapping[str, Metric] = {
    "waiting": Metric(
        "1", "gauge", "Questions to name servers, and others over UDP, that wait for an answer, by server."
    ),
}

RESOLVERS = frozenset({"systemd-resolve", "nscd", "dnsmasq", "unbound", "avahi-daemon", "sssd_nss"})
"""Names of processes that ask name servers for others, as /proc has them: of 15 letters at most."""

NAME_SERVERS = ":53"
"""End of the address of a name server."""

_UNCONNECTED = "0000"
"""Port 0, as /proc/net/udp writes it: that of a socket which is not connected."""

_INODE = 9
"""Place of a socket's inode among the fields of a line. Source: proc_net_udp in net/ipv4/udp.c."""


def parse_udp(texts: Iterable[str]) -> dict[int, str]:
    """Return the sockets that are connected: inode -> address that is asked."""
    asked: dict[int, str] = {}
    for text in texts:
        for line in text.splitlines()[1:]:
            fields = line.split()
            if len(fields) <= _INODE or not fields[_INODE].isdigit():
                continue
            host, _, port = fields[2].partition(":")
            if port != _UNCONNECTED:
                asked[int(fields[_INODE])] = _named(decode_address(host), int(port, 16))
    return asked


def _named(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


class NameLookupsWatch(Watch):
    """Session of the probe. components: those whose network namespaces are watched."""

    probe = "name_lookups"

    def __init__(
        self, root: Path = Path("/"), components: Callable[[], tuple[Component, ...]] = tuple
    ) -> None:
        super().__init__(root)
        self._components = components
        self._servers: set[str] = set()
        self._before: set[int] | None = None  # sockets of the sample before

    def sample(self, t_ns: int) -> list[Sample]:
        """Read the tables of all network namespaces that are watched."""
        asked: dict[int, str] = {}
        for net in self._tables():
            asked |= parse_udp(read(net / name) or "" for name in ("udp", "udp6"))
        asked = self._with_questions(asked)
        waiting = Counter(asked[inode] for inode in self._of_programs(asked))
        self._servers |= waiting.keys()
        return self.samples(t_ns, {("waiting", server): waiting[server] for server in self._servers})

    def _with_questions(self, asked: Mapping[int, str]) -> dict[int, str]:
        """Return the sockets that are a question each: those to name servers, and those just opened."""
        before, self._before = self._before, set(asked)
        return {
            inode: server
            for inode, server in asked.items()
            if server.endswith(NAME_SERVERS) or (before is not None and inode not in before)
        }

    def _of_programs(self, asked: Mapping[int, str]) -> Iterable[int]:
        """Return the sockets of watched programs and of resolvers, of those that ask for a name."""
        roots = [component.pid for component in self._components() if component.pid is not None]
        if not asked or not roots:
            return asked
        everyone = processes.table()
        askers = {pid for pid, process in everyone.items() if process.name in RESOLVERS}
        askers.update(*(processes.tree(root, everyone) for root in roots))
        return set().union(*sockets.holders(asked, askers).values())

    def _tables(self) -> Iterable[Path]:
        """Yield /proc/net of each namespace, once."""
        proc = self.root / "proc"
        yield proc / "net"
        namespaces = {networks.of_process(proc / "self")}
        for component in self._components():
            process = proc / str(component.pid)
            namespace = networks.of_process(process) if component.pid is not None else None
            if namespace is not None and namespace not in namespaces:
                namespaces.add(namespace)
                yield process / "net"


fits = is_host  # whoever asks for a name, the kernel of the host has its socket


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe. Raises Unavailable where there is no /proc/net/udp."""
    del options, component
    need(place.root, "proc/net/udp")
    return NameLookupsWatch(place.root, place.components)
