"""Connections are opened for each request instead of being kept.

## Signature

On one leg (generator to server, or a program to something behind it) about as many connections are opened
as there are requests, and what that costs is a part of a request that matters.

## Data

Connections opened by destination and who closes them first (sock_diag), the generator's own count, CPU time
of both ends, round trips, a profile where there is one.

## Deciding test

`--prove` keeps the connections of that leg, in turns: the pool towards a dependency, the server's keep-alive
(or another worker class), or the load's. Throughput rises by what opening them cost.

## Guard

A slow request does not notice a connection more. Connections that follow failures, that fill a pool, or that
the load itself asks for (keep_alive: false, a visitor each) are nobody's fault. TIME_WAIT that it leaves at
a listener harms nobody.

## Fix

A pool towards the dependency; keep-alive on both sides, and a worker class that can (gunicorn's sync cannot).
"""

from collections.abc import Iterator

from loadrig.base.units import show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.evidence import CLEAR, SLIGHT, STRONG, Evidence, FormulaSource, Hypothesis, Sign
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.legs import Leg, legs
from loadrig.judgement.facts.opening import LOAD, TRACE, OpeningCost, accused_of, cost_of, needless_a_request
from loadrig.judgement.gains import Law, without
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.connection_churn import ConnectionChurnTexts

TEXTS = texts_of(ConnectionChurnTexts)

TITLE = TEXTS.title
HARMS = frozenset({"short", "queueing", "saturated", "missed"})
ABOUT = About("connecting", "use", refines="database_cpu")

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

CHURN = 0.5
"""Connections a request from which on most requests open one."""

GREAT_COST_SHARE, MEASURED_COST_SHARE, FAIR_COST_SHARE, LEAST_COST_SHARE = 0.4, 0.25, 0.2, 0.1
"""Shares of what a request costs, 0 to 1: seldom is any other single thing so great; the same where a profile
measured it; a fair share; the least that matters."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each leg with a new connection for more than a tenth of the requests."""
    for leg in legs(case):
        a_request = needless_a_request(leg)
        if a_request is not None and a_request >= TRACE:
            yield _hypothesis(case, leg, a_request, cost_of(case, leg))


def _hypothesis(case: Case, leg: Leg, a_request: float, cost: OpeningCost | None) -> Hypothesis:
    share, is_load = cost.share if cost is not None else 0.0, accused_of(leg) == LOAD
    rate, of_load = show_number(a_request * case.load.ended_rps), case.load.source("connections.per_request")
    signs = [
        Sign(
            a_request >= CHURN or share >= FAIR_COST_SHARE,
            TEXTS.connections_s_from(
                rate, leg.name, show_number(case.load.ended_rps), show_number(a_request)
            ),
            of_load if leg.is_of_clients or leg.opened is None else leg.opened.source,
            CLEAR if leg.is_of_clients else STRONG,
        ),
        _matters(leg, cost),
    ]
    if is_load:
        text = TEXTS.load_asks_new
        signs.append(Sign(None, text, of_load))
    rises = show_share(min(share / (1 - min(share, 0.9)), 9.0))
    gain = TEXTS.should_rise_up(rises) if share >= LEAST_COST_SHARE else TEXTS.rises_if_cause
    takes = TEXTS.takes_about(cost.formula) if cost is not None else ""
    return Hypothesis(
        component=accused_of(leg),
        signs=tuple(signs),
        more=tuple(_who_closes(leg, a_request)),
        effect=TEXTS.effect(rate, leg.name, show_number(a_request), takes),
        mend=_mend(case, leg, is_load=is_load),
        decides=TEXTS.decides(leg.name, gain),
        bound=cost.most if cost is not None else None,
        bound_text=cost.formula if cost is not None else "",
        detail=_detail(leg, is_load=is_load),
        gain=without(share) if cost is not None else None,
    )


def _detail(leg: Leg, *, is_load: bool) -> str:
    if not leg.is_of_clients:
        return f"to a dependency: {leg.to}"
    if not is_load:
        return "of clients"
    return "of visitors" if leg.case.load.keep_alive else "of the load"


def _matters(leg: Leg, cost: OpeningCost | None) -> Sign:
    """Return the sign that opening connections is a part of a request that matters."""
    if cost is None:
        text = TEXTS.what_request_costs(leg.to, leg.source)
        return Sign(None, text, FormulaSource(TEXTS.no_cpu_time))
    text = TEXTS.opening_them_takes(cost.formula)
    if cost.most_times > 1 and cost.share < LEAST_COST_SHARE <= cost.most:
        text += TEXTS.what_costs_very
        return Sign(None, text, cost.source)
    great = MEASURED_COST_SHARE if cost.most_times == 1 else GREAT_COST_SHARE
    weight = STRONG if cost.share >= great else CLEAR if cost.share >= FAIR_COST_SHARE else SLIGHT
    return Sign(cost.share >= LEAST_COST_SHARE, text, cost.source, weight)


def _who_closes(leg: Leg, a_request: float) -> Iterator[Evidence]:
    here, closed = leg.closed_here_share, leg.at_source("closed_first") or leg.at_listener("closed_first")
    if here is not None and closed is not None and a_request >= CHURN:
        who = leg.source if here >= CHURN else leg.to
        yield Evidence(TEXTS.closes_them_first(who, show_share(max(here, 1 - here))), closed.source, SLIGHT)


def _mend(case: Case, leg: Leg, *, is_load: bool) -> str:
    if is_load:
        return TEXTS.if_real_clients
    to = case.tiers[leg.to]
    if leg.is_of_clients:
        worker = to.setting("--worker-class", "-k", "worker_class")
        threads = to.number("--threads", "threads") or 1
        if to.kind == "gunicorn" and worker in (None, "sync") and threads <= 1:
            return TEXTS.gunicorn_sync_workers
        return TEXTS.let_server_keep
    if to.kind == "redis" and case.tiers[leg.source].runtime == "cpython":
        return TEXTS.redis_connectionpool_process(leg.to)
    return TEXTS.pool_or_http(leg.source, leg.to)
