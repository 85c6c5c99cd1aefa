"""Stages of requests: the stage of every socket of a watched program, at random instants.

## What it reads

All TCP sockets (IPv4 and IPv6, with `tcp_info`, without those in TIME_WAIT) and all Unix stream sockets by
netlink (sock_diag), of each network namespace that a watched program lives in; and which of them its
processes hold, by /proc/PID/fd. It does so at random instants, so that nothing periodic hides between them.

## How to read it

Each value is the mean number of sockets in a stage since the sample before. By Little's law it is a time:
the number in a stage over the answers a second is how long a request is in that stage.

`in:8000` is the program as a server, at its port. A request is `not_accepted` while no process has taken
its connection, `unread` while bytes of it are not read, `in_hand` once it is read and nothing was sent
since, `sending` while its answer waits to be sent or is on its way. `unacknowledged` is an answer that has
arrived as far as can be seen, and whose acknowledgement the client delays: nobody waits for it. `idle`
connections are kept open without a request; the client of an `abandoned` one has closed while its request
waited or was in hand.
`out:10.0.0.5:6379` is the program as a client: `connecting`, `awaiting` an answer, `answer_unread` when the
program is too busy to read it, `idle` as in a pool. A Unix socket has its path for a port.
The stages of a group add up to `sockets`. `looks` is how many looks the means are of, `NAME_sd` how much the
number in the stage NAME differed from one look to the next (neighbouring looks see the same requests, so the
standard error of the mean is larger than that over the square root of `looks`).
`segments` over the requests answered are the messages of a request: of `out:10.0.0.5:5432` the statements
that it sends to a database, whatever that lets anybody see. A driver that asks for parsing, for the form of
the answer and for the answer one after the other sends three for one statement.

The kernel's clock advances every 1 to 10 ms. Where data came and went within one step of it, which is the
rule where the next call goes out as soon as the last one is answered, acknowledgements and counts of segments
decide: what was counted since the last look, and the proportion of segments that come to those that go, which
stays the same on a connection that is used for one kind of call; then the other end of the connection, if
it is watched, too. What they cannot decide is counted half as idle and half as in hand (or awaited), and is
`tied`.
An answer that is sent in parts is in hand until its first part. A message that wants no answer (closing a
prepared statement, a WebSocket message, a window update of HTTP/2) looks like a request that waits for one.
A connection that carries several requests at once (HTTP/2, gRPC, pipelining) counts as one: the number of
requests is then larger. A Unix socket bears no times: with empty queues its stage is `unclear`.
A connection that lives shorter than it takes to read /proc/PID/fd is missed at its client's end; what another
user's processes hold cannot be seen without the right to (CAP_SYS_PTRACE), and a note says so: its ports are
then those that discovery knows, and its own connections are missing.

## Cost

1.8 ms of one core for a look at 1,000 sockets and 70 ms at 50,000, nearly all of it the kernel's work, which
holds each connection for less than a microsecond. There are up to fifty looks a second, and fewer where they
would take more than their part of the 2 % of a core that all of loadrig beside the generator may use: 0.4 to
1 %, as much as the rest leaves. At 0.4 % that is 13 looks a second at 30 sockets, two at 1,000, and one in
5 s at 50,000, where it is 1.4 %. Fewer looks make the intervals of the account wider; and where a connection
is used again and again between two of them, more of what is awaited may count as idle. More of them tell
short stages better in a short run: `cpu_share: 0.05`, which is then beside those 2 %.
Where the load comes from this machine, its own ends are read every 2 s only: then a look at 500 connections,
which are 1,000 sockets, costs 1.0 ms. The first look at a program reads all its descriptors as well: 15 ms
with 1,000, 240 ms with 50,000 (`python -m bench stages`).
Measured on Linux 6.18, Python 3.11.
"""

import random
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from loadrig._native import SocketStages, StageMeans
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.error_words import ErrorWords
from loadrig.base.series import Metric, Sample
from loadrig.base.shape import option
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.probes_kernel import ProbesSocketStagesErrors
from loadrig.probes._purse import Allotment, Purse
from loadrig.probes._session import Lost, Place, Session, Unavailable
from loadrig.probes._watch import Watch, ended, is_program, process_of

ERRORS = texts_of(ProbesSocketStagesErrors)

EFFECTS: tuple[ServerEffect, ...] = ()

_STAGES = {
    "opening": "Connections whose handshake is not complete, at the server's end.",
    "not_accepted": "Connections that no process has accepted, also those without a request.",
    "unread": "Accepted connections on which bytes have come that no process has read.",
    "in_hand": "Connections whose request was read and not yet answered.",
    "sending": "Connections whose answer waits to be sent, was lost, or is on its way.",
    "unacknowledged": "Connections whose answer was sent more than a round trip ago and is not acknowledged.",
    "connecting": "Own connections being opened, or not accepted by the other side.",
    "awaiting": "Own connections on which data went out after data last came in.",
    "answer_unread": "Own connections on which an answer has come that was not read.",
    "idle": "Open connections on which nothing is under way.",
    "closing": "Connections that one side has closed, with nothing under way.",
    "abandoned": "Connections that the client has closed while its request waits or is in hand.",
    "unclear": "Unix sockets with empty queues: in hand, awaited or idle.",
}

METRICS: Mapping[str, Metric] = {
    **{name: Metric("1", "gauge", f"{doc} Mean number, by group.") for name, doc in _STAGES.items()},
    **{
        f"{name}_sd": Metric("1", "gauge", f"Standard deviation of the number `{name}` from look to look.")
        for name in _STAGES
    },
    "sockets": Metric("1", "gauge", "Sockets in all stages. Mean number, by group."),
    "tied": Metric("1", "gauge", "Of these, counted half as idle as nothing tells. Mean number, by group."),
    "silent": Metric("1", "gauge", "Of those not accepted, without data so far. Mean number, by group."),
    "busy_s": Metric("s", "counter", "Time in which connections had something to send, added up. By group."),
    "client_limited_s": Metric("s", "counter", "Of that, waiting for the other side to read. By group."),
    "buffer_limited_s": Metric("s", "counter", "Of that, waiting for room in the send buffer. By group."),
    "segments": Metric("1", "counter", "Segments with data that connections have sent, once met. By group."),
    "looks": Metric("1", "gauge", "Looks since the sample before: what the means are of."),
}


@dataclass(frozen=True, slots=True)
class Options:
    """Options of the probe: how often to look, and what to tell apart."""

    looks_per_s: float = option(
        "Looks a second at most, on average; fewer where they would cost more than they may.",
        default=50.0, low=0.2, high=1000.0, example="10",
    )  # fmt: skip
    cpu_share: float | None = option(
        "Share of a core that all looks together may take; left out, their part of the 2 % of all watching."
        " There is one look in 5 s in any case.",
        default=None, low=0.0001, high=1.0, example="0.05",
    )  # fmt: skip
    destinations: int = option(
        "A program's own connections are counted per destination for so many of them; the rest is"
        " `out:others`.",
        default=50, low=1,
    )  # fmt: skip
    ports: int = option(
        "A program's ports are told apart up to so many; the rest is `in:others`.", default=50, low=1
    )


WEIGHT, LEAST_SHARE, MOST_SHARE = 3.0, 0.004, 0.01
"""Weight of the looks among all sensors, and its bounds as shares of a core. With the least there are
some thirteen looks a second at 30 sockets, with the most some thirty."""


class _SharedWatcher(NamedTuple):
    """A watcher, and the number of sessions that use it."""

    stages: SocketStages
    users: int


_Key = tuple[Options, Purse]

_LOCK = threading.Lock()
_SHARED: dict[_Key, _SharedWatcher] = {}
"""Watchers by options and budget: sessions with equal options share one, as a look serves them all."""


def _join(key: _Key, cpu_share: float) -> SocketStages:
    with _LOCK:
        shared = _SHARED.get(key)
        if shared is None:
            seed, options = random.getrandbits(64), key[0]
            stages = SocketStages(options.looks_per_s, cpu_share, options.destinations, options.ports, seed)
            shared = _SharedWatcher(stages, 0)
        _SHARED[key] = _SharedWatcher(shared.stages, shared.users + 1)
        return shared.stages


def _leave(key: _Key) -> None:
    with _LOCK:
        shared = _SHARED.pop(key)
        if shared.users > 1:
            _SHARED[key] = _SharedWatcher(shared.stages, shared.users - 1)
        else:
            shared.stages.close()


def _part(key: _Key) -> Allotment:
    """Return what looks with these options may use.

    A share that a plan asks for is apart from the others'.
    """
    options, purse = key
    if options.cpu_share is None:
        return purse.part("socket_stages", WEIGHT, LEAST_SHARE, MOST_SHARE)
    cpu_share = options.cpu_share
    return purse.part(f"socket_stages {cpu_share:g}", 0.0, cpu_share, cpu_share)


class SocketStagesWatch(Watch):
    """Session of the probe. component: one whose process is known."""

    probe = "socket_stages"

    def __init__(
        self, key: _Key, part: Allotment, component: Component, stages: SocketStages, number: int
    ) -> None:
        super().__init__()
        self._key, self._part, self._purse = key, part, key[1]
        self._component = component
        self._stages = stages
        self._number = number
        self._shown: set[tuple[str, str]] = set()
        self.peers: set[tuple[str, int]] = set()
        self._is_detached = False
        self.cpu_s = 0.0

    def sample(self, t_ns: int) -> list[Sample]:
        """Take the means since the last call. Raises Lost while the kernel refuses or the process is gone."""
        sight = self._stages.take(self._number)
        self._purse.spend(self._part, sight.cpu_s - self.cpu_s)
        self.cpu_s = sight.cpu_s
        self._stages.allow(self._purse.share(self._part))
        if sight.failure is not None:
            raise Lost.of(ERRORS.netlink_failed(str(sight.failure)), code="probe.no-right")
        if sight.is_gone:
            raise ended(self._component.pid)
        if sight.is_refused:
            self._tell_refused(t_ns)
        if sight.left_out:
            self._tell_left_out(t_ns, sight.left_out)
        values: dict[tuple[str, str], float] = {("looks", ""): sight.looks}
        if sight.looks:  # without a look nothing is known, which is not zero
            places = (_destination(group.group) for group in sight.groups)
            self.peers.update(place for place in places if place is not None)
            for group in sight.groups:
                values |= {(metric, group.group): value for metric, value in self._figures(group)}
        return self.samples(t_ns, values)

    def _figures(self, means: StageMeans) -> Iterator[tuple[str, float]]:
        yield "sockets", means.sockets
        figures = {"tied": means.tied, "silent": means.silent}
        if means.busy_s:
            figures["busy_s"] = means.busy_s
            figures["client_limited_s"] = means.client_limited_s
            figures["buffer_limited_s"] = means.buffer_limited_s
        if means.segments:
            figures["segments"] = means.segments
        for name, (mean, deviation) in means.stages.items():
            figures[name], figures[f"{name}_sd"] = mean, deviation
        for metric, value in figures.items():
            # A stage in which no socket was ever seen is left out; a stage that all sockets have left is
            # zero.
            if value or (means.group, metric) in self._shown:
                self._shown.add((means.group, metric))
                yield metric, value

    def _tell_refused(self, t_ns: int) -> None:
        self._note_gap(t_ns, ERRORS.descriptors_hidden(self._component.name), "probe.no-right")

    def _tell_left_out(self, t_ns: int, count: int) -> None:
        self._note_gap(t_ns, ERRORS.sockets_left_out(str(count)), "probe.not-readable")

    def _note_gap(self, t_ns: int, wording: ErrorWords, code: str) -> None:
        self.note_once(t_ns, wording.what, {"code": code, "mend": wording.mend}, code)

    def detach(self) -> None:
        """Stop looking at the component; the last session to end ends the thread."""
        if not self._is_detached:
            self._is_detached = True
            self._stages.forget(self._number)
            _leave(self._key)


def _destination(group: str) -> tuple[str, int] | None:
    """Return host and port of a group such as "out:10.0.0.5:6379" or "out:[::1]:6379".

    Returns None for a group of the program's own port, for a Unix socket, and for the destinations that share
    a group.
    """
    direction, _, place = group.partition(":")
    host, _, port = place.rpartition(":")
    if direction != "out" or not port.isdigit() or place.startswith(("/", "@")):
        return None
    return host.strip("[]"), int(port)


fits = is_program


def attach(options: Options, component: Component, place: Place) -> Session:
    """Attach the probe.

    Raises Unavailable if its process is not known or is gone, or its sockets may not be seen.
    """
    pid = process_of(component)
    addresses = (component.address, *component.listens)
    ports = sorted(
        {
            address.port
            for address in addresses
            if address is not None and address.unix is None and address.port
        }
    )
    key = options, place.purse
    part = _part(key)
    stages = _join(key, place.purse.share(part))
    try:
        number = stages.watch(pid, component.start, ports)
    except PermissionError as error:
        _leave(key)
        wording = ERRORS.namespace_refused(component.name, str(error.strerror))
        raise Unavailable.of(wording, code="probe.no-right") from None
    except OSError as error:
        _leave(key)
        wording = ERRORS.netlink_refused(str(error.strerror))
        raise Unavailable.of(wording, code="probe.no-right") from None
    return SocketStagesWatch(key, part, component, stages, number)
