"""Requests wait for a connection of a pool, while what lies behind the pool could do more."""

import math

from loadrig.base.units import show_duration, show_number
from loadrig.judgement.cause import About, Law, OwnWords, Proof
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import Wording
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import fullness
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.limits.internal import speaks_http
from loadrig.judgement.limits.kinds import Resource
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.pool_too_small import PoolTooSmallTexts
from loadrig.stats.erlang import servers_needed

TEXTS = texts_of(PoolTooSmallTexts)

ABOUT = About("pool", "size", full=("connections",))

OWN_WORDS = (OwnWords("pool", ("timed_out", "exhausted", "queue_full", "not_given")),)

PROOFS = (Proof("knob", ("pool",)), Proof("delay", is_own=False))
"""Experiments. A delay is not its own proof: it moves all requests that wait, for lack of threads, too."""

GAIN = Law("slots", "connections")


def own_words_apply(case: Case, component: str) -> bool:
    """Return whether a component has CPU time left: without it, requests hold connections for longer."""
    tier = case.tiers.get(component)
    return tier is None or not fullness(case, tier) >= FULL_SHARE


def wording(case: Case, tier: Tier, resource: Resource) -> Wording:
    """Return its words: how long requests wait and hold a connection, and how many would do."""
    if not resource.of:
        return Wording()
    load, count = case.load, round(resource.number)
    rate = load.ended_rps
    effect = TEXTS.requests_waited_connections(show_number(resource.waiting), str(count), resource.of)
    wanted = count + resource.waiting
    if rate > 0:
        hold_s = resource.used / rate
        effect += TEXTS.each_then_held(show_duration(resource.waiting / rate))
        effect += f" {show_duration(hold_s)}"
        if load.is_open:
            wanted = servers_needed(load.offered_rps * hold_s)
    # What lets so few calls of HTTP out at a time need not be the client's pool: no connection tells.
    mend = TEXTS.mend_calls if speaks_http(case, resource.of) else TEXTS.mend
    return Wording(
        effect=effect,
        mend=mend(tier.name, f"{max(wanted, count + 1):.0f}", resource.of),
        decides=TEXTS.decides(f"{math.ceil(1.25 * count + 0.5):.0f}"),
        detail=f"connections: {resource.of}",
    )
