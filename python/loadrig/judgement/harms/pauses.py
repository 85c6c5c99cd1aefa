"""Pauses of collections that are the harm themselves: they are the slow requests, or they make the dips."""

from loadrig.base.units import show_duration, show_share
from loadrig.judgement.constants import MOSTLY, TAIL_SHARE
from loadrig.judgement.evidence import CLEAR, STRONG, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.garbage import GarbageCollections
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.harms import dips
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.harms import JudgementHarmsPausesTexts

TEXTS = texts_of(JudgementHarmsPausesTexts)

HarmOfPauses = tuple[tuple[Sign, ...], float]
"""Signs that pauses are a harm, and the share of that harm which they explain at most, 0 to 1."""


def as_harm(case: Case, tier: Tier, collections: GarbageCollections) -> HarmOfPauses | None:
    """Return the signs for the harm that the pauses of a program explain best; None without such a harm."""
    shares, lost = [], dips.of(case)
    if {"tail", "missed"} & set(case.harms):
        shares.append(_in_tail(case, collections))
    if lost is not None and lost.is_harm:
        shares.append(_in_dips(tier, collections, lost))
    return max(shares, key=lambda share: (bool(share[0][0].holds), share[1]), default=None)


def _in_tail(case: Case, collections: GarbageCollections) -> HarmOfPauses:
    """Return the sign that enough pauses are as long as slow requests waited, and how much they explain."""
    over_s = case.load.latency(0.99) - case.load.latency(0.5)
    long_s = collections.lengths_s[collections.lengths_s >= MOSTLY * over_s]
    # Requests come at random, so pauses meet the same share of requests as they take of the time.
    met = float(long_s.sum() / case.measured_s) if case.measured_s and over_s > 0 else 0.0
    text = TEXTS.pauses_long_slow(str(long_s.size), show_duration(over_s), show_share(met))
    return (Sign(met >= TAIL_SHARE, text, collections.source, STRONG + CLEAR),), min(1.0, met / TAIL_SHARE)


def _in_dips(tier: Tier, collections: GarbageCollections, lost: dips.Dips) -> HarmOfPauses:
    """Return the signs that pauses stand in the dips and are as long as these are deep, and their share."""
    beside = lost.beside("gc_pause", tier.name)
    stood_s = lost.stood_still(beside.stream) if beside is not None else 0.0
    share = min(1.0, stood_s / lost.lost_s) if lost.lost_s > 0 else 0.0
    text = TEXTS.pauses_dips_work(show_duration(stood_s), show_duration(lost.lost_s), show_share(share))
    if beside is None or not beside.is_close or share < MOSTLY:
        took = TEXTS.gc_took_time(show_share(collections.share))
        return (Sign(False, f"{took} {show_share(lost.depth)}: {text}", collections.source),), share
    close = Sign(True, dips.beside(beside), beside.stream.source)
    return (Sign(True, text, collections.source, STRONG + CLEAR), close), share
