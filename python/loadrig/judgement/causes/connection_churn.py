"""Connections are opened anew instead of being kept."""

from loadrig.base.units import show_number, show_share
from loadrig.judgement.cause import About, Law, OwnWords, Proof
from loadrig.judgement.evidence import CLEAR, STRONG, Claims, Hypothesis, Sign
from loadrig.judgement.facts import opening
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import CHURN
from loadrig.judgement.facts.legs import Leg, legs
from loadrig.judgement.facts.load import LOAD
from loadrig.judgement.facts.slots import slots_of
from loadrig.judgement.gains import without
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.connection_churn import ConnectionChurnTexts

TEXTS = texts_of(ConnectionChurnTexts)

ABOUT = About(
    "connecting", "use", refines="database_cpu", harms=frozenset({"short", "queueing", "saturated", "missed"})
)

OWN_WORDS = (OwnWords("pool", ("overflowed",), is_once=True),)

PROOFS = (
    Proof("knob", ("pool",), of=("to a dependency",)),
    # Every visitor who comes and goes needs a connection, whether or not it is kept.
    Proof("load", ("keep_alive",), of=("of the load",)),
    # Sync workers keep no connection, whatever the knob says; another class changes more than that.
    Proof("knob", ("keep_alive",), is_needed=False, of=("of clients",)),
    Proof("knob", ("class",), "other", is_needed=False, is_own=False, of=("of clients",)),
)

GAIN = Law("share", "all")


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each leg with many new connections, or dear ones."""
    for leg in legs(case):
        a_request, cost = opening.needless_a_request(leg), opening.cost_of(case, leg)
        if a_request is not None and opening.is_suspected(a_request, cost):
            yield _hypothesis(case, leg, a_request, cost)


def _hypothesis(case: Case, leg: Leg, a_request: float, cost: opening.OpeningCost | None) -> Hypothesis:
    share, is_load = cost.share if cost is not None else 0.0, opening.accused_of(leg) == LOAD
    ended, each = show_number(case.load.ended_rps), show_number(a_request)
    rate, of_load = show_number(a_request * case.load.ended_rps), case.load.source("connections.per_request")
    source = of_load if leg.is_of_clients or leg.opened is None else leg.opened.source
    weight = CLEAR if leg.is_of_clients else STRONG
    are_many = a_request >= CHURN or share >= opening.FAIR_COST_SHARE
    signs = (
        Sign(are_many, TEXTS.connections_s_from(rate, leg.name, ended, each), source, weight),
        opening.cost_matters(leg, cost),
        *([Sign(None, TEXTS.load_asks_new, of_load)] if is_load else []),
    )
    rises = show_share(min(share / (1 - min(share, 0.9)), 9.0))
    gain = TEXTS.should_rise_up(rises) if share >= opening.LEAST_COST_SHARE else TEXTS.rises_if_cause
    takes = TEXTS.takes_about(cost.formula) if cost is not None else ""
    return Hypothesis(
        opening.accused_of(leg), signs, TEXTS.effect(rate, leg.name, each, takes),
        mend=_mend(case, leg, a_request, is_load=is_load), decides=TEXTS.decides(leg.name, gain),
        more=tuple(opening.who_closes(leg, a_request)), detail=_detail(leg, is_load=is_load),
        bound=cost.most if cost is not None else None, bound_text=cost.formula if cost is not None else "",
        gain=without(share) if cost is not None else None,
    )  # fmt: skip


def _detail(leg: Leg, *, is_load: bool) -> str:
    if not leg.is_of_clients:
        return f"to a dependency: {leg.to}"
    of_load = "of visitors" if leg.case.load.keep_alive else "of the load"
    return of_load if is_load else "of clients"


def _mend(case: Case, leg: Leg, a_request: float, *, is_load: bool) -> str:
    if is_load:
        return TEXTS.if_real_clients
    to = case.tiers[leg.to]
    if leg.is_of_clients:
        slots = slots_of(to) if to.kind == "gunicorn" else None
        is_sync = slots is not None and slots.kind == "sync"
        return TEXTS.gunicorn_sync_workers if is_sync else TEXTS.let_server_keep
    if a_request < CHURN:
        # Most requests have a connection that was kept: there is a pool.
        is_go = case.tiers[leg.source].runtime == "go"
        return (TEXTS.pool_of_go if is_go else TEXTS.pool_keeps_idle)(leg.source, leg.to)
    if to.kind == "redis" and case.tiers[leg.source].runtime == "cpython":
        return TEXTS.redis_connectionpool_process(leg.to)
    return TEXTS.pool_or_http(leg.source, leg.to)
