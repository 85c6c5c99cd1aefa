"""A program ran out of local ports towards something that it talks to."""

import math
from dataclasses import replace

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, OwnWords, Proof
from loadrig.judgement.constants import AT_LIMIT
from loadrig.judgement.evidence import STRONG, Claims, Evidence, Hypothesis, Sign
from loadrig.judgement.facts import legs, observed
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import DATABASES
from loadrig.judgement.facts.timeline import Track
from loadrig.judgement.gains import without
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.dependency_port_exhaustion import DependencyPortExhaustionTexts
from loadrig.language.labels import label

TEXTS = texts_of(DependencyPortExhaustionTexts)

ABOUT = About("ports", "fact", harms=OF_ANY_LIMIT | {"dips", "drift"})

OWN_WORDS = (OwnWords("ports", ("exhausted",)),)

PROOFS = (Proof("knob", ("pool",), is_needed=False),)
"""Experiments. A pool is not needed: a trial shorter than range / r cannot fail, with a pool or without."""

GAIN = Law("share", "all")

WENT_WRONG = ("http_5xx", "timeout", "closed", "reset", "check_failed", "http_4xx")
"""Outcomes of requests that could not ask behind the server."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each destination of a program that a person would suspect."""
    for leg in legs.legs(case):
        if leg.is_of_clients or "/" in leg.address:
            continue
        share = leg.at_source("port_range_share")
        if share is None:
            yield from _unseen(case, leg)
        elif share.peak >= AT_LIMIT:
            yield _ran_out(case, leg, share)
        elif leg.are_ports_suspect:
            yield _runs_out(leg, share)
    for leg in legs.unclaimed_legs(case) if case.load.failed_share > 0 else ():
        if (share := leg.at_source("port_range_share")) is not None:
            yield _of_nobody(case, leg, share)


def _claim(leg: legs.Leg, signs: tuple[Sign, ...], effect: str, *more: Evidence) -> Hypothesis:
    """Return the claim about a destination, whose mend is a pool."""
    kind = leg.case.tiers[leg.to].kind if leg.to in leg.case.tiers else ""
    own = {"redis": TEXTS.connectionpool_process_redis, **dict.fromkeys(DATABASES, TEXTS.connection_pool)}
    pool = own.get(kind, TEXTS.pool_or_http)
    mend, decides = TEXTS.keep_connections_stop(leg.to, pool), TEXTS.same_load_pool(leg.to)
    return Hypothesis(leg.source, signs, effect, mend, decides, more, detail=f"TIME_WAIT: {leg.to}")


def _ran_out(case: Case, leg: legs.Leg, share: Track) -> Hypothesis:
    """Return the hypothesis of a destination towards which no port was left."""
    load, wrong = case.load, case.load.count(*WENT_WRONG)
    held = _held(TEXTS.connections_to(leg.source, leg.address), leg, share)
    effect = TEXTS.had_no_local(leg.source, leg.to, _rate(leg))
    effect += TEXTS.requests_failed(f"{wrong:,}") if wrong else ""
    effect += TEXTS.requests_waited_any(show_number(load.waiting))
    claim = _claim(leg, (Sign(True, held, share.source, STRONG), leg.held_back(share)), effect)
    before, during = legs.with_and_without_ports(load.ok, share) or (0.0, 0.0)
    if before <= 0:
        return replace(claim, gain=_gain(case))
    return replace(
        claim, bound=min(1.0, max(0.0, 1 - during / before) + load.failed_share),
        bound_text=TEXTS.s_answered_well(show_number(before), show_number(during)),
        gain=before / load.ok_rps if load.ok_rps > 0 else None,
    )  # fmt: skip


def _runs_out(leg: legs.Leg, share: Track) -> Hypothesis:
    """Return the hypothesis of a destination whose ports last, or would be taken in a longer test."""
    ports, text = leg.ports, _held(TEXTS.connections_to(leg.source, leg.address), leg, share)
    after = show_duration(ports.empty_after_s) if ports is not None else label("a while")
    effect = TEXTS.will_have_no(leg.source, leg.to, after, _rate(leg))
    text += f"; {ports.text}" if ports is not None else ""
    if ports is None or ports.is_enough:
        return _claim(leg, (Sign(False, text, share.source),), effect)
    carried = Evidence(TEXTS.ports_carry_new(show_number(ports.sustained)), ports.source)
    longer = show_duration(1.5 * ports.empty_after_s + legs.TIME_WAIT_S / 10)
    claim = _claim(leg, (Sign(None, TEXTS.run_longer_see(text), share.source),), effect, carried)
    return replace(claim, decides=TEXTS.same_load_fails(longer))


def _of_nobody(case: Case, leg: legs.Leg, share: Track) -> Hypothesis:
    """Return the hypothesis of a destination that nobody is connected to, as no connect succeeds."""
    held = _held(TEXTS.connections_to_address(leg.address), leg, share)
    failed = TEXTS.requests_failed_no(show_share(case.load.failed_share))
    signs = (Sign(True, held, share.source, STRONG), Sign(True, failed, case.load.source("load.failed")))
    return replace(_claim(leg, signs, TEXTS.effect(leg.source, leg.address)), gain=_gain(case))


def _gain(case: Case) -> float | None:
    """Return how many times as many good answers there are without failures; None where there are none."""
    wrong = case.load.count(*WENT_WRONG)
    return without(wrong / case.load.finished) if wrong and case.load.ok_rps > 0 else None


def _unseen(case: Case, leg: legs.Leg) -> Claims:
    """Yield the hypothesis of a destination that counts so many connections that ports may run out."""
    opened, usual = leg.opened, legs.USUAL_RANGE / legs.TIME_WAIT_S
    if opened is not None and opened.mean >= usual and case.load.failed_share != 0:
        accepted = TEXTS.accepted_connections_s(leg.to, show_number(opened.mean))
        text = TEXTS.ports_not_seen(leg.source, show_number(usual), accepted)
        effect = TEXTS.new_connections_s_take(show_number(opened.mean), leg.to)
        evidence = Evidence(accepted, opened.source)
        yield _claim(leg, (Sign(None, text, opened.source),), effect, evidence)


def _held(connections: str, leg: legs.Leg, share: Track) -> str:
    text = TEXTS.held_local_ports(connections, show_share(share.peak))
    in_time_wait = observed.figure(leg.at_source("time_wait"), "peak")
    return TEXTS.time_wait(text, show_number(in_time_wait)) if math.isfinite(in_time_wait) else text


def _rate(leg: legs.Leg) -> str:
    return TEXTS.new_connections_s(show_number(leg.ports.rate)) if leg.ports is not None else ""
