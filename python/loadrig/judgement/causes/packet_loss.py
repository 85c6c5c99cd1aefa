"""Packets are lost on the way, and are sent again after 200 ms or more."""

from collections.abc import Iterator
from dataclasses import replace

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About
from loadrig.judgement.evidence import STRONG, Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import fullest_core
from loadrig.judgement.facts.legs import Namespace, namespaces
from loadrig.judgement.facts.loss import RTO_S, SentAgain, sent_again
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.packet_loss import PacketLossTexts

TEXTS = texts_of(PacketLossTexts)

ABOUT = About("network", "fact", harms=OF_ANY_LIMIT | {"dips"})

TRACE_LOST_SHARE, LOSS_SHARE = 0.0005, 0.002
"""Shares of the segments sent again, 0 to 1, from which on loss is suspected, and harms. In a data centre one
in 10,000 is much; at 0.2 % each hundredth exchange of five segments meets a loss: all that p99 takes."""

TURNED_AWAY_SHARE = 0.3
"""Connections turned away over segments sent again, from which on those are the reason: each makes its client
send a SYN or two again."""

STARVED_IDLE = 0.1
"""Share of the time that the fullest core is idle, 0 to 1. Below it programs on it wait long for it."""

_COUNTED = {
    "receive_drops": TEXTS.receive_drops, "send_drops": TEXTS.send_drops,
    "receive_errors": TEXTS.receive_errors, "send_errors": TEXTS.send_errors,
}  # fmt: skip
"""Words for what interfaces count, by the names of the series."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each network namespace in which segments were sent again."""
    for space in namespaces(case):
        again = sent_again(space)
        if again is not None and again.share >= TRACE_LOST_SHARE:
            yield _hypothesis(case, space, again)


def where_nothing_is_wrong(case: Case) -> Iterator[Hypothesis]:
    """Yield the loss that only the slowest few of the requests met."""
    for hypothesis in examine(case):
        few = Sign(None, TEXTS.few_were_late, case.load.source("latency_ms"))
        yield replace(hypothesis, signs=(*hypothesis.signs, few), bound=None, bound_text="")


def _hypothesis(case: Case, space: Namespace, again: SentAgain) -> Hypothesis:
    load, count, share = case.load, show_number(again.number), show_share(again.share)
    times = [show_duration(load.latency(q)) if load.quantiles else TEXTS.unknown_latency for q in (0.99, 0.5)]
    away = space.tracks("listen_drops", "request_queue_drops")
    turned_away = sum(track.grew for track in away)
    few, are_few = TEXTS.turned_away(show_number(turned_away)), turned_away < TURNED_AWAY_SHARE * again.number
    # On one machine a receiver without a core is late, and segments are sent again that were not lost.
    idle = fullest_core(case.tiers.get(space.host, case.host))
    against: tuple[Evidence, ...] = ()
    if idle is not None and idle.mean < STARVED_IDLE:
        against = (Evidence(TEXTS.core_was_busy(show_share(idle.mean)), idle.source, STRONG),)
    signs = (
        Sign(again.share >= LOSS_SHARE, TEXTS.sent_again(share, count), again.source, STRONG),
        observed.sign(next(iter(away), None), are_few, few, TEXTS.turned_away_unread),
        _late(case, again),
    )
    return Hypothesis(
        space.host, signs, TEXTS.lost(share, *times), against=against,
        more=tuple(_interfaces(case, space, again.number)),
        bound=observed.explained(case, min(1.0, again.a_request)),
        bound_text=TEXTS.sent_again_for_requests(count, show_number(max(load.finished, 1.0))),
    )  # fmt: skip


def _late(case: Case, again: SentAgain) -> Sign:
    """Return the sign that answers came as much later as it takes to send a segment again."""
    source, median_s = case.load.source("latency_ms"), case.load.latency(0.5)
    quantile, slowest_s, is_late = again.slowest
    if median_s >= RTO_S:
        return Sign(None, TEXTS.does_not_stand_out(show_duration(median_s)), source)
    if not slowest_s > 0:
        return Sign(None, TEXTS.none_answered, source)
    comes = TEXTS.late_enough if is_late else TEXTS.too_soon
    return Sign(is_late, comes(quantile, show_duration(slowest_s), show_duration(median_s)), source)


def _interfaces(case: Case, space: Namespace, again: float) -> Iterator[Evidence]:
    for metric, what in _COUNTED.items():
        for interface, track in case.subjects(space.host, f"network.{metric}").items():
            text = TEXTS.counted(interface, "{}", what)
            yield from observed.evidence(track, again / 2, text, statistic="grew")
