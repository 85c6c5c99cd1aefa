"""Connections are turned away because the queue of those that wait to be accepted is full.

## Signature

The listener's queue stands at its backlog, the kernel counts connections turned away (ListenOverflows), and
clients that were turned away try again after 1, 3 and 7 seconds.

## Data

Queue and backlog of each listener (sock_diag), ListenOverflows and ListenDrops, latency, connect time-outs.

## Deciding test

`--prove` raises the server's backlog in turns, where it is a knob (net.core.somaxconn must allow it): the
drops go, and what they did with them. If throughput stays all the same, the workers are the limit.

## Guard

A queue that is full all the time is a server that is too slow: a longer one only makes clients wait in it.
Look at CPU and workers first; the backlog itself is at fault where bursts meet a server that keeps up.

## Fix

Workers first; then backlog (`gunicorn --backlog 2048`) and net.core.somaxconn; keep-alive spares the queue.
"""

from collections.abc import Iterator

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import Namespace, listener_of, namespaces
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.proofs import Proof

TITLE = "connections are turned away: the accept queue is full"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("door", "size", full=("backlog",))

PROOFS = (Proof("knob", ("backlog",), is_needed=False),)
"""Experiments. The knob is not needed: a proof's even load may lack the bursts that overflow the queue."""

TRACE_BACKLOG_SHARE = 0.5
"""Share of the backlog that waited at any look, 0 to 1. Below it, and with no client turned away, the queue
is not suspected."""

BACKLOG_AT_LIMIT = 0.9
"""Share of the backlog that waited, 0 to 1, from which on the queue is full. The kernel lets one more wait
than the backlog says, and a look comes once a second."""

CPU_FULL = 0.9
"""Share of its CPU that a program uses, 0 to 1, from which on it accepts late for lack of CPU time:
what is left is idle in pieces too short to catch up in."""

CONNECT_MODES_S = (1.0, 3.0, 7.0, 15.0)
"""Seconds in all after which a SYN is sent again: 1, 2, 4, 8 s apart. Source: RFC 6298, section 2;
TCP_TIMEOUT_INIT."""

MODE_WIDTH = 0.25
"""Share by which a latency may be above such a time, 0 to 1: an answer takes its own time after that."""

NOT_CONNECTED = ("connect_timeout", "connect_reset", "connect_failed")

TAIL_SHARE = 0.01
"""Share of the requests that p99 is made of."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each listener with a half-full queue, or that may have turned clients away."""
    for space in namespaces(case):
        turned = space.track("listen_overflows")
        away = turned.grew if turned is not None else 0.0
        queues = _queues(case, space)
        fullest = max(queues, key=lambda row: row[1].peak / row[2], default=None)
        for subject, queue, backlog in queues:
            tier = listener_of(case, subject, space.host)
            is_fullest = fullest is not None and fullest[0] == subject
            if tier is None or (queue.peak < TRACE_BACKLOG_SHARE * backlog and not (away and is_fullest)):
                continue
            yield _hypothesis(case, tier, subject, queue, backlog, turned, is_fullest=is_fullest)


def _queues(case: Case, space: Namespace) -> list[tuple[str, Track, float]]:
    queues = []
    for subject, queue in case.subjects(space.host, "tcp_sockets.accept_queue").items():
        limit = case.track(space.host, "tcp_sockets.backlog", subject)
        if not space.has(subject) or limit is None or not limit.is_known or not queue.is_known:
            continue
        if limit.median > 0:
            queues.append((subject, queue, limit.median))
    return queues


def _hypothesis(
    case: Case,
    tier: Tier,
    subject: str,
    queue: Track,
    backlog: float,
    turned: Track | None,
    *,
    is_fullest: bool,
) -> Hypothesis:
    load = case.load
    away = turned.grew if turned is not None and is_fullest else 0.0
    is_at_limit = queue.peak >= BACKLOG_AT_LIMIT * backlog
    seen = f"{show_number(queue.peak)} connections waited to be accepted, of {show_number(backlog)} that may"
    holds: bool | None = is_at_limit
    if not is_at_limit and away:
        holds, seen = None, f"{seen}; whether more did between two looks was not seen (probe_every: 200ms)"
    more, against = [], []
    mode = _mode(load.latency(0.99)) or _mode(load.latency(0.999))
    if mode is not None:
        text = f"the slowest answers took {show_duration(mode[0])}: a client turned away tries again after"
        more.append(Evidence(f"{text} {show_duration(mode[1])}", load.source("latency_ms"), CLEAR))
    if unconnected := load.count(*NOT_CONNECTED):
        text = f"{unconnected:,} requests got no connection in time"
        more.append(Evidence(text, load.source("outcomes"), CLEAR))
    if queue.median >= BACKLOG_AT_LIMIT * backlog:
        text = (
            "the queue was full most of the time: it is served too slowly, and a longer one only waits longer"
        )
        against.append(Evidence(text, queue.source, SLIGHT))
    if tier.cpu_share >= CPU_FULL:
        assert tier.cpu is not None
        text = f"{tier.name} used {show_share(min(1.0, tier.cpu_share))} of its CPU: it accepts late"
        against.append(Evidence(text, tier.cpu.source, CLEAR))
    share = _explained(case, away)
    return Hypothesis(
        component=tier.name,
        signs=(Sign(holds, seen, queue.source, STRONG), _turned_away(turned, away, is_fullest=is_fullest)),
        more=tuple(more),
        against=tuple(against),
        effect=f"{show_number(away)} attempts to connect to {tier.name} were turned away, with a backlog of"
        f" {show_number(backlog)}",
        mend=_mend(tier, backlog),
        decides="a backlog ten times as long (and net.core.somaxconn): the drops go; if throughput"
        " stays, it is the workers",
        bound=share,
        bound_text=f"{show_number(away)} turned away, {load.total(load.sent):,.0f} requests sent",
        detail=subject,
    )


def _turned_away(turned: Track | None, away: float, *, is_fullest: bool) -> Sign:
    if turned is None:
        text = "whether connections were turned away was not read: nstat -az TcpExtListenOverflows"
        return Sign(None, text, FormulaSource("no series of connections turned away"))
    if not away:
        text = "nobody was turned away" if is_fullest else "another listener's queue was fuller"
        return Sign(False, text, turned.source, CLEAR)
    return Sign(True, f"the kernel turned {show_number(away)} connections away", turned.source, CLEAR)


def _explained(case: Case, away: float) -> float:
    """Return the share of what is wrong that so many refusals can bring about at most."""
    load = case.load
    ended = load.total(load.ok) + load.total(load.failed)
    if ended <= 0:
        return 1.0
    of_all = away / ended
    failed = load.total(load.failed)
    of_failures = (
        load.count(*NOT_CONNECTED, "timeout") / failed if failed and "failing" in case.harms else 0.0
    )
    of_tail = of_all / TAIL_SHARE if {"tail", "missed"} & set(case.harms) else 0.0
    return min(1.0, max(of_all, of_failures, of_tail))


def _mode(latency_s: float) -> tuple[float, float] | None:
    """Return a latency and the time after which a refused client connects, where the two agree."""
    for mode_s in CONNECT_MODES_S:
        if mode_s <= latency_s <= mode_s * (1 + MODE_WIDTH):
            return latency_s, mode_s
    return None


def _mend(tier: Tier, backlog: float) -> str:
    longer = show_number(max(1024.0, 8 * backlog)).replace(",", "")
    if tier.kind == "gunicorn":
        first = f"more workers if they are all busy; gunicorn --backlog {longer}"
    else:
        first = f"more workers if they are all busy; a backlog of {longer} in its listen()"
    return f"{first} and sysctl -w net.core.somaxconn={longer}"
