"""A network fitted to one trial: the stations and caps that its resources are."""

import math
from collections.abc import Iterator, Sequence

from loadrig.account.book import Account
from loadrig.base.component import SERVER
from loadrig.findings.case import Case
from loadrig.judgement import constants
from loadrig.judgement.network import Cap, Network, Station
from loadrig.judgement.resources import DEPTH, SLOTS, Resource, is_cpu

USERS = "users"
"""Name of the outermost cap: the users of a closed load, or the requests in flight of an open one."""


def network_of(case: Case, account: Account, resources: list[Resource]) -> Network:
    """Return the network of a trial. Each program's CPU time is at the tightest of its resources."""
    rps = account.requests_per_s
    stations: list[Station] = []
    bounds: list[Station] = []
    taken = _tightest(resources)
    for one in resources:
        if one.kind in SLOTS or rps <= 0:
            continue
        demand_s = one.by_requests / rps
        if demand_s < constants.LEAST_DEMAND_S:
            continue
        free_of_others = max(one.number - (one.used - one.by_requests), constants.LEAST_AT_WORK * one.number)
        station = Station(one.name, free_of_others, demand_s)
        (stations if one.name in taken else bounds).append(station)
    return Network(rps, tuple(stations), tuple(_caps(case, account, resources)), tuple(bounds))


def _caps(case: Case, account: Account, resources: Sequence[Resource]) -> Iterator[Cap]:
    """Caps around the stations, the users first. Who waits for a slot within a cap is not inside."""
    load, rps = case.load, account.requests_per_s
    users = max(1.0, load.waiting if load.is_open else max(load.mean(load.users), load.waiting))
    slots = [one for one in resources if one.kind in DEPTH and (one.used > 0 or one.waiting > 0)]
    waiting = {one.name: one.waiting if one.is_full else 0.0 for one in slots}
    think_s = max(0.0, users - load.waiting) / rps if rps > 0 else 0.0
    inside = max(1.0, users - sum(waiting.values()))
    delays_s = _delays_s(account, resources)
    yield Cap(USERS, users, inside, think_s, think_s + delays_s)
    for one in slots:
        if one.kind == "backlog":
            # Whoever is turned away comes back after a second: the others are let in.
            size = max(1.0, users - waiting[one.name])
            yield Cap(one.name, size, inside, think_s, think_s + delays_s)
            continue
        if one.kind == "connections" and waiting[one.name] < constants.WAITS * load.waiting:
            continue  # as many were open as were wanted: how many there may be is not known
        within = sum(
            waiting[other.name]
            for other in slots
            if other.component == one.component and DEPTH[other.kind] > DEPTH[one.kind]
        )
        most_s = delays_s if one.component == SERVER else math.inf
        yield Cap(one.name, max(one.number, one.used), max(1.0, one.used - within), 0.0, most_s)


DELAYS = frozenset({"connecting", "awaiting", "holding", "disk", "sending"})
"""States of a request in which it queues for nothing of the server. What it awaits of others may hold
queues."""


def _delays_s(account: Account, resources: Sequence[Resource]) -> float:
    """Seconds of a request at most that are spent where nobody queues; infinite where that was not seen."""
    server = account.server
    if server is None or not server.is_seen:
        return math.inf
    # Inside a program that does one thing at a time a request waits for its turn.
    takes_turns = any(
        one.component == server.name and one.kind in ("thread", "interpreter") for one in resources
    )
    states = DELAYS if takes_turns else DELAYS | {"inside"}
    ms = sum(line.ms for line in server.lines if line.state in states)
    return (ms + max(0.0, server.rest_ms)) / 1e3


def _tightest(resources: list[Resource]) -> set[str]:
    """Names of those where programs queue: of what one program uses at the same time, the fullest."""
    found = {one.name for one in resources if one.kind == "lock"}
    cores = [one for one in resources if one.kind == "cores"]
    for group in cores:
        assert group.use is not None
        sharers = {tier.name for tier in group.use.sharers}
        own = [one for one in resources if one.component in sharers and is_cpu(one) and one is not group]
        tighter = [one for one in own if one.share > group.share]
        found.update({one.name for one in tighter} or {group.name})
    return found
