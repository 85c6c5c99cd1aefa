"""Nothing limits the server at this load."""

from collections.abc import Iterator

from loadrig.base.component import SERVER
from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.cause import About
from loadrig.judgement.constants import FAIR_SHARE, MOSTLY
from loadrig.judgement.evidence import Claims, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import others_of, use_of
from loadrig.judgement.facts.waits import wait_for_each_other
from loadrig.judgement.limits.ceilings import Ceiling, ceilings
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.healthy import HealthyTexts

TEXTS = texts_of(HealthyTexts)

ABOUT = About("nothing", "signs", harms=frozenset())

MINOR = frozenset({"tail", "rejected"})
"""Harms with which a server is still healthy: routes differ, and other causes say what makes the tail
long; what it does not have it rejects at any load."""

MOST_REJECTED = 0.1
"""Share of the requests that were rejected, 0 to 1, up to which the load is the one that was meant: a site
has some links to what is gone, and a login that failed rejects nearly all."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis, for the server."""
    load = case.load
    if load.ended_rps <= 0:
        return
    minor = MINOR if load.rejected_share <= MOST_REJECTED else MINOR - {"rejected"}
    harms = [text for name, text in case.harms.items() if name not in minor]
    nearest = next(iter(ceilings(case)), None)
    well = min(1.0, load.ok_rps / load.offered_rps) if load.offered_rps else 1.0
    failed = TEXTS.failed(show_share(load.failed_share), show_number(load.waiting))
    more = [Evidence(failed, load.source("load.in_flight"))]
    if (rejected := case.harms.get("rejected")) is not None:
        more.append(Evidence(rejected, load.source("load.outcomes"), 0.0))
    if nearest is not None:
        more += [*_connections_before(case, nearest), _room(nearest)]
    signs = (
        Sign(
            not harms,
            harms[0] if harms else TEXTS.answered_well(show_share(well)),
            load.source("load.successful_rps"),
        ),
    )
    yield Hypothesis(SERVER, signs, _effect(case, nearest), more=tuple(more))


def _room(nearest: Ceiling) -> Evidence:
    servers, demand = show_number(nearest.servers), show_duration(nearest.demand_s)
    return Evidence(
        TEXTS.next_limit_used(nearest.what, nearest.component, show_share(nearest.used_share)),
        FormulaSource(TEXTS.formula_of_limit(servers, demand, show_number(nearest.rps))),
    )


def _connections_before(case: Case, nearest: Ceiling) -> Iterator[Evidence]:
    """Yield the connections of the server that would all be in use before the next limit is reached.

    Whether it may open more of them is not known: that is a setting of its own.
    """
    component = case.account_of(SERVER)
    if case.account is None or component is None:
        return
    idle = {
        state.of: state.number
        for state in component.slots.states
        if (state.slot, state.state) == ("connections", "idle")
    }
    for slot in component.slots.kind("connections"):
        in_use = slot.number - idle.get(slot.of, slot.number)
        if in_use < MOSTLY * slot.number:
            continue
        rps = case.account.requests_per_s * slot.number / in_use
        if rps < nearest.rps:
            number, rate = show_number(slot.number), show_number(rps)
            formula = TEXTS.formula_of_connections(number, show_number(in_use), rate)
            yield Evidence(TEXTS.connections_before(number, slot.of, rate), FormulaSource(formula))


def _effect(case: Case, nearest: Ceiling | None) -> str:
    ended_rps, text = case.load.ended_rps, TEXTS.limits_nothing(show_number(case.load.ok_rps))
    use = use_of(case, case.server)
    if use is not None and (others := others_of(case, use)) >= FAIR_SHARE * len(use.cores):
        # How much of the cores they leave it under more load is not known: that depends on who they are.
        return text + TEXTS.room_beside_others(show_number(others), show_cores(len(use.cores)))
    if nearest is None or nearest.rps <= ended_rps:
        return text + TEXTS.room_unseen
    times, rate = show_number(nearest.rps / ended_rps), show_number(nearest.rps)
    if wait_for_each_other(case):
        return text + TEXTS.room_of_cores(times, nearest.what, nearest.component)
    low, high = show_number(nearest.low), show_number(nearest.high)
    return text + TEXTS.headroom(times, nearest.what, nearest.component, rate, low, high)
