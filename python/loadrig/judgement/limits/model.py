"""A network fitted to one trial: the stations and caps that its resources are."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from loadrig.account.trial_account import Account, ComponentAccount
from loadrig.base.component import SERVER
from loadrig.judgement import constants
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.slots import schedules_itself
from loadrig.judgement.limits.ceilings import near_limit
from loadrig.judgement.limits.kinds import (
    DEPTH,
    IN_HAND,
    SLOTS,
    Resource,
    background_of,
    compiling,
    crowd_at,
    is_cpu,
    is_used_up,
    number_in,
)
from loadrig.judgement.limits.network import Cap, Network, Station

CHEAPER = 0.9
"""Cost of a request near the limit over its mean cost, up to which the load varied enough to show the
former."""

GAVE_UP = 0.05
"""Share of the requests that their clients gave up, 0 to 1, from which on steps do not tell what others cost:
half of the share by which CHEAPER is below 1."""

USERS = "users"
"""Name of the outermost cap: the users of a closed load, or the requests in flight of an open one."""


def network_of(case: Case, account: Account, resources: list[Resource]) -> Network:
    """Return the network of a trial. Each program's CPU time is at the tightest of its resources."""
    rps = account.requests_per_s
    stations: list[Station] = []
    bounds: list[Station] = []
    tightest = _tightest(resources)
    for resource in resources:
        if resource.kind in SLOTS or rps <= 0:
            continue
        near_limit = _cost_near_limit(case, account, resource) if is_cpu(resource) else 1.0
        demand_s = resource.by_requests / rps * near_limit
        if demand_s < constants.LEAST_DEMAND_S:
            continue
        for_none = resource.used - resource.by_requests
        if resource.kind == "cores" and not resource.is_full:  # who has warmed up compiles no more
            for_none -= sum(compiling(account, name) for name in resource.sharers)
        left = max(
            resource.left(max(0.0, for_none)),
            _left_by_others(case, account, resource, resources),
        )
        # Of an even load nobody has seen what a request costs where there is more to do.
        station = Station(resource.name, left, demand_s, is_cpu(resource) and near_limit > CHEAPER)
        (stations if resource.name in tightest else bounds).append(station)
    return Network(rps, tuple(stations), tuple(_caps(case, account, resources)), tuple(bounds))


def _cost_near_limit(case: Case, account: Account, resource: Resource) -> float:
    """Return what a request costs near the limit over what it costs on average; 1 where the load is even.

    Where clients gave up, more of them at a time make no request cheaper: nobody worked on theirs then.
    """
    if case.load.count("timeout") > GAVE_UP * case.load.finished:
        return 1.0
    used = np.zeros(case.is_inside.size)
    for tier in case.programs:
        if tier.cpu is not None and resource.is_used_by(tier.name):
            used = used + np.maximum(0.0, tier.cpu.values - background_of(account, tier.name))
    ended = case.load.ok + case.load.failed + case.load.logins
    inside = case.is_inside & np.isfinite(used)
    used, ended = used[inside], ended[inside]
    if not used.sum() > 0 or not ended.sum() > 0:
        return 1.0
    near = near_limit(ended)
    return float(used[near].sum() / ended[near].sum() * ended.sum() / used.sum())


def _left_by_others(case: Case, account: Account, cpu: Resource, resources: Sequence[Resource]) -> float:
    """Return the cores that neighbours would leave a program whose requests queue for slots instead; else 0.

    Neighbours take what it does not ask for, and give way where it asks for more. How much of what it can
    have it uses then shows in how many of its requests run or are ready to: L = u / (1 - u), as in M/M/1.
    """
    server = account.server
    unsent = number_in(account, server, "generator") if server is not None else 0.0
    is_elsewhere = any(
        (
            slot.kind in ("connections", "places")
            or (slot.kind == "slots" and _are_away(account, slot.component))
        )
        and cpu.is_used_by(slot.component)
        and slot.is_full
        and slot.waiting >= constants.MOSTLY * min(crowd_at(case, account, slot), case.load.waiting - unsent)
        for slot in resources
    )
    users = [part for part in account.components if cpu.is_used_by(part.name)]
    if not is_elsewhere or not users or cpu.kind != "cores":
        return 0.0
    ready = sum(number_in(account, component, "running", "runnable") for component in users)
    return min(cpu.number, cpu.by_requests * (1 + ready) / ready) if ready > 0 else cpu.number


def _are_away(account: Account, name: str) -> bool:
    """Return whether requests in a component's hands mostly wait for others or a time, and hardly for a core.

    As little as they wait for one, its neighbours cost them no harm.
    """
    component = account.component(name)
    if component is None:
        return False
    in_hand = number_in(account, component, *IN_HAND)
    threads = component.slots.states
    asleep = sum(each.number for each in threads if (each.slot, each.state) == ("threads", "sleeping"))
    away = number_in(account, component, "awaiting")
    away += min(asleep, number_in(account, component, "inside"))
    is_held_up = number_in(account, component, "runnable") >= constants.WAITS * in_hand
    return away >= constants.MOSTLY * in_hand > 0 and not is_held_up


def _caps(case: Case, account: Account, resources: Sequence[Resource]) -> Iterator[Cap]:
    """Caps around the stations, the users first. Who waits for a slot within a cap is not inside."""
    load, rps = case.load, account.requests_per_s
    users = max(1.0, load.waiting if load.is_open else max(load.mean(load.users), load.waiting))
    slots = [slot for slot in resources if slot.kind in DEPTH and (slot.used > 0 or slot.waiting > 0)]
    waiting = {slot.name: slot.waiting if slot.is_full else 0.0 for slot in slots}
    think_s = max(0.0, users - load.waiting) / rps if rps > 0 else 0.0
    inside = max(1.0, users - sum(waiting.values()))
    delays_s = _delays_s(case, account, resources)
    # What an open load leaves standing becomes more and more: no number of users ends its throughput.
    is_flooded = load.is_open and bool({"short", "queueing"} & set(case.harms))
    outside_s = 0.0 if is_flooded else delays_s
    yield Cap(USERS, users, inside, think_s + _beside_locks_s(account, resources), think_s + outside_s)
    for slot in slots:
        if slot.kind == "backlog":
            # Whoever is turned away comes back after a second: the others are let in.
            size = max(1.0, users - waiting[slot.name])
            yield Cap(slot.name, size, inside, think_s, think_s + outside_s)
            continue
        if slot.kind == "connections" and waiting[slot.name] < constants.WAITS * crowd_at(
            case, account, slot
        ):
            continue  # as many were open as were wanted: how many there may be is not known
        within = sum(
            waiting[other.name]
            for other in slots
            if other.component == slot.component and DEPTH[other.kind] > DEPTH[slot.kind]
        )
        most_s = delays_s if slot.component == SERVER else math.inf
        # What clients hold who send nothing is no place for the load's requests.
        size = max(1.0, max(slot.number, slot.used) - slot.for_none)
        yield Cap(slot.name, size, max(1.0, slot.by_requests - within), 0.0, most_s)


def _beside_locks_s(account: Account, resources: Sequence[Resource]) -> float:
    """Return the seconds of a request in hand that it spends neither at a lock nor at a core.

    Where a lock is never free, throughput does not tell what a request does beside it: those that wait are
    counted, and of the others one has the lock. 0 where no lock is full, or nobody was seen to wait. A loop
    that is held up lets requests wait everywhere.
    """
    rps, times_s = account.requests_per_s, []
    for lock in resources:
        component = account.component(lock.component)
        if component is None or lock.cause != "lock_contention" or not (lock.waiting > 0 and rps > 0):
            continue
        at_cores = number_in(account, component, "running", "runnable")
        in_hand = number_in(account, component, *IN_HAND)
        times_s.append(max(0.0, in_hand - lock.waiting - lock.used - at_cores) / rps)
    return min(times_s, default=0.0)


DELAYS = frozenset({"connecting", "awaiting", "holding", "disk", "sending"})
"""States of a request in which it queues for nothing of the server. What it awaits of others that were not
seen may hold queues."""

TAKEN_IN_TURNS = frozenset({"thread", "interpreter", "lock"})
"""Kinds of resources that requests inside a program wait for."""


def _delays_s(case: Case, account: Account, resources: Sequence[Resource]) -> float:
    """Seconds of a request at most that are spent where nobody queues; infinite where that was not seen."""
    server = account.server
    if server is None or not server.is_seen:
        return math.inf
    return _delays_ms(case, account, server, resources, ()) / 1e3


def _delays_ms(
    case: Case,
    account: Account,
    component: ComponentAccount,
    resources: Sequence[Resource],
    ahead: tuple[str, ...],
) -> float:
    """Milliseconds of a request at a component that are spent where nobody queues.

    Inside a program that does one thing at a time, and has always something to do, a request waits for its
    turn; so it does on a full core where the program itself keeps those that are ready to run. A wait for a
    dependency is as much of a queue as the dependency's own account shows. ahead: components that wait.
    """
    tier, path = case.tiers[component.name], (*ahead, component.name)
    wanted = number_in(account, component, "running", "runnable")
    keeps_ready = wanted >= constants.FULL and schedules_itself(tier)
    takes_turns = any(
        each.is_full
        and (
            (each.kind in TAKEN_IN_TURNS and each.component == tier.name)
            or (each.kind == "cores" and each.is_used_by(tier.name) and keeps_ready)
        )
        for each in resources
    )
    ms = max(0.0, component.rest_ms)
    for line in component.lines:
        behind = account.component(line.of) if line.state == "awaiting" else None
        has_cores = any(each.kind == "cores" and each.is_used_by(line.of) for each in resources)
        if behind is not None and behind.name not in path and behind.is_seen and has_cores:
            delays_ms = _delays_ms(case, account, behind, resources, path)
            ms += line.ms * (min(1.0, delays_ms / behind.total_ms) if behind.total_ms > 0 else 1.0)
        elif line.state in DELAYS or (line.state == "inside" and not takes_turns):
            ms += line.ms
    return ms


def _tightest(resources: list[Resource]) -> set[str]:
    """Names of those where programs queue: of what one program uses at the same time, the fullest."""
    names = {resource.name for resource in resources if resource.kind == "lock"}
    cores = [resource for resource in resources if resource.kind == "cores"]
    for group in cores:
        assert group.use is not None
        sharers = {tier.name for tier in group.use.sharers}
        own = [
            resource
            for resource in resources
            if resource.component in sharers and is_cpu(resource) and resource is not group
        ]
        tighter = [resource for resource in own if resource.share > group.share or is_used_up(resource)]
        names.update({resource.name for resource in tighter} or {group.name})
    return names
