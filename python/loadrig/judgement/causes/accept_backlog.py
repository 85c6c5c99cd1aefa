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
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import Namespace, listener_of, namespaces
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.proofs import Proof
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.accept_backlog import AcceptBacklogTexts

TEXTS = texts_of(AcceptBacklogTexts)

TITLE = TEXTS.title
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
        queues = _queues(case, space)
        fullest = max(queues, key=lambda row: row[1].peak / row[2], default=None)
        for row in queues:
            subject, queue, backlog = row
            tier = listener_of(case, subject, space.host)
            turned = _turned_away(space.track("listen_overflows"), is_fullest=row is fullest)
            if tier is not None and (queue.peak >= TRACE_BACKLOG_SHARE * backlog or turned.holds):
                yield _hypothesis(case, space, tier, row, turned)


def _queues(case: Case, space: Namespace) -> list[tuple[str, Track, float]]:
    """Return the listeners of a namespace by subject, each with its queue and its backlog."""
    queues = []
    for subject, queue in case.subjects(space.host, "tcp_sockets.accept_queue").items():
        limit = case.track(space.host, "tcp_sockets.backlog", subject)
        if space.has(subject) and queue.is_known and observed.figure(limit, "median") > 0:
            queues.append((subject, queue, observed.figure(limit, "median")))
    return queues


def _turned_away(turned: Track | None, *, is_fullest: bool) -> Sign:
    """Return the sign that clients were turned away, by the listener with the fullest queue."""
    away = observed.figure(turned, "grew")
    text = TEXTS.another_listener_queue
    if is_fullest:
        text = TEXTS.kernel_turned_connections(show_number(away)) if away else TEXTS.nobody_turned_away
    unread = TEXTS.whether_connections_turned
    return observed.sign(turned, is_fullest and away > 0, text, unread)


def _hypothesis(
    case: Case, space: Namespace, tier: Tier, listener: tuple[str, Track, float], turned: Sign
) -> Hypothesis:
    load, (subject, queue, backlog) = case.load, listener
    away = observed.figure(space.track("listen_overflows"), "grew") if turned.holds else 0.0
    holds: bool | None = queue.peak >= BACKLOG_AT_LIMIT * backlog
    seen = TEXTS.connections_waited_accepted(show_number(queue.peak), show_number(backlog))
    if not holds and away:
        holds, seen = None, TEXTS.whether_more_did(seen)
    full = TEXTS.queue_full_most
    late = TEXTS.used_cpu_accepts(tier.name, show_share(min(1.0, tier.cpu_share)))
    longer = f"{max(1024.0, 8 * backlog):.0f}"
    option = "gunicorn --backlog" if tier.kind == "gunicorn" else TEXTS.listen_backlog
    return Hypothesis(
        component=tier.name,
        signs=(Sign(holds, seen, queue.source, STRONG), turned),
        more=(
            *_tried_again(case),
            *observed.outcomes(case, NOT_CONNECTED, TEXTS.requests_got_no),
        ),
        against=(
            *observed.evidence(queue, BACKLOG_AT_LIMIT * backlog, full, SLIGHT, statistic="median"),
            *observed.evidence(tier.cpu, CPU_FULL * tier.cores, late),
        ),
        effect=TEXTS.effect(show_number(away), tier.name, show_number(backlog)),
        mend=TEXTS.mend(option, longer),
        decides=TEXTS.decides,
        bound=_explained(case, away),
        bound_text=TEXTS.turned_away_requests(show_number(away), f"{load.total(load.sent):,.0f}"),
        detail=subject,
    )


def _explained(case: Case, away: float) -> float:
    """Return the share of what is wrong that so many refusals can bring about at most."""
    load, harms = case.load, set(case.harms)
    failed = load.total(load.failed)
    ended = load.total(load.ok) + failed
    if ended <= 0:
        return 1.0
    of_all = away / ended
    of_failures = load.count(*NOT_CONNECTED, "timeout") / failed if failed and "failing" in harms else 0.0
    of_tail = of_all / TAIL_SHARE if {"tail", "missed"} & harms else 0.0
    return min(1.0, max(of_all, of_failures, of_tail))


def _tried_again(case: Case) -> Iterator[Evidence]:
    """Yield evidence where the slowest answers took as long as a refused client waits to connect again."""
    for latency_s in (case.load.latency(0.99), case.load.latency(0.999)):
        for mode_s in CONNECT_MODES_S:
            if mode_s <= latency_s <= mode_s * (1 + MODE_WIDTH):
                text = TEXTS.slowest_answers_took(show_duration(latency_s), show_duration(mode_s))
                yield Evidence(text, case.load.source("latency_ms"), CLEAR)
                return
