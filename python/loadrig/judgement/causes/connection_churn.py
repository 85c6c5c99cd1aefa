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

import math
from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    Evidence,
    FormulaSource,
    Hypothesis,
    ProfileSource,
    Sign,
    Source,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import use_of
from loadrig.judgement.facts.legs import TIME_WAIT_S, Leg, legs
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.gains import Law, without
from loadrig.judgement.own_words import OwnWords
from loadrig.judgement.proofs import Proof
from loadrig.recording.steps import Bools, Floats

TITLE = "a connection is opened for each request"
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

TRACE, CHURN = 0.1, 0.5
"""Connections a request: from a tenth on they are suspected; from a half on most requests open one."""

OURS_SHARE = 0.8
"""Share of what all programs use of some cores that programs of the case use, 0 to 1, from which on it is
they who fill them."""

GREAT_COST_SHARE, MEASURED_COST_SHARE, FAIR_COST_SHARE, LEAST_COST_SHARE = 0.4, 0.25, 0.2, 0.1
"""Shares of what a request costs, 0 to 1: seldom is any other single thing so great; the same where a profile
measured it; a fair share; the least that matters."""

MOST_TO_OPEN, MOST_TO_ACCEPT = 3.0, 2.0
"""Greatest cost over the usual one, to open and to accept: a client may build an SSL context or log in; a
server has less to do."""


@dataclass(frozen=True, slots=True)
class OpeningCost:
    """Cost of one connection more. usual_s: seconds; basis_s: seconds of a request, to compare it with.

    most_times: greatest cost over the usual one; 1 where a profile measured it. what: name of the resource
    that both are seconds of ("server's CPU time"). source: what the basis rests on.
    """

    usual_s: float
    basis_s: float
    what: str
    source: Source
    most_times: float

    def share(self, a_request: float) -> float:
        """Return the share of a request that the connections cost, 0…1."""
        return min(1.0, a_request * self.usual_s / self.basis_s) if self.basis_s > 0 else 0.0

    def most(self, a_request: float) -> float:
        """Return the greatest share of a request that the connections may cost, 0…1."""
        return min(1.0, self.most_times * self.share(a_request))


ANSWERED_BADLY = ("http_4xx", "http_5xx")
"""Outcomes of failed requests that the server answered."""


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield one hypothesis for each leg with a new connection for more than a tenth of the requests."""
    for leg in legs(case):
        a_request = needless_a_request(leg)
        if a_request is not None and a_request >= TRACE:
            yield _hypothesis(case, leg, a_request)


def needless_a_request(leg: Leg) -> float | None:
    """Return the connections a request that keeping them would save; None where they were not counted.

    Connections that replace a failed one, or that a pool or the users of the load need once, are left out.
    """
    load = leg.case.load
    if leg.is_of_clients:
        sent, failed, opened = load.total(load.sent), load.total(load.failed), load.total(load.opened)
        once = max(_peak(load.users, load.is_inside), _peak(load.in_flight, load.is_inside))
    else:
        track = leg.opened
        if track is None:
            return None
        # Requests that clients gave up opened nothing behind the server that an answer did not.
        failed, opened = float(load.count(*ANSWERED_BADLY)), track.mean * leg.case.measured_s
        sent = load.total(load.ok) + failed
        kept = leg.at_source("established") or leg.at_listener("established")
        once = kept.peak if kept is not None else 0.0
    if sent <= 0:
        return 0.0
    return max(0.0, opened - failed - once) / sent


def _hypothesis(case: Case, leg: Leg, a_request: float) -> Hypothesis:
    is_load = leg.is_of_clients and (not case.load.keep_alive or case.load.model == "sessions")
    cost = _cost(case, leg)
    rate = a_request * case.load.ended_rps
    counted = f"{show_number(rate)} connections/s from {leg.name} for {show_number(case.load.ended_rps)}"
    source = case.load.source("connections.per_request")
    opened_source: Source = leg.opened.source if leg.opened is not None and not leg.is_of_clients else source
    signs = [
        Sign(
            a_request >= CHURN or (cost is not None and cost.share(a_request) >= FAIR_COST_SHARE),
            f"{counted} requests/s: {show_number(a_request)} each",
            opened_source,
            CLEAR if leg.is_of_clients else STRONG,
        ),
        _matters(leg, cost, a_request),
    ]
    if is_load:
        text = "the load asks for new connections: whether real clients keep theirs is not known"
        signs.append(Sign(None, text, case.load.source("connections.per_request")))
    most = cost.most(a_request) if cost is not None else None
    return Hypothesis(
        component="load" if is_load else leg.to,
        signs=tuple(signs),
        more=tuple(_more(leg, a_request)),
        effect=_effect(leg, a_request, rate, cost),
        mend=_mend(case, leg, is_load=is_load),
        decides=f"the same load with connections kept from {leg.name}: {_gain(cost, a_request)}",
        bound=most,
        bound_text=_formula(cost, a_request) if cost is not None else "",
        detail=_detail(leg, is_load=is_load),
        gain=without(cost.share(a_request)) if cost is not None else None,
    )


def _detail(leg: Leg, *, is_load: bool) -> str:
    if not leg.is_of_clients:
        return f"to a dependency: {leg.to}"
    if not is_load:
        return "of clients"
    return "of visitors" if leg.case.load.keep_alive else "of the load"


def _matters(leg: Leg, cost: OpeningCost | None, a_request: float) -> Sign:
    if cost is None:
        text = f"what a request costs {leg.to} or {leg.source} was not seen: watch the server's machine"
        return Sign(None, text, FormulaSource("no CPU time, no latency"))
    share, text = cost.share(a_request), f"opening them takes about {_formula(cost, a_request)}"
    if cost.most_times > 1 and share < LEAST_COST_SHARE <= cost.most(a_request):
        text += "; what one costs this very program was not seen, a profile shows it (--profile)"
        return Sign(None, text, cost.source)
    great = MEASURED_COST_SHARE if cost.most_times == 1 else GREAT_COST_SHARE
    weight = STRONG if share >= great else CLEAR if share >= FAIR_COST_SHARE else SLIGHT
    return Sign(share >= LEAST_COST_SHARE, text, cost.source, weight)


def _formula(cost: OpeningCost, a_request: float) -> str:
    parts = f"{show_number(a_request)} x {show_duration(cost.usual_s)} of {show_duration(cost.basis_s)}"
    return f"{show_share(cost.share(a_request))} of {cost.what} ({parts} a request)"


def _cost(case: Case, leg: Leg) -> OpeningCost | None:
    """Return the cost of a connection where it is greatest: CPU of a full end, else time of a request."""
    ends = [case.tiers[leg.to]] + ([] if leg.is_of_clients else [case.tiers[leg.source]])
    ended = case.load.ended_rps
    full = []
    for tier in ends:
        if tier.cpu is None or not _is_full(case, tier) or ended <= 0:
            continue
        basis_s = tier.cpu.mean / ended
        is_far = tier.name == leg.to
        usual_s = _accept_cpu_s(tier) if is_far else _open_cpu_s(tier, case.tiers[leg.to])
        what = f"{tier.name}'s CPU time"
        # The accepting end often serves the whole request from there, so a profile tells only of the opening
        # end.
        measured = None if is_far else _profiled(case, tier)
        if measured is None:
            most_times = MOST_TO_ACCEPT if is_far else MOST_TO_OPEN
            full.append(OpeningCost(usual_s, basis_s, what, tier.cpu.source, most_times))
        else:
            opening_s = measured[0] * basis_s / (leg.opened_a_request or 1.0)
            full.append(OpeningCost(opening_s, basis_s, what, measured[1], 1.0))
    opening = _in_opening(case, leg)
    if opening is not None:
        full.append(opening)
    if full:
        return max(full, key=lambda cost: cost.share(1.0))
    median_s = case.load.latency(0.5)
    if not median_s > 0:
        return None
    rtt = leg.at_source("rtt_median_s")
    trips_s = ROUND_TRIPS * rtt.median if rtt is not None else 0.0
    work_s = sum(_accept_cpu_s(t) if t.name == leg.to else _open_cpu_s(t, case.tiers[leg.to]) for t in ends)
    most_times = MOST_TO_ACCEPT if leg.is_of_clients else MOST_TO_OPEN
    return OpeningCost(work_s + trips_s, median_s, "its time", case.load.source("latency_ms"), most_times)


def _in_opening(case: Case, leg: Leg) -> OpeningCost | None:
    """Return how long opening takes, by Little's law on connections without a session; None if unknown."""
    standing, backends = leg.at_source("established"), case.tiers[leg.to].track("postgresql.backends")
    mean_s = case.load.waiting / case.load.ended_rps if case.load.ended_rps > 0 else 0.0
    if leg.is_of_clients or standing is None or backends is None or leg.opened is None or mean_s <= 0:
        return None
    # One connection may be the rig's own, and the two numbers were not read at the same moment.
    opening = standing.mean - backends.mean - 1
    if opening < IN_OPENING * standing.mean or leg.opened.mean <= 0:
        return None
    formula = (
        f"({show_number(standing.mean)} connections - {show_number(backends.mean)} sessions) /"
        f" {show_number(leg.opened.mean)} opened a second"
    )
    return OpeningCost(opening / leg.opened.mean, mean_s, "its time", FormulaSource(formula), 1.0)


IN_OPENING = 0.2
"""Share of the open connections that have no session yet, 0 to 1. Below it that may be chance."""

ROUND_TRIPS = 2
"""Round trips to open a connection: one to connect, and one for a greeting or a name."""

_OPEN_S = {"redis": 1e-3, "mariadb": 2e-3, "mysql": 2e-3, "postgresql": 2e-3}
_OPEN_OTHER_S = 0.3e-3
"""CPU time with which CPython opens and closes a connection, driver included. Measured on CPython 3.11:
redis-py 8 0.6 ms (1.2 ms with its name), PyMySQL 30 ms (it reads certificates), a socket 30 µs."""

_COMPILED_SHARE = 0.2
"""Share of CPython's time to open a connection that a compiled program or one with a JIT needs, 0 to 1: most
of it is the kernel's."""

_ACCEPT_S = {"postgresql": 3e-3, "mariadb": 0.35e-3, "mysql": 0.35e-3, "redis": 0.1e-3}
_ACCEPT_OTHER_S = 0.06e-3
"""CPU time in seconds with which a server accepts a connection. Measured: redis 7 0.1 ms, MariaDB 10.11 0.35
ms (a thread); PostgreSQL starts a process for each; a plain socket takes 0.03 ms, and a server's own
bookkeeping as much."""

_OPENING = frozenset(
    {"connect", "_connect", "on_connect", "create_connection", "do_handshake", "get_connection"}
    | {"_create_connection", "getaddrinfo", "Dial", "DialContext", "dialConn", "dialSingle", "handshake"}
)  # fmt: skip


def _open_cpu_s(source: Tier, to: Tier) -> float:
    usual_s = _OPEN_S.get(to.kind, _OPEN_OTHER_S)
    return usual_s if source.runtime == "cpython" else _COMPILED_SHARE * usual_s


def _accept_cpu_s(tier: Tier) -> float:
    return _ACCEPT_S.get(tier.kind, _ACCEPT_OTHER_S)


def _is_full(case: Case, tier: Tier) -> bool:
    """Whether CPU time is what throughput is made of: its own cores are full, or those that it shares."""
    one_at_a_time = tier.runtime in ("cpython", "node") or tier.kind == "redis"
    busiest = tier.busiest if tier.busiest is not None else tier.cpu
    if tier.cpu_share >= FULL_SHARE or bool(one_at_a_time and busiest and busiest.mean >= FULL_SHARE):
        return True
    use = use_of(case, tier)
    return use is not None and use.full_share >= FULL_SHARE and use.ours >= OURS_SHARE * use.busy


def _profiled(case: Case, tier: Tier) -> tuple[float, Source] | None:
    """Return the share of a program's CPU time that a profile saw in functions which open connections."""
    for profile in case.profiles:
        if profile.component == tier.name and profile.load == "high" and profile.summary is not None:
            shares = [
                use.total_share
                for use in profile.summary.functions
                if use.name.rpartition(".")[2] in _OPENING
            ]  # fmt: skip
            return max(shares, default=0.0), ProfileSource(tier.name, profile.path.name)
    return None


def _more(leg: Leg, a_request: float) -> Iterator[Evidence]:
    here = leg.closed_here_share
    closed = leg.at_source("closed_first") or leg.at_listener("closed_first")
    if here is not None and closed is not None and a_request >= CHURN:
        who = leg.source if here >= CHURN else leg.to
        text = f"{who} closes {show_share(max(here, 1 - here))} of them first"
        yield Evidence(text, closed.source, SLIGHT)
    ports = leg.ports
    if ports is None or leg.is_of_clients or not math.isfinite(ports.empty_after_unhelped_s):
        return
    formula = (
        f"{show_number(ports.total)} ports / {show_number(ports.rate)}/s ="
        f" {show_duration(ports.empty_after_unhelped_s)}"
    )
    hidden = ", which tcp_tw_reuse hides here" if ports.is_reused else ""
    yield Evidence(
        f"each keeps a local port for {TIME_WAIT_S:g} s: none is left after {formula}{hidden}",
        FormulaSource(formula),
        0.0,
    )


def _effect(leg: Leg, a_request: float, rate: float, cost: OpeningCost | None) -> str:
    text = f"{show_number(rate)} connections/s are opened from {leg.name}, {show_number(a_request)} a request"
    return text if cost is None else f"{text}; that takes about {_formula(cost, a_request)}"


def _gain(cost: OpeningCost | None, a_request: float) -> str:
    share = cost.share(a_request) if cost is not None else 0.0
    if share < LEAST_COST_SHARE:
        return "if this is the cause, throughput rises"
    return f"throughput should rise by up to {show_share(min(share / (1 - min(share, 0.9)), 9.0))}"


def _mend(case: Case, leg: Leg, *, is_load: bool) -> str:
    if is_load:
        return "if real clients keep connections, let the load do so (connections: {keep_alive: true})"
    to = case.tiers[leg.to]
    if leg.is_of_clients:
        worker = to.setting("--worker-class", "-k", "worker_class")
        threads = to.number("--threads", "threads") or 1
        if to.kind == "gunicorn" and worker in (None, "sync") and threads <= 1:
            return "gunicorn's sync workers close every connection: -k gthread --threads 8 --keep-alive 10"
        return "let the server keep connections (keep-alive timeout, requests a connection), or its proxy"
    if to.kind == "redis" and case.tiers[leg.source].runtime == "cpython":
        return f"one redis.ConnectionPool for the process, instead of a connection per request to {leg.to}"
    return f"a pool (or an HTTP client with keep-alive) from {leg.source} to {leg.to}"


def _peak(values: Floats, is_inside: Bools) -> float:
    inside = values[is_inside]
    return float(inside.max()) if inside.size else 0.0
