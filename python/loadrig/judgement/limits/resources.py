"""The resources that requests use, by component: how much there is, how much was in use, and who waited."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np

from loadrig.account.document import SlotDocument
from loadrig.account.population import Held
from loadrig.account.slots import ComponentSlots
from loadrig.account.trial_account import Account, ComponentAccount
from loadrig.judgement import constants
from loadrig.judgement.constants import FAIR_SHARE
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.carriers import carries_load
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import Use, are_wanted_in_bursts, use_of
from loadrig.judgement.facts.dependencies import opened_for_calls
from loadrig.judgement.facts.garbage import collections_of
from loadrig.judgement.facts.legs import namespaces
from loadrig.judgement.facts.load import CONNECT_MODES_S
from loadrig.judgement.facts.pools import pools
from loadrig.judgement.facts.quota import biggest, parallel_of, quota_of
from loadrig.judgement.facts.slots import accepted, is_door_full, is_loop, queued, slots_of
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.timeline import Track
from loadrig.judgement.limits.internal import (
    ONE_CONNECTION,
    asking_share,
    blocked_loop,
    capped,
    is_single_connection,
    speaks_http,
    threads_of,
    wait_in_threads,
)
from loadrig.judgement.limits.kinds import IN_HAND, Resource, background_of, compiling, number_in
from loadrig.judgement.limits.neighbours import left_by_others
from loadrig.judgement.limits.serial import turns


def resources_of(case: Case, account: Account, standing: Iterable[Finding] = ()) -> list[Resource]:
    """Return every resource of every component that was seen. standing: causes that stand by signs alone."""
    resources = [*_cores(case, account), *_backlogs(case), *turns(case, standing)]
    for tier in case.programs:
        component = account.component(tier.name) or _unseen(tier.name)
        background = background_of(account, tier.name)
        resources += _quota(case, tier, background)
        blocked = list(blocked_loop(component, tier))
        resources += blocked or _serial_threads(component, tier, background)
        resources += _slots(case, account, component, tier, resources)
        resources += _connections(case, account, component, tier)
        resources += capped(case, account, component, tier, resources)
    return _without_doubles(resources)


def _without_doubles(resources: Iterable[Resource]) -> list[Resource]:
    """Return the resources, each name once: the one at which more are known to wait.

    A lock is known by signs of its own, and by how few requests a program lets through.
    """
    by_name: dict[str, Resource] = {}
    for resource in resources:
        other = by_name.setdefault(resource.name, resource)
        if resource.waiting > other.waiting:
            by_name[resource.name] = resource
    return list(by_name.values())


def _unseen(component: str) -> ComponentAccount:
    """Return the account of a component of which no request was seen."""
    return ComponentAccount(component, 0.0, None, (), 0.0, None, ComponentSlots((), ()))


def _cores(case: Case, account: Account) -> Iterator[Resource]:
    """Cores that programs share, once each, by the program that used most of them."""
    groups: dict[tuple[str, tuple[int, ...]], tuple[Tier, Use]] = {}
    for tier in case.programs:
        use = use_of(case, tier) if tier.cpu is not None else None
        if use is None or tier.cpu is None:
            continue
        key = (tier.host, use.cores)
        best = groups.get(key)
        if best is None or (best[0].cpu is not None and best[0].cpu.mean < tier.cpu.mean):
            groups[key] = (tier, use)
    for tier, use in groups.values():
        number = float(len(use.cores))
        foreign = use.foreign if math.isfinite(use.foreign) else 0.0
        yielded = left_by_others(case, use)
        used = use.busy + use.interrupts + use.stolen - yielded
        for_none = use.stolen + foreign - yielded
        for_none += sum(
            background_of(account, tier.name) + compiling(account, tier.name) for tier in use.sharers
        )
        is_full = used >= constants.FULL * number and use.wanted >= FAIR_SHARE * number
        sharers = tuple(sharer.name for sharer in use.sharers)
        yield Resource(
            "cores", tier.name, number, used, is_full,
            use=use, for_none=min(used, for_none), sharers=sharers, yielded=yielded,
        )  # fmt: skip


def _quota(case: Case, tier: Tier, background: float) -> Iterator[Resource]:
    """Yield the quota of a control group, by the program that uses most of it."""
    quota = quota_of(case, tier)
    if quota is None or tier.quota >= tier.places or biggest(quota) is not tier or quota.is_full is None:
        return
    parallel = parallel_of(tier)
    has_excess = parallel is not None and quota.is_exceeded_by(parallel)
    is_cut = quota.still_share >= constants.STILL_SHARE and not has_excess
    is_full = quota.is_full or quota.used_share >= constants.FULL or is_cut
    sharers = tuple(sharer.name for sharer in quota.sharers)
    gain = 1 / (1 - min(quota.still_share, constants.FULL)) if is_cut else 1.0
    yield Resource(
        "quota", tier.name, quota.cores, quota.used, is_full,
        for_none=background, sharers=sharers, counted_gain=gain,
    )  # fmt: skip


def _serial_threads(component: ComponentAccount, tier: Tier, background: float) -> Iterator[Resource]:
    """Yield the interpreter lock, or the one thread of an event loop, of each process that serves."""
    states = {(state.slot, state.state): state.number for state in component.slots.states}
    held, waiting = _lock_of(tier, states)
    at_work = [
        track.mean for track in tier.parts("process.cpu_s").values() if track.mean >= constants.LEAST_AT_WORK
    ]
    processes = float(max(1, len(at_work)))
    if held is not None and waiting >= constants.WANTING:
        # Of the busiest process; its siblings are like it where they serve together.
        is_full = held >= constants.FULL
        used = held * processes
        yield Resource(
            "interpreter",
            tier.name,
            processes,
            used,
            is_full,
            waiting * processes,
            for_none=min(used, background),
        )
        return
    running, runnable = (
        states.get(("busiest_thread", "running")),
        states.get(("busiest_thread", "runnable"), 0.0),
    )
    if running is None or tier.cpu is None or not at_work:
        return
    # Where other threads of the busiest process work as well, no thread is all that there is.
    if running + constants.IN_OTHER_THREADS < max(at_work):
        return
    # A thread that waits for a core has none free; of the core it uses what it runs.
    used, is_full = running * processes, running + runnable >= constants.FULL
    yield Resource("thread", tier.name, processes, used, is_full, for_none=min(used, background))


def _lock_of(tier: Tier, states: Mapping[tuple[str, str], float]) -> tuple[float | None, float]:
    """Return the share of time that an interpreter's lock was held, and the threads that waited for it."""
    held = states.get(("interpreter", "held"))
    looks, waiting = tier.track("python.gil_share"), tier.track("python.waiting_threads")
    if held is not None or waiting is None or tier.busiest is None:
        return held, states.get(("interpreter", "waiting"), 0.0)
    return max(tier.busiest.mean, looks.mean if looks is not None else 0.0), waiting.mean


def _backlogs(case: Case) -> Iterator[Resource]:
    """Queues of listeners that turned somebody away, each of whom knocks again after a second."""
    for space in namespaces(case):
        turned = space.track("listen_overflows")
        if turned is None or turned.mean <= 0:
            continue
        fullest = max(space.accept_queues, key=lambda queue: queue.filled_share, default=None)
        if fullest is not None and fullest.tier is not None:
            waiting = min(turned.mean * CONNECT_MODES_S[0], case.load.waiting)
            yield Resource("backlog", fullest.tier.name, 1.0, 1.0, True, waiting)


def _slots(
    case: Case, account: Account, component: ComponentAccount, tier: Tier, resources: Sequence[Resource]
) -> Iterator[Resource]:
    """Yield workers that hold a request each, where requests wait to be taken up.

    resources: those that are known.
    """
    if tier.keeps_data:
        return  # each session has a process or thread of its own: who waits to be read waits for a core
    at_door = queued(tier)
    to_clients = 0.0
    if at_door is None or np.mean(at_door.inside >= constants.ONE_IN_HAND) >= constants.FULL_OF_TIME:
        # Workers that at times leave nobody waiting have time to wait for their clients then.
        to_clients = max(_reading_clients(case, tier), _idle_connections(component, tier, at_door))
    # Who gave up waits in the queue all the same, and is taken up: the account knows of requests alone.
    waiting = max(
        number_in(account, component, "accept_queue", "unread"), at_door.mean if at_door is not None else 0.0
    )
    # Whoever finds the queue full waits for the same workers, and knocks again until one is free.
    outside = case.load.waiting - number_in(account, component, *IN_HAND) if is_door_full(tier) else 0.0
    held: Held | None = next((each for each in case.held if each.component == component.name), None)
    if held is not None:
        number = held.number
        used = held.used_share * number
        # A loop that comes round takes up whoever waits: with a steady number in hand it is held up by calls.
        cause = "blocked_event_loop" if is_loop(tier) else ""
        yield Resource(
            "slots", component.name, number, used, True, max(waiting, outside),
            for_none=min(used, to_clients), cause=cause,
        )  # fmt: skip
        return
    workers = next(iter(component.slots.kind("workers")), None)
    if workers is None and not component.is_seen:
        yield from _slots_by_settings(case, tier)
        return
    if workers is None and is_loop(tier):
        return  # it has any number in hand: who waits to be taken up waits for its thread, or for a core
    if workers is None:
        # Threads that read from clients hold no request, and take up none meanwhile.
        in_hand = number_in(account, component, *IN_HAND)
        if 0 < sum(threads_of(component).values()) < in_hand:
            return  # nor has it workers of a request each, whatever it is written in
        occupied = in_hand + to_clients
        use, on_cores = use_of(case, tier), number_in(account, component, "running", "runnable")
        need_cores = on_cores >= constants.MOSTLY * in_hand
        if not to_clients and need_cores and use is not None and are_wanted_in_bursts(case, use):
            return  # whoever is taken up waits for a core next
        if any(each.kind == "quota" and each.is_full and each.is_used_by(tier.name) for each in resources):
            return  # and here for the next period
        is_crowd = waiting >= constants.CROWDED * occupied or _wait_beside_cores(case, tier, use, waiting)
        if occupied >= constants.ONE_IN_HAND and is_crowd:
            yield Resource(
                "slots", component.name, occupied, occupied, True, max(waiting, outside), for_none=to_clients
            )
        return
    used = component.slots.number("workers", "in_hand")
    is_full = (workers.full_share or 0.0) >= constants.FULL_OF_TIME
    if waiting >= constants.CROWDED * max(workers.number, constants.ONE_IN_HAND):
        # A free worker takes up who waits: whatever its sockets look like, none is free.
        used, is_full = workers.number, True
    waiting = max(waiting, outside) if is_full else waiting
    yield Resource(
        "slots", component.name, workers.number, used, is_full, waiting, for_none=min(used, to_clients)
    )


def _wait_beside_cores(case: Case, tier: Tier, use: Use | None, waiting: float) -> bool:
    """Return whether more requests wait to be taken up than its cores, its heap or its interpreter hold up.

    A program that has a core free, and a thread for it, reads what comes at once.
    """
    if use is None or tier.cpu is None or _fills_a_core(tier):
        return False
    busy = max(use.met, use.busy + use.interrupts + use.stolen) / len(use.cores)
    if busy >= constants.FULL:
        return False
    delay, garbage = tier.track("process.run_delay_s", "tree"), collections_of(case, tier)
    # Whoever queues for cores that are so busy, as in M/M/1, or was seen to; and whom a collection stops.
    by_cores = max(busy / (1 - busy), delay.mean if delay is not None else 0.0)
    by_pauses = garbage.share * case.load.waiting if garbage is not None else 0.0
    beside = waiting - by_cores - by_pauses
    return beside >= max(constants.FEW_INSIDE, constants.WAITS * case.load.waiting)


def _slots_by_settings(case: Case, tier: Tier) -> Iterator[Resource]:
    """Yield the workers that a program's settings or readings tell of, where no request was seen in it."""
    slots = slots_of(tier) if carries_load(case, tier) else None
    if slots is None or not math.isfinite(slots.number):
        return
    if slots.kind == "threads" and tier.runtime == "cpython" and _fills_a_core(tier):
        return  # its threads wait for each other
    used = min(case.load.waiting, slots.number) if slots.busy is None else slots.busy.mean
    waiting = max(0.0, case.load.waiting - slots.number)
    is_full = used >= constants.FULL * slots.number and waiting >= constants.WAITS * case.load.waiting
    yield Resource("slots", tier.name, slots.number, used, is_full, waiting)


def _fills_a_core(tier: Tier) -> bool:
    return tier.busiest is not None and tier.busiest.mean >= constants.FULL


def _reading_clients(case: Case, tier: Tier) -> float:
    """Return how many threads wait for bytes of a client: of a request that comes slowly, or not at all.

    Behind another program of the map there are none: it hands on whole requests.
    """
    if any(edge.to == tier.name and edge.source in case.tiers for edge in case.edges):
        return 0.0
    return sum(
        track.mean
        for subject, track in tier.parts("thread_states.waits").items()
        if subject.startswith("reading in:")
    )


def _is_shared(case: Case, of: str, number: float) -> bool:
    """Return whether requests ask over one connection side by side, so that none waits for it.

    Clients of redis for Node and the JVM (node-redis, ioredis, Lettuce) send all commands over one.
    """
    to = case.tiers.get(of)
    return to is not None and to.kind == "redis" and number <= ONE_CONNECTION


def _idle_connections(component: ComponentAccount, tier: Tier, at_door: Track | None) -> float:
    """Return how many workers idle connections keep: each worker has one, and others wait to be accepted.

    A server that waits for several connections at once would take up those that wait.
    """
    workers = next((slot.number for slot in component.slots.kind("workers")), 0.0)
    idle, in_hand = tier.track("socket_stages.idle", f"in:{tier.port}"), accepted(tier)
    if idle is None or at_door is None or not workers > 0 or at_door.mean < constants.ONE_IN_HAND:
        return 0.0
    return min(idle.mean, workers) if in_hand <= constants.AS_MANY * workers else 0.0


def _in_use(component: ComponentAccount, slot: SlotDocument) -> float:
    """Return how many connections of a pool had a request on them, on average."""
    idle = component.slots.number(slot.slot, "idle", "unclear", "closing", of=slot.of)
    return max(0.0, slot.number - idle)


def _held_across_calls(
    case: Case, component: ComponentAccount, slots: Sequence[SlotDocument]
) -> SlotDocument | None:
    """Return the database's pool whose connections are held while others are asked by HTTP; None without one.

    Its sessions say that they stand in a transaction, as many as others are asked. Where they say nothing, a
    connection in a transaction is idle to its socket. But then as many requests are at the database and at
    the others together as it has connections; and clients of HTTP open as many as are asked for.
    """
    calls = [slot for slot in slots if speaks_http(case, slot.of)]
    called = sum(_in_use(component, slot) for slot in calls)
    for slot in slots:
        to = case.tiers.get(slot.of)
        if to is None or not to.is_database or not calls:
            continue
        used = _in_use(component, slot)
        at_once = used + called
        if called < constants.ONE_IN_HAND:
            continue
        stands = component.slots.number(slot.slot, "in_transaction", of=slot.of)
        is_pool_full = used >= constants.FULL * slot.number and stands >= constants.MOSTLY * called
        if is_pool_full and called <= slot.number:
            return slot
        is_in_between = used < constants.FULL * slot.number
        if is_in_between and constants.FULL * slot.number <= at_once <= constants.AS_MANY * slot.number:
            return slot
    return None


def _connections(case: Case, account: Account, component: ComponentAccount, tier: Tier) -> Iterator[Resource]:
    """Yield pools: those that tell of themselves, else connections of which hardly any is ever free."""
    telling = pools(tier, "connections")
    for pool in telling:
        used, waiting = pool.used.mean, pool.waiting.mean if pool.waiting is not None else 0.0
        is_full = used >= constants.FULL_SHARE * pool.limit and waiting >= 1
        behind = next((callee.name for callee in tier.callees if callee.is_database), "")
        yield Resource("connections", tier.name, pool.limit, used, is_full, waiting, behind or pool.name)
    if telling:
        return
    waiting, no_pools = number_in(account, component, "inside"), opened_for_calls(case, tier)
    slots = [
        slot
        for slot in component.slots.kind("connections")
        if slot.number >= constants.A_CONNECTION
        and not _is_shared(case, slot.of, slot.number)
        and slot.of not in no_pools
        and component.slots.number(slot.slot, "connecting", of=slot.of)
        < constants.MOSTLY * slot.number  # they wait at the door
    ]
    held = _held_across_calls(case, component, slots) if waiting >= constants.FEW_INSIDE else None
    for slot in slots:
        used = _in_use(component, slot)
        # A crowd inside takes what is given back at once: one connection is free only on its way there.
        full_of_use = constants.FULL if waiting >= slot.number else constants.FULL_OF_USE
        is_full = (slot.full_share or 0.0) >= constants.FULL_OF_TIME or used >= full_of_use * slot.number
        if held is not None:
            # Whoever has a connection of the database asks others meanwhile, over as many as are wanted.
            is_full = slot is held
            used = slot.number if is_full else used
        if is_single_connection(case, slot):
            if is_full and waiting >= constants.FEW_INSIDE:
                is_held_up = is_loop(tier) and asking_share(component, tier) < constants.MOSTLY
                cause = "blocked_event_loop" if is_held_up else "lock_contention"
                yield Resource("lock", component.name, 1.0, used, is_full, waiting, cause=cause)
            continue
        if is_full and waiting >= constants.FEW_INSIDE and wait_in_threads(component, slot.number, waiting):
            yield Resource(
                "places", component.name, slot.number, used, is_full, waiting, cause="too_few_workers"
            )
            continue
        yield Resource(
            "connections", component.name, slot.number, used, is_full,
            waiting if is_full else 0.0, slot.of,
        )  # fmt: skip
