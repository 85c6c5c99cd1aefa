"""Packets are lost on the way, and are sent again after 200 ms or more.

## Signature

Segments are sent again though nobody was turned away, and the slowest answers take 0.2, 0.4 or 1 s longer
than the rest.

## Data

Segments sent and sent again (snmp), drops and errors of the interfaces, connections turned away, latency.

## Deciding test

The same load over another path, or from the server's own machine: the slow answers go. `--prove` has no
other path.

## Guard

A full accept queue or a full table of tracked connections loses packets too: they are told apart by their
counters. A receiver that has no core is late with its acknowledgements, and what it had received is sent
again; then the repeats are a consequence. They are no loss either where half of the answers take longer
than a repeat.

## Fix

The path: cable, duplex, shaper, driver queues (ethtool -S); larger buffers only where the drops are there.
"""

from collections.abc import Iterator

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import STRONG, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import Namespace, namespaces
from loadrig.judgement.facts.track import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.packet_loss import PacketLossTexts

TEXTS = texts_of(PacketLossTexts)

TITLE = TEXTS.title
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips"})
ABOUT = About("network", "signs")

NO_PROOF = TEXTS.no_proof

TRACE_LOST_SHARE, LOSS_SHARE = 0.0005, 0.002
"""Shares of the segments sent again, 0 to 1, from which on loss is suspected, and harms. In a data centre one
in 10,000 is much, and at 0.2 % each hundredth exchange of five segments meets a loss, which is all that p99
takes."""

FEWEST_SENT_AGAIN = 20
"""Segments sent again. Below it they are what the end of any load leaves."""

RTO_S = 0.2
"""Least time in seconds after which Linux sends a segment again: TCP_RTO_MIN. Faster repair costs a round
trip."""

TURNED_AWAY_SHARE = 0.3
"""Connections turned away over segments sent again, from which on those are the reason: each makes its client
send a SYN or two again."""

SEGMENTS = 3
"""Mean number of segments sent again for a request that meets a loss, at most: most losses are of one
segment."""

TAIL_SHARE = 0.01
"""Share of the requests that p99 is made of."""

STARVED_IDLE = 0.1
"""Share of the time that the fullest core is idle, 0 to 1. Below it programs that share it wait for each
other for long."""

LATER_BY = 0.9
"""Share of RTO_S by which a tail must exceed the median: the kernel rounds its timers."""

_COUNTED = {
    "receive_drops": TEXTS.receive_drops,
    "send_drops": TEXTS.send_drops,
    "receive_errors": TEXTS.receive_errors,
    "send_errors": TEXTS.send_errors,
}
"""Words for what interfaces count, by the names of the series."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each network namespace in which segments were sent again."""
    for space in namespaces(case):
        again, sent = space.track("retransmitted_segments"), space.track("sent_segments")
        if again is None or sent is None or again.grew < FEWEST_SENT_AGAIN:
            continue
        share = again.grew / max(sent.grew + again.grew, 1.0)
        if share >= TRACE_LOST_SHARE:
            yield _hypothesis(case, space, again, share)


def _hypothesis(case: Case, space: Namespace, again: Track, share: float) -> Hypothesis:
    load, count = case.load, again.grew
    slow, median = (
        show_duration(load.latency(q)) if load.quantiles else TEXTS.unknown_latency for q in (0.99, 0.5)
    )
    ended = max(load.total(load.ok) + load.total(load.failed), 1.0)
    most = min(1.0, count / ended)
    if {"tail", "missed"} & set(case.harms):
        most = min(1.0, most / TAIL_SHARE)
    away = space.tracks("listen_drops", "request_queue_drops")
    turned_away = sum(track.grew for track in away)
    text = TEXTS.sent_again(show_share(share), show_number(count))
    return Hypothesis(
        component=space.host,
        signs=(
            Sign(share >= LOSS_SHARE, text, again.source, STRONG),
            observed.sign(
                next(iter(away), None),
                turned_away < TURNED_AWAY_SHARE * count,
                TEXTS.turned_away(show_number(turned_away)),
                TEXTS.turned_away_unread,
            ),
            _late(case, count / ended / SEGMENTS),
        ),
        more=tuple(_interfaces(case, space, count)),
        against=tuple(_starved(case, space)),
        effect=TEXTS.lost(show_share(share), slow, median),
        mend=TEXTS.mend,
        decides=TEXTS.decides,
        bound=most,
        bound_text=TEXTS.sent_again_for_requests(show_number(count), show_number(ended)),
    )


def _late(case: Case, expected: float) -> Sign:
    """Return the sign that answers came as much later as it takes to send a segment again.

    expected: share of the requests that meet a loss; above 2 % p99 must show it.
    """
    load, source = case.load, case.load.source("latency_ms")
    median_s = load.latency(0.5)
    if median_s >= RTO_S:
        return Sign(None, TEXTS.does_not_stand_out(show_duration(median_s)), source)
    names = {0.99: "p99"} if expected > 2 * TAIL_SHARE else {0.99: "p99", 0.999: "p99.9"}
    late = [q for q in names if load.latency(q) >= median_s + RTO_S * LATER_BY]
    q = late[0] if late else max(names)
    slowest_s = load.latency(q)
    if not slowest_s > 0:
        return Sign(None, TEXTS.none_answered, source)
    comes = TEXTS.late_enough if late else TEXTS.too_soon
    return Sign(bool(late), comes(names[q], show_duration(slowest_s), show_duration(median_s)), source)


def _starved(case: Case, space: Namespace) -> Iterator[Evidence]:
    """Yield evidence that on one machine a receiver without a core makes segments be sent again early."""
    host = case.tiers.get(space.host, case.host)
    idle = [track for core in range(case.cores) if (track := host.track("system_cpu.idle_s", f"cpu{core}"))]
    fullest = min(idle, key=lambda track: track.mean, default=None)
    if fullest is not None and fullest.mean < STARVED_IDLE:
        yield Evidence(TEXTS.core_was_busy(show_share(fullest.mean)), fullest.source, STRONG)


def _interfaces(case: Case, space: Namespace, again: float) -> Iterator[Evidence]:
    for metric, what in _COUNTED.items():
        for interface, track in case.subjects(space.host, f"network.{metric}").items():
            text = TEXTS.counted(interface, "{}", what)
            yield from observed.evidence(track, again / 2, text, statistic="grew")
