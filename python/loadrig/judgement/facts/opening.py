"""Connections that are opened anew for requests: how many, and what part of a request they cost."""

from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    Evidence,
    FormulaSource,
    ProfileSource,
    Sign,
    Source,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import use_of
from loadrig.judgement.facts.dependencies import CHURN
from loadrig.judgement.facts.legs import Leg, legs
from loadrig.judgement.facts.load import LOAD
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsOpeningTexts
from loadrig.recording.steps import Bools, Floats

TEXTS = texts_of(JudgementFactsOpeningTexts)

TRACE = 0.1
"""Connections a request from which on they are suspected."""

OURS_SHARE = 0.8
"""Share of what all programs use of some cores that programs of the case use, 0 to 1, from which on it is
they who fill them."""

MOST_TO_OPEN, MOST_TO_ACCEPT = 3.0, 2.0
"""Greatest cost over the usual one, to open and to accept: a client may build an SSL context or log in; a
server has less to do."""

IN_OPENING = 0.2
"""Share of the open connections that have no session yet, 0 to 1. Below it that may be chance."""

ROUND_TRIPS = 2
"""Round trips to open a connection: one to connect, and one for a greeting or a name."""

OPEN_S = {"redis": 1e-3, "mariadb": 2e-3, "mysql": 2e-3, "postgresql": 2e-3}
OPEN_OTHER_S = 0.3e-3
"""CPU time with which CPython opens and closes a connection, driver included. Measured on CPython 3.11:
redis-py 8 0.6 ms (1.2 ms with its name), PyMySQL 30 ms (it reads certificates), a socket 30 µs."""

COMPILED_SHARE = 0.2
"""Share of CPython's time to open a connection that a compiled program or one with a JIT needs, 0 to 1: most
of it is the kernel's."""

ACCEPT_S = {"postgresql": 3e-3, "mariadb": 0.35e-3, "mysql": 0.35e-3, "redis": 0.1e-3}
ACCEPT_OTHER_S = 0.06e-3
"""CPU time in seconds with which a server accepts a connection. Measured: redis 7 0.1 ms, MariaDB 10.11 0.35
ms (a thread); PostgreSQL starts a process for each; a plain socket takes 0.03 ms, and a server's own
bookkeeping as much."""

OPENING = frozenset(
    {"connect", "_connect", "on_connect", "create_connection", "do_handshake", "get_connection"}
    | {"_create_connection", "getaddrinfo", "Dial", "DialContext", "dialConn", "dialSingle", "handshake"}
)  # fmt: skip
"""Functions that open a connection."""

ANSWERED_BADLY = ("http_4xx", "http_5xx")
"""Outcomes of failed requests that the server answered."""

GREAT_COST_SHARE, MEASURED_COST_SHARE, FAIR_COST_SHARE, LEAST_COST_SHARE = 0.4, 0.25, 0.2, 0.1
"""Shares of what a request costs, 0 to 1: seldom is any other single thing so great; the same where a profile
measured it; a fair share; the least that matters."""


@dataclass(frozen=True, slots=True)
class OpeningCost:
    """Cost of the connections of a leg that keeping them would save.

    a_request: connections opened for each request. usual_s: seconds that one takes; basis_s: seconds of a
    request, to compare it with. what: name of the resource that both are seconds of ("server's CPU time").
    source: what the basis rests on. most_times: greatest cost over the usual one; 1 where it was measured.
    is_of_full: whether the resource is CPU time that throughput is made of.
    """

    a_request: float
    usual_s: float
    basis_s: float
    what: str
    source: Source
    most_times: float = 1.0
    is_of_full: bool = False

    @property
    def share(self) -> float:
        """Share of a request that the connections cost, 0 to 1."""
        return credible_share(self.a_request * self.usual_s / self.basis_s) if self.basis_s > 0 else 0.0

    @property
    def most(self) -> float:
        """Greatest share of a request that the connections may cost, 0 to 1."""
        return min(1.0, self.most_times * self.share)

    @property
    def formula(self) -> str:
        """Arithmetic of the share, as text."""
        each_s = self.share * self.basis_s / self.a_request if self.a_request > 0 else self.usual_s
        each = TEXTS.x(show_number(self.a_request), show_duration(each_s), show_duration(self.basis_s))
        return TEXTS.a_request(show_share(self.share), self.what, each)


def credible_share(usual_share: float) -> float:
    """Return the share of a request that connections cost, 0 to 1, by what they usually cost.

    usual_share: their usual cost over all that a request was seen to cost. Above 1 it cannot be: they are
    cheaper here, on a faster core or with threads that are kept, by that factor at least, and by as much
    again as likely as not. In truth 0.48 and 0.41 where it was 1.94 and 2.0 (MariaDB, PHP-FPM).
    """
    return usual_share if usual_share <= 1 else max(1 / usual_share, GREAT_COST_SHARE)


def opened_share(case: Case, component: str) -> float:
    """Return the share of a request that connections cost which a component is accused of, 0 to 1."""
    costs = (cost_of(case, leg) for leg in legs(case) if accused_of(leg) == component)
    suspected = (cost for cost in costs if cost is not None and is_suspected(cost.a_request, cost))
    return max((cost.share for cost in suspected), default=0.0)


def cores_of_openers(case: Case, to: str) -> dict[str, float]:
    """Return the cores that programs usually need to open their needless connections to another, by name."""
    openers = [(leg, case.tiers[leg.source]) for leg in legs(case) if leg.to == to and not leg.is_of_clients]
    return {opener.name: _cores_of(case, leg, opener) for leg, opener in openers}


def cores_of_acceptor(case: Case, tier: Tier) -> float:
    """Return the cores that a program usually needs to accept needless connections of which it is accused."""
    cores = sum(_cores_of(case, leg, tier) for leg in legs(case) if accused_of(leg) == tier.name)
    return min(cores, tier.cpu.mean) if tier.cpu is not None else 0.0


def _cores_of(case: Case, leg: Leg, end: Tier) -> float:
    """Return the cores that the needless connections of a leg usually take at one of its ends."""
    opened, used = needless_a_request(leg), 0.0 if end.cpu is None else end.cpu.mean
    if opened is None or used <= 0:
        return 0.0
    return used * credible_share(opened * _usual_cpu_s(case, leg, end) * case.load.ended_rps / used)


def is_suspected(a_request: float, cost: OpeningCost | None) -> bool:
    """Return whether connections are worth a look: many, or few that fill what throughput is made of."""
    return a_request >= TRACE or (cost is not None and cost.is_of_full and cost.share >= FAIR_COST_SHARE)


def accused_of(leg: Leg) -> str:
    """Return who is accused of a leg's connections: the load where it asks for them, else who takes them."""
    is_asked_for = not leg.case.load.keep_alive or leg.case.load.model == "sessions"
    return LOAD if leg.is_of_clients and is_asked_for else leg.to


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
        standing = leg.at_source("established") or leg.at_listener("established")
        once = standing.peak if standing is not None else 0.0
    return max(0.0, opened - failed - once) / sent if sent > 0 else 0.0


def _peak(values: Floats, is_inside: Bools) -> float:
    inside = values[is_inside]
    return float(inside.max()) if inside.size else 0.0


def cost_matters(leg: Leg, cost: OpeningCost | None) -> Sign:
    """Return the sign that opening connections is a part of a request that matters."""
    if cost is None:
        return Sign(None, TEXTS.what_request_costs(leg.to, leg.source), FormulaSource(TEXTS.no_cpu_time))
    text = TEXTS.opening_them_takes(cost.formula)
    if cost.most_times > 1 and cost.share < LEAST_COST_SHARE <= cost.most:
        return Sign(None, text + TEXTS.what_costs_very, cost.source)
    great = MEASURED_COST_SHARE if cost.most_times == 1 else GREAT_COST_SHARE
    weight = STRONG if cost.share >= great else CLEAR if cost.share >= FAIR_COST_SHARE else SLIGHT
    return Sign(cost.share >= LEAST_COST_SHARE, text, cost.source, weight)


def who_closes(leg: Leg, a_request: float) -> Iterator[Evidence]:
    """Yield evidence of which end closes first, where most requests open a connection."""
    here, closed = leg.closed_here_share, leg.at_source("closed_first") or leg.at_listener("closed_first")
    if here is not None and closed is not None and a_request >= CHURN:
        end = leg.source if here >= CHURN else leg.to
        yield Evidence(TEXTS.closes_them_first(end, show_share(max(here, 1 - here))), closed.source, SLIGHT)


def cost_of(case: Case, leg: Leg) -> OpeningCost | None:
    """Return the cost of a leg's connections where it is greatest: CPU of a full end, else time of a request.

    None where no connection was counted, or neither CPU time nor response time was seen.
    """
    a_request = needless_a_request(leg)
    if a_request is None:
        return None
    costs = [*_of_full_ends(case, leg, a_request), *_in_opening(case, leg, a_request)]
    if costs:
        return max(costs, key=lambda cost: cost.share)
    median_s = case.load.latency(0.5)
    if not median_s > 0:
        return None
    rtt = leg.at_source("rtt_median_s")
    trips_s = ROUND_TRIPS * rtt.median if rtt is not None else 0.0
    work_s = sum(_usual_cpu_s(case, leg, end) for end in _ends(case, leg))
    most_times = MOST_TO_ACCEPT if leg.is_of_clients else MOST_TO_OPEN
    source = case.load.source("latency_ms")
    return OpeningCost(a_request, work_s + trips_s, median_s, TEXTS.its_time, source, most_times)


def _ends(case: Case, leg: Leg) -> list[Tier]:
    """Return the programs at the ends of a leg, who accepts first; the generator is none of them."""
    return [case.tiers[leg.to]] + ([] if leg.is_of_clients else [case.tiers[leg.source]])


def _usual_cpu_s(case: Case, leg: Leg, end: Tier) -> float:
    """Return the CPU time in seconds that one connection usually takes at an end of a leg."""
    to = case.tiers[leg.to]
    if end is to:
        return ACCEPT_S.get(to.kind, ACCEPT_OTHER_S)
    return OPEN_S.get(to.kind, OPEN_OTHER_S) * (1.0 if end.runtime == "cpython" else COMPILED_SHARE)


def _of_full_ends(case: Case, leg: Leg, a_request: float) -> Iterator[OpeningCost]:
    """Yield what connections cost each end of which CPU time is what throughput is made of."""
    for tier in _ends(case, leg):
        if tier.cpu is None or not _is_full(case, tier) or case.load.ended_rps <= 0:
            continue
        basis_s, what = tier.cpu.mean / case.load.ended_rps, TEXTS.cpu_time(tier.name)
        usual_s = _usual_cpu_s(case, leg, tier)
        is_accepting = tier.name == leg.to
        # The accepting end often serves the whole request from there, so a profile tells only of the opening
        # end.
        measured = None if is_accepting else _profiled(case, tier)
        if measured is None:
            most_times = MOST_TO_ACCEPT if is_accepting else MOST_TO_OPEN
            yield OpeningCost(a_request, usual_s, basis_s, what, tier.cpu.source, most_times, is_of_full=True)
        else:
            opening_s = measured[0] * basis_s / (leg.opened_a_request or 1.0)
            yield OpeningCost(a_request, opening_s, basis_s, what, measured[1], is_of_full=True)


def _is_full(case: Case, tier: Tier) -> bool:
    """Return whether CPU time is what throughput is made of: own cores are full, or those that it shares."""
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
            functions = profile.summary.functions
            shares = [use.total_share for use in functions if use.name.rpartition(".")[2] in OPENING]
            return max(shares, default=0.0), ProfileSource(tier.name, profile.path.name)
    return None


def _in_opening(case: Case, leg: Leg, a_request: float) -> Iterator[OpeningCost]:
    """Yield how long opening takes, by Little's law on connections that have no session yet."""
    standing, backends = leg.at_source("established"), case.tiers[leg.to].track("postgresql.backends")
    mean_s = case.load.waiting / case.load.ended_rps if case.load.ended_rps > 0 else 0.0
    if leg.is_of_clients or standing is None or backends is None or leg.opened is None or mean_s <= 0:
        return
    # One connection may be the rig's own, and the two numbers were not read at the same moment.
    opening = standing.mean - backends.mean - 1
    if opening >= IN_OPENING * standing.mean and leg.opened.mean > 0:
        formula = TEXTS.connections_sessions_opened(
            show_number(standing.mean), show_number(backends.mean), show_number(leg.opened.mean)
        )
        opening_s = opening / leg.opened.mean
        yield OpeningCost(a_request, opening_s, mean_s, TEXTS.its_time, FormulaSource(formula))
