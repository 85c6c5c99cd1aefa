"""Waits of a request: for a dependency, by account or by connections, for names, or inside a component."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from loadrig.account.trial_account import ComponentAccount
from loadrig.base.component import SERVER
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.constants import FEW_INSIDE, LET_THROUGH, MOSTLY
from loadrig.judgement.evidence import STRONG, FormulaSource, SeriesSource, Sign
from loadrig.judgement.facts import dependencies, loops
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import alone
from loadrig.judgement.facts.legs import held_back_calls
from loadrig.judgement.facts.locks import waiters_of
from loadrig.judgement.facts.observed import figure
from loadrig.judgement.facts.slots import is_loop
from loadrig.judgement.facts.tier import PROXIES, Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.facts import JudgementFactsWaitsTexts
from loadrig.probes.name_lookups import NAME_SERVERS

TEXTS = texts_of(JudgementFactsWaitsTexts)

NAMES_SHARE = 0.13
"""Share of the requests in flight that wait for a name, 0 to 1, from which on that is a fault: without it a
request would take 13 % less, and throughput be 15 % higher."""

WAIT_AHEAD = 1.5
"""Requests in flight, as a factor of those at work, above which many wait ahead of the program."""

CONNECTED_SHARE = 0.2
"""Share of the requests at work that have a connection, 0 to 1, below which hardly any waits for the
dependency."""


@dataclass(frozen=True, slots=True)
class AwaitedLink:
    """Connections from a program to a dependency that its requests may wait for.

    waiting: requests that may wait for it, by the connections in use. in_hand: all that the program works on
    or waits with.
    """

    link: dependencies.DependencyLink
    waiting: float
    in_hand: float

    def excluding(self) -> Iterator[Sign]:
        """Yield the signs that requests wait for something else than the dependency, or may do so."""
        link, tier, owner = self.link, self.link.to, self.link.owner
        through, stuck, in_flight = alone(owner.case), waiters_of(owner), owner.case.load.waiting
        at_work, locked = dependencies.at_work(tier), dependencies.lock_waits(tier)
        is_kept = link.opened_a_request <= dependencies.CHURN and not figure(link.given_up) >= 1
        is_seen = tier.cpu is not None and math.isnan(at_work)
        is_guessed = is_seen and is_kept and not awaiting_by_looks(self.link) >= MOSTLY * self.waiting
        if is_guessed and through is not None and through.at_once < MOSTLY * self.waiting:
            # Kept connections of a pool are open whether or not anybody waits for them.
            text = TEXTS.requests_went_through(show_number(through.at_once))
            yield Sign(False, text, FormulaSource(TEXTS.throughput_time_request))
        elif is_guessed and _stand_inside(owner):
            met = show_number(awaiting_by_looks(self.link))
            text = TEXTS.stand_elsewhere(met, show_number(self.waiting), owner.name)
            yield Sign(False, text, FormulaSource(TEXTS.looks_at_connections))
        if stuck is not None and stuck.number >= MOSTLY * self.in_hand:
            text = TEXTS.they_wait_there(stuck.text, show_number(self.in_hand), owner.name)
            yield Sign(False, text, stuck.source)
        if (held_up := loops.held_up_share(owner)) >= loops.HELD_UP_SHARE:
            # What waits is the loop, and with it every request, also those that need nothing of it.
            source = SeriesSource(owner.name, "thread_states.threads", "state:reading")
            yield Sign(False, TEXTS.loop_waits_itself(owner.name, show_share(held_up)), source)
        held_back = held_back_calls(owner.case)
        if held_back is not None and (held_back.sender, held_back.to) == (owner.name, tier.name):
            yield Sign(False, TEXTS.still_on_the_way(show_number(held_back.number)), held_back.source)
        if locked >= MOSTLY * max(at_work, 1.0):
            yield Sign(False, TEXTS.wait_lock(show_number(locked)), dependencies.locking(tier))
        if in_flight > WAIT_AHEAD * self.in_hand:
            ahead = show_number(in_flight - self.in_hand)
            text = TEXTS.requests_waited_ahead(ahead, owner.name, link.name)
            formula = TEXTS.flight_service(f"{in_flight:.3g}", f"{self.in_hand:.3g}")
            yield Sign(None, text, FormulaSource(formula))


def awaiting_by_looks(link: dependencies.DependencyLink) -> float:
    """Return how many requests await an answer on these connections, by looks at them; 0 where not seen.

    Most requests may be fast, and all the rest stand there until they are given up.
    """
    account, component = link.owner.case.account, link.owner.case.account_of(link.owner.name)
    if account is None or component is None:
        return 0.0
    return component.awaited_ms.get(link.to.name, 0.0) / 1e3 * account.requests_per_s


@dataclass(frozen=True, slots=True)
class Awaited:
    """Dependency that takes most of a request: awaited_s of its total_s, in seconds."""

    tier: Tier
    awaited_s: float
    total_s: float


def few_let_through(case: Case, tier: Tier) -> Sign | None:
    """Return the sign that requests wait inside a component, and far fewer than wait are let through.

    None where the account does not tell. A request that is slow by itself stands inside as well, though as
    many as come do so at once.
    """
    component = case.account_of(tier.name)
    through = alone(case)
    if case.account is None or component is None or through is None:
        return None
    inside_ms = component.ms_in("inside")
    inside, rps = show_duration(inside_ms / 1e3), case.account.requests_per_s
    waiting = inside_ms / 1e3 * rps
    source = FormulaSource(TEXTS.ms_s(f"{inside_ms:.3g}", f"{rps:.3g}", f"{waiting:.3g}"))
    if waiting < FEW_INSIDE:
        return Sign(False, TEXTS.request_passed_no(inside), source)
    if inside_ms < MOSTLY * component.total_ms:
        return None
    whole, at_once = show_duration(component.total_ms / 1e3), show_number(through.at_once)
    text = TEXTS.request_passed_no_core(whole, inside, show_number(waiting), at_once)
    return Sign(through.at_once <= LET_THROUGH * waiting, text, source, STRONG)


def longest_awaited(case: Case) -> Awaited | None:
    """Return the dependency that takes most of a request, of a chain its last; None where none does."""
    server = case.account.server if case.account is not None else None
    if case.account is None or server is None or server.total_ms <= 0 or case.load.ended_rps <= 0:
        return None
    component: ComponentAccount | None = server
    passed, longest = {server.name}, None
    while component is not None:
        awaited_ms = {
            of: ms for of, ms in component.awaited_ms.items() if of in case.tiers and of not in passed
        }
        name = max(awaited_ms, key=lambda of: awaited_ms[of], default="")
        if not name or awaited_ms[name] < MOSTLY * server.total_ms:
            break
        # A proxy waits for the program that it stands before: that is no dependency.
        if case.tiers[component.name].kind not in PROXIES:
            longest = Awaited(case.tiers[name], awaited_ms[name] / 1e3, server.total_ms / 1e3)
        passed.add(name)
        component = case.account.component(name)
    return longest


def awaited_links(case: Case) -> Iterator[AwaitedLink]:
    """Yield the connections to each dependency that requests may wait for; of a chain, to its last."""
    links = [link for link in dependencies.links(case) if link.owner.kind not in PROXIES]
    awaited = [waits for link in links if (waits := _awaited(case, link)).waiting >= 1]
    for candidate in awaited:
        # A dependency that itself waits for another program is slow because of that program.
        if not any(behind.link.owner is candidate.link.to for behind in awaited):
            yield candidate


def _awaited(case: Case, link: dependencies.DependencyLink) -> AwaitedLink:
    in_hand, track = dependencies.in_service(case, link.owner), link.established
    # Connections that are opened for each request are in use while they live; kept ones may be idle.
    are_new = link.opened_a_request > dependencies.CHURN
    in_use = track.mean if track is not None and are_new else link.connections
    is_awaited = in_hand >= 2 and in_use >= CONNECTED_SHARE * in_hand
    # What was seen on the connections counts, whatever settings say of how many a program works on.
    awaiting = min(awaiting_by_looks(link), case.load.waiting)
    waiting = max(min(in_use, in_hand), awaiting) if is_awaited else 0.0
    return AwaitedLink(link, waiting, max(in_hand, waiting))


def _stand_inside(tier: Tier) -> bool:
    """Return whether requests were seen to stand inside a program most of their time, for no other one."""
    component = tier.case.account_of(tier.name)
    if component is None or not component.is_seen or not component.awaited_ms:
        return False
    return component.ms_in("inside") >= MOSTLY * component.total_ms > 0


def names_awaited(case: Case) -> Iterator[tuple[str, float, Track]]:
    """Yield each server that is asked over UDP, mostly for names: who waits for it, its questions."""
    for server, asked in case.host.parts("name_lookups.waiting").items():
        waiting = _lookups(case, asked)
        if 0 < NAMES_SHARE * case.load.waiting <= waiting:
            through = alone(case)
            if through is not None and take_the_turn(case, through.at_once):
                # Whoever waits for a turn to ask waits for the name server, which takes all turns.
                waiting = max(waiting, _inside(case))
            yield server, waiting, asked


def take_the_turn(case: Case, at_once: float) -> bool:
    """Return whether those few that the loaded server lets through at once mostly wait for names."""
    asked = case.host.parts("name_lookups.waiting").values()
    return sum(_lookups(case, track) for track in asked) >= MOSTLY * at_once


def _lookups(case: Case, asked: Track) -> float:
    """Return how many requests wait for a name, by the questions under way."""
    # Go asks for addresses of both kinds at the same time, each from a socket of its own.
    is_twice = case.server.runtime == "go" and asked.subject.endswith(NAME_SERVERS)
    return asked.mean / (2 if is_twice else 1)


def _inside(case: Case) -> float:
    """Return how many requests stand inside the loaded server; 0 where no account was made of it."""
    component = case.account_of(SERVER)
    return case.load.waiting * component.ms_in("inside") / component.total_ms if component else 0.0


def wait_for_each_other(case: Case) -> bool:
    """Return whether requests mostly wait for the locks of a database, or lie unread before a loop.

    No core tells how much more load such a server bears: they wait longer the more of them there are.
    """
    databases = [tier for tier in case.programs if tier.is_database]
    for_locks = any(case.load.share_waiting(dependencies.lock_waits(tier)) >= MOSTLY for tier in databases)
    server = case.server
    is_unread = is_loop(server) and loops.unread_share(case, server) >= MOSTLY
    return for_locks or (is_unread and loops.lain_unread(case, server) is not None)
