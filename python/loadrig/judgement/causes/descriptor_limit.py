"""A process has as many files and connections open as it may have: it cannot accept or open another one.

## Signature

The open descriptors of a process stand at its limit (RLIMIT_NOFILE); connections wait in the listener's
queue and are not accepted, or requests fail with EMFILE ("Too many open files").

## Data

Open descriptors over the limit, of the process nearest to it; the listener's queue; failures.

## Deciding test

A higher limit: the descriptors rise above the old one, and the failures stop. `prlimit --pid PID --nofile=N`
raises it while the process runs; `--prove` leaves it alone.

## Guard

Descriptors that grow with every request are a leak: a higher limit only puts the end off. A pool or cache
of fixed size may stand near the limit without harm. Accepting over and over without success takes CPU time.

## Fix

LimitNOFILE= of the service, ulimits of the container, worker_rlimit_nofile of nginx; a shorter keep-alive
time-out where idle connections hold them.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.own_words import OwnWords

TITLE = "a process may open no more files and connections"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips"})
ABOUT = About("descriptors", "fact")

OWN_WORDS = (
    OwnWords("descriptors", ("exhausted",)),
    # A worker of nginx has two connections for each request that it passes on, and may have so many.
    OwnWords("connections", ("full",), systems=("nginx",), is_once=True),
)

NO_PROOF = "the limit is the process's own; raise it (prlimit --pid PID --nofile=65536) and run it again"

DESCRIPTORS_AT_LIMIT = 0.97
"""Share of the limit in use, 0 to 1, from which on it is reached: a few descriptors are kept back or were
closed at the moment of the look."""

NEAR = 0.80
"""Share of the limit in use, 0 to 1. Below it the limit is not suspected."""

OFTEN = 0.2
"""Share of the time at the limit, 0 to 1, from which on it does harm: a load may reach the limit only at its
peaks."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each program with a process near its limit."""
    for tier in case.programs:
        share = tier.track("process.fds_share", "tree")
        if share is not None:
            peak = share.peak
        else:
            peak = _connections(case, tier) / tier.limits.get("descriptors", math.inf)
        if peak >= NEAR:
            yield _hypothesis(case, tier)


def _hypothesis(case: Case, tier: Tier) -> Hypothesis:
    share = tier.track("process.fds_share", "tree")
    limit = tier.limits.get("descriptors", math.nan)
    connected = _connections(case, tier)
    of_limit = f" of {show_number(limit)}" if math.isfinite(limit) else ""
    if share is None:
        sign = Sign(
            None,
            f"its descriptors could not be counted; {show_number(connected)} connections stand against a"
            f" limit of {show_number(limit)}: run loadrig as root, or as its user",
            FormulaSource(f"{connected:.0f} connections / {limit:.0f} descriptors"),
        )
    else:
        at = share.share_above(DESCRIPTORS_AT_LIMIT)
        text = (
            f"a process of it had {show_share(share.peak)} of its descriptors open, and was at the limit"
            f" {show_share(at)} of the time"
        )
        sign = Sign(at >= OFTEN, text, share.source, STRONG)
    more = []
    queue = case.host.track("tcp_sockets.accept_queue", f"in:{tier.port}")
    if queue is not None and queue.median >= 1:
        text = f"{show_number(queue.median)} connections waited to be accepted"
        more.append(Evidence(text, queue.source, CLEAR))
    if share is not None and share.high() >= DESCRIPTORS_AT_LIMIT and share.known.std() < 0.02:
        more.append(Evidence("its descriptors stood still at the limit", share.source, CLEAR))
    refused = case.load.count(
        "connect_timeout", "connect_refused", "connect_reset", "connect_failed", "reset", "closed"
    )
    if refused:
        text = f"{refused:,} requests got no connection"
        more.append(Evidence(text, case.load.source("load.outcomes"), SLIGHT))
    waiting = case.load.waiting
    bound = min(1.0, queue.mean / waiting) if queue is not None and waiting and queue.mean >= 1 else None
    wanted = max(65536, 4 * (int(limit) if math.isfinite(limit) else 0))
    return Hypothesis(
        component=tier.name,
        signs=(sign,),
        more=tuple(more),
        effect=f"it stands at its limit{of_limit} descriptors, with {show_number(connected)} connections",
        mend=f"raise the limit: LimitNOFILE={wanted} in its unit, docker run --ulimit nofile={wanted}; now:"
        f" prlimit --pid {tier.pid or 'PID'} --nofile={wanted}",
        decides="the same load with a higher limit: the descriptors rise above the old one, failures stop",
        bound=bound if not case.load.failed_share else None,
        bound_text=f"{show_number(queue.mean)} of {show_number(waiting)} requests waited to be accepted"
        if bound is not None and queue is not None
        else "",
    )


def _connections(case: Case, tier: Tier) -> float:
    track = case.host.track("tcp_sockets.established", f"in:{tier.port}") if tier.port else None
    return track.high() if track is not None else 0.0
