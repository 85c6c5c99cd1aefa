"""The network carries no more bytes: answers wait in the sockets to be sent.

## Signature

Bytes a second stand at one level: that of the link, or of a shaper. What was written waits in send queues,
while both ends have CPU time left and the reader keeps up.

## Data

Bytes by interface and the link's speed, send and receive queues by role (sock_diag), size of answers, CPU.

## Deciding test

`--prove` compresses the answers more, in turns, where that is a knob: with bodies half as large twice as many
requests a second go through.

## Guard

The generator's own network or CPU may be the cap; a reader that is too slow shows in its receive queue. Over
loopback there is no link: there a byte costs CPU time.

## Fix

Compression, smaller answers, a cache nearer to the users, a faster link.
"""

import math
from collections.abc import Iterator

from loadrig.base.units import show_duration, show_share, show_size
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import Leg, of_clients
from loadrig.judgement.facts.track import Track
from loadrig.judgement.proofs import Proof

TITLE = "the network carries no more bytes"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
ABOUT = About("network", "signs")

PROOFS = (Proof("knob", ("compression",), is_needed=False),)
"""Experiments. Compression is not needed: the load may not take compressed answers, and images get no
smaller."""

TRACE_BYTES = 1_000_000
"""Bytes sent a second. Below it no network that a server is on is loaded."""

LINK_SHARE, TRACE_LINK_SHARE = 0.85, 0.5
"""Shares of the link's speed, 0 to 1, from which on it is full, and suspected. Headers, gaps and
acknowledgements take 3 to 10 % of it (1,448 of 1,538 bytes)."""

WAIT_SHARE, TRACE_WAIT = 0.3, 0.1
"""Shares of the median latency that a byte waits between being written and being acknowledged, 0 to 1, from
which on that is the limit, and is suspected."""

FLAT = 0.05
"""Spread over mean of the bytes a second. Below it a shaper holds them: a server's throughput moves more."""

READER_SHARE = 0.5
"""Share of the bytes under way that lie unread at the reader, 0 to 1. Above it the network has done its
work."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for the host that answers, where its links or its clients' queues were in use."""
    leg = of_clients(case)
    link, queued = _fullest(case, leg.far), leg.at_listener("send_queue_bytes")
    bytes_per_s = case.load.mean(case.load.bytes)
    wait_s = queued.mean / bytes_per_s if queued is not None and bytes_per_s > 0 else math.nan
    is_link = link is not None and link[1] >= TRACE_LINK_SHARE
    is_queue = bytes_per_s >= TRACE_BYTES and wait_s > TRACE_WAIT * case.load.latency(0.5)
    if is_link or is_queue:
        yield _hypothesis(case, leg, link, queued, bytes_per_s, wait_s)


def _hypothesis(
    case: Case,
    leg: Leg,
    link: tuple[Track, float] | None,
    queued: Track | None,
    bytes_per_s: float,
    wait_s: float,
) -> Hypothesis:
    load, tier = case.load, case.tiers[leg.to]
    median_s = load.latency(0.5)
    signs = []
    more = []
    is_link_full = link is not None and link[1] >= LINK_SHARE
    if link is not None and is_link_full:
        text = f"{link[0].subject} carried {show_size(link[0].mean)}/s, {show_share(link[1])} of its speed"
        signs.append(Sign(True, text, link[0].source, STRONG))
    elif queued is None:
        text = "what waits to be sent was not seen: sock_diag shows it (modprobe tcp_diag)"
        signs.append(Sign(None, text, FormulaSource("no series of send queues")))
    else:
        text = (
            f"{show_size(queued.mean)} waited to be sent, at {show_size(bytes_per_s)} a second:"
            f" {show_duration(wait_s)} of a median of {show_duration(median_s)}"
        )
        signs.append(Sign(wait_s >= WAIT_SHARE * median_s, text, queued.source, STRONG))
        signs.append(_keeps_up(leg, queued))
    level = _level(case, leg)
    if level is not None:
        spread = float(level.known.std() / level.mean) if level.mean else math.inf
        text = f"{level.subject} carried {show_size(level.mean)} a second, within {show_share(spread)}"
        if spread <= FLAT:
            more.append(Evidence(f"{text}: a level that something holds", level.source, CLEAR))
    against = []
    if tier.cpu is not None and tier.cpu_share >= 0.85:
        text = f"{tier.name} used {show_share(min(1.0, tier.cpu_share))} of its CPU"
        against.append(Evidence(text, tier.cpu.source, STRONG))
    elif tier.cpu is not None and tier.cpu_share < 0.7:
        text = f"{tier.name} used only {show_share(tier.cpu_share)} of its CPU"
        more.append(Evidence(text, tier.cpu.source, SLIGHT))
    size = bytes_per_s / load.ended_rps if load.ended_rps else 0.0
    share = 1.0 if is_link_full or not median_s > 0 else min(1.0, wait_s / median_s)
    return Hypothesis(
        component=leg.far,
        signs=tuple(signs),
        more=tuple(more),
        against=tuple(against),
        effect=f"{show_size(bytes_per_s)} a second left {tier.name}, {show_size(size)} a request, and no more"
        " would go through",
        mend="compress the answers or send fewer fields; a cache nearer to the users; a faster link",
        decides="the same load with bodies half as large (Accept-Encoding: gzip): requests a second double",
        bound=share if math.isfinite(share) else None,
        bound_text=f"{show_duration(wait_s)} of {show_duration(median_s)} is waiting to be sent"
        if math.isfinite(wait_s) and median_s > 0
        else "",
    )


def _keeps_up(leg: Leg, queued: Track) -> Sign:
    """Return the sign that the reader reads what has come."""
    unread = leg.at_source("receive_queue_bytes")
    if unread is None:
        # A queue that was never filled has no series.
        return Sign(True, "nothing lay unread at the other end", queued.source, SLIGHT)
    text = f"{show_size(unread.mean)} lay unread at the other end"
    return Sign(unread.mean < READER_SHARE * queued.mean, text, unread.source, SLIGHT)


def _level(case: Case, leg: Leg) -> Track | None:
    """Return the bytes sent by the busiest interface of the host that answers; None where none was read."""
    tracks = [track for track in case.subjects(leg.far, "network.sent_bytes").values() if track.is_known]
    return max(tracks, key=lambda track: track.mean, default=None)


def _fullest(case: Case, host: str) -> tuple[Track, float] | None:
    """Return the interface that is nearest to its link's speed, and its share of it; None without one."""
    links = []
    for direction in ("sent_bytes", "received_bytes"):
        for interface, track in case.subjects(host, f"network.{direction}").items():
            link = case.track(host, "network.link_bytes", interface)
            if track.is_known and link is not None and link.is_known and link.median > 0:
                links.append((track, track.mean / link.median))
    return max(links, key=lambda row: row[1], default=None)
