"""Caps that hold requests up inside a program that has cores enough: a lock, a pool, a blocked event loop.

Such a cap is not seen itself. It shows in that many requests stand inside on no core, no disk and for no
dependency, while few of them are let through at a time: throughput times the time of a request alone.
Source: Little 1961; Denning & Buzen 1978, the utilisation law.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from loadrig.account.document import SlotDocument
from loadrig.account.trial_account import Account, ComponentAccount
from loadrig.base.component import SERVER
from loadrig.judgement import constants
from loadrig.judgement.constants import MOSTLY
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import answered_alone
from loadrig.judgement.facts.cores import most_ready
from loadrig.judgement.facts.legs import held_back_calls
from loadrig.judgement.facts.slots import is_loop, serving
from loadrig.judgement.facts.tier import OVER_HTTP, PROXIES, Tier
from loadrig.judgement.facts.waits import take_the_turn
from loadrig.judgement.limits.kinds import IN_HAND, Kind, Resource, is_cpu, number_in

WITHOUT_CAP = ("go", "node")
"""Runtimes whose HTTP clients open as many connections as are asked for unless told otherwise, so that those
which stay open are no cap. Source: `MaxConnsPerHost` of Go's net/http, `maxSockets` of Node's http.Agent."""

ONE_CONNECTION = 1.5
"""Mean number of connections, up to which there is one: a second one stands there for moments."""

AT_WORK = ("running", "runnable", "sleeping", "disk")
"""States of a thread that works on a request inside its program."""

ONE_AT_A_TIME = ("lock_contention", "blocked_event_loop")
"""Causes of a cap that lets one request through at a time."""

ONE_LOOP = ("cpython", "node")
"""Runtimes of which a process that serves in an event loop has one of them."""

FEWEST_HANDED_OVER = 2.0
"""Number of threads beside event loops from which on they are an executor: one may be a timer's."""

A_READER = 0.5
"""Mean number of threads of a name that read an answer, from which on threads of that name ask for requests:
of others one may read a pipe at times."""

STANDING = ("futex", "lock")
"""States of a thread that holds a request and waits for another thread."""


def capped(
    case: Case, account: Account, component: ComponentAccount, tier: Tier, resources: Sequence[Resource]
) -> Iterator[Resource]:
    """Yield the cap inside a program, where requests stand at one. resources: those already known."""
    if tier.keeps_data:  # its sessions wait in ways that differ from those of a program: see row_lock
        return
    if not case.load.ok_rps > 0:  # a cap lets some through; where none get through see standstill
        return
    own = [resource for resource in resources if resource.is_used_by(tier.name)]
    if any(res.is_full for res in own if res.kind in ("connections", "places")):
        return
    if any(_is_full(res) and _is_wanted(account, component, tier, res) for res in own if is_cpu(res)):
        return
    if any(resource.is_kept_by_clients for resource in own):  # they stand inside, and wait for nothing there
        return
    if any(resource.is_turn_at_disk for resource in own):  # what they stand inside for is known
        return
    inside = number_in(account, component, "inside")
    if inside < constants.FEW_INSIDE:
        return
    if inside < constants.MOSTLY * number_in(account, component, *IN_HAND):
        return
    calls = held_back_calls(case)
    if calls is not None and calls.to == tier.name:  # it has not got the whole call
        return
    at_a_time = _let_through(case, component, tier, inside)
    if at_a_time is None:
        return
    if tier.name == SERVER and take_the_turn(case, at_a_time):  # see slow_dependency: the name server's
        return
    # One that is let through waits for a core, too, and for its answer to be read: alone it did neither.
    with_a_place = at_a_time + number_in(account, component, "runnable", "answer_unread")
    cause, of = _cause(case, component, tier, at_a_time, with_a_place, inside)
    if cause == "lock_contention" and _is_read_late(account, component, tier):
        cause = "blocked_event_loop"
    if cause in ONE_AT_A_TIME and tier.kind in PROXIES:
        return  # it works on one event after the other, and none of them waits for another
    kind: Kind = "lock" if cause in ONE_AT_A_TIME else "places"
    number = max(1.0, serving(tier)) if kind == "lock" else at_a_time
    yield Resource(kind, tier.name, number, number, True, inside - at_a_time, of, cause=cause)


def _is_read_late(account: Account, component: ComponentAccount, tier: Tier) -> bool:
    """Return whether a loop does not even read requests in time: then it is held up, and no lock of its own.

    While tasks wait for each other's lock their loop is free, and reads what comes at once.
    """
    late = number_in(account, component, "unread", "answer_unread")
    return is_loop(tier) and late >= MOSTLY * number_in(account, component, "inside")


def asking_share(component: ComponentAccount, tier: Tier) -> float:
    """Return the share of the time in which an event loop asked for events, 0 to 1; 0 where it is no loop.

    One that mostly does is held up by no call. Who waits in it waits for another task: at a limiter, at a
    lock of tasks, or for the only consumer of a queue.
    """
    if tier.runtime not in ONE_LOOP or not is_loop(tier):
        return 0.0
    return min(1.0, threads_of(component).get("polling", 0.0) / max(1.0, serving(tier)))


def _is_full(cpu: Resource) -> bool:
    """Return whether CPU is full: on average, or, as in a ramp or a burst, while requests wait."""
    return cpu.is_full or (cpu.use is not None and cpu.use.met - cpu.yielded >= constants.FULL * cpu.number)


def _is_wanted(account: Account, component: ComponentAccount, tier: Tier, cpu: Resource) -> bool:
    """Return whether a program and those beside it want all of the CPU that they may use.

    Of a core that strangers fill, those of its requests wait that run or are ready to, and no others. Of one
    that is shared otherwise, no more can wait than are ever ready in a program that wants it so often.
    """
    if cpu.use is None:
        return True
    if cpu.use.foreign >= constants.MOSTLY * cpu.use.busy:
        return number_in(account, component, "running", "runnable") >= constants.FULL * cpu.number
    ready = most_ready(tier, cpu.number)
    return ready >= constants.MOSTLY * number_in(account, component, "inside")


def _cause(
    case: Case, component: ComponentAccount, tier: Tier, at_a_time: float, with_a_place: float, inside: float
) -> tuple[str, str]:
    """Return what a cap of this size is called, and the dependency that it leads to, where it is a pool.

    A pool has about as many connections as requests are let through. Few more than one at a time are let
    through by a lock, which a thread has that holds a request, and each process has a lock of its own; where
    a few others always work, requests wait for these. A program that starts a routine for each request has no
    workers to be too few of.
    """
    pools = _pools(case, component, tier, with_a_place)
    if not _is_asked(case, tier):
        return "slow_dependency", ""
    if pools and wait_in_threads(component, at_a_time, inside):
        return "too_few_workers", ""
    if pools:
        return "pool_too_small", pools[min(pools)]
    if _are_handed_on(component, at_a_time):
        return "too_few_workers", ""
    if at_a_time <= constants.LIKE_A_LOCK * max(1.0, serving(tier)) or tier.runtime == "go":
        return "lock_contention", ""
    if is_loop(tier) and not _are_threads(component, at_a_time):
        return "pool_too_small", ""
    return "too_few_workers", ""


def _pools(case: Case, component: ComponentAccount, tier: Tier, at_a_time: float) -> dict[float, str]:
    """Return the pools that may let so many through: the dependency of each, by its connections."""
    return {
        slot.number: slot.of
        for slot in component.slots.kind("connections")
        if constants.A_CONNECTION <= slot.number <= constants.AS_MANY * at_a_time
        and not (tier.runtime in WITHOUT_CAP and speaks_http(case, slot.of))
        and not is_single_connection(case, slot)
        and _is_spoken_to(case, tier, slot.of)
    }


def is_single_connection(case: Case, slot: SlotDocument) -> bool:
    """Return whether requests take turns ahead of a single connection, so that it is no pool.

    A client of HTTP opens as many as are asked for at the same time: where there is one, whoever asks for it
    takes turns before that, at a lock or in an event loop that the call holds up.
    """
    return slot.slot == "connections" and slot.number <= ONE_CONNECTION and speaks_http(case, slot.of)


def _are_handed_on(component: ComponentAccount, at_a_time: float) -> bool:
    """Return whether requests wait for the few threads of an executor, which are hardly ever idle.

    Their threads bear another name than those that hold the requests and wait. Whoever has a lock that all
    take turns at bears the same name as who waits for it.
    """
    groups = _groups(component)
    waiting = {group: sum(states.get(state, 0.0) for state in STANDING) for group, states in groups.items()}
    holders = max(waiting, key=lambda group: waiting[group], default="")
    for group, states in groups.items():
        at_work, number = sum(states.get(state, 0.0) for state in (*AT_WORK, "reading")), sum(states.values())
        is_small = at_a_time / constants.AS_MANY <= number <= constants.AS_MANY * max(1.0, at_a_time)
        if group != holders and is_small and at_work >= constants.FULL * number:
            return True
    return False


def _are_threads(component: ComponentAccount, at_a_time: float) -> bool:
    """Return whether as many threads were at work as requests are let through."""
    numbers = threads_of(component)
    at_work = sum(numbers.get(state, 0.0) for state in AT_WORK)
    return at_a_time / constants.AS_MANY <= at_work <= constants.AS_MANY * at_a_time


def wait_in_threads(component: ComponentAccount, at_a_time: float, inside: float) -> bool:
    """Return whether as many threads as requests are let through read answers, and the others have none.

    Where connections are too few for the threads, each request that waits has a thread that waits for one.
    Here threads are missing: each has a connection, and who waits has no thread yet, as behind an event loop.
    Threads of another name are not those that would wait: a runtime has a dozen that clean up and compile.
    """
    numbers = _of_readers(component)
    reading, besides = numbers.get("reading", 0.0), sum(numbers.get(state, 0.0) for state in STANDING)
    are_as_many = at_a_time / constants.AS_MANY <= reading <= constants.AS_MANY * at_a_time
    return are_as_many and besides < constants.MOSTLY * inside


def _is_spoken_to(case: Case, tier: Tier, dependency: str) -> bool:
    """Return whether requests use a program's connections to a dependency; True where nobody looked."""
    roles = [edge.role for edge in case.edges if (edge.source, edge.to) == (tier.name, dependency)]
    looked_at, sent, awaiting = (
        [track for role in roles if (track := tier.track(f"socket_stages.{name}", role)) is not None]
        for name in ("sockets", "segments", "awaiting")
    )
    if sent:
        return sum(track.mean for track in sent) >= constants.SPOKEN_TO * case.load.ok_rps
    # Nothing is told of what a connection never did.
    return any(track.mean > 0 for track in awaiting) if looked_at or awaiting else True


def speaks_http(case: Case, dependency: str) -> bool:
    """Return whether a dependency is likely asked by HTTP: it has no protocol of its own."""
    tier = case.tiers.get(dependency)
    if tier is None:
        return False
    return tier.kind in OVER_HTTP or not tier.ends_requests


def _is_asked(case: Case, tier: Tier) -> bool:
    """Return whether the load asks this program, itself or by way of a proxy in front of it."""
    return tier.name == SERVER or (case.server.kind in PROXIES and tier in case.server.callees)


def _let_through(case: Case, component: ComponentAccount, tier: Tier, inside: float) -> float | None:
    """Return how many requests are let through at a time; None where they do not hold each other up.

    Where each request has a thread, few threads do anything but wait for another. Elsewhere requests that
    queue behind each other in a closed load all wait for about as long, and in an open one become more; or
    there is a pool with just as many connections as requests are let through.
    """
    # Of servers beside each other, the fastest answers come from whichever is the fastest.
    through = None if _has_siblings(case, tier) else answered_alone(case)
    numbers = threads_of(component)
    at_work = sum(numbers.get(state, 0.0) for state in AT_WORK)
    has_threads = sum(numbers.values()) >= inside
    if through is None and not has_threads:
        return None
    # Where most failed, good answers do not tell how many were worked on; threads do.
    at_once = through.at_once if through is not None else max(1.0, at_work)
    if not has_threads and _are_all_handed_over(component, tier):
        # Where even the fastest answer waited for a thread, it does not tell how many were worked on.
        at_once = min(at_once, at_work)
    if has_threads and _are_threads(component, at_once):
        # Threads and Little's law say the same number: whoever is beyond it waits.
        return at_once if inside - at_once >= constants.WAITS * inside else None
    if at_once > constants.LET_THROUGH * inside:
        return None
    if has_threads:
        outside = numbers.get("reading", 0.0) + numbers.get("polling", 0.0)
        is_held_up = at_work + max(0.0, outside - constants.SPARE_THREADS) <= constants.LET_THROUGH * inside
    else:
        median_s, late_s = case.load.latency(0.5), case.load.latency(0.99)
        is_held_up = 0 < late_s <= constants.ALL_WAIT_ALIKE * median_s or "queueing" in case.harms
        pools = _pools(case, component, tier, at_once)
        is_held_up = is_held_up or any(number >= at_once / constants.AS_MANY for number in pools)
    return at_once if is_held_up else None


def _has_siblings(case: Case, tier: Tier) -> bool:
    """Return whether a proxy in front of a program may have sent a request to another one instead."""
    in_front = case.server
    if in_front is tier or in_front.kind not in PROXIES or tier not in in_front.callees:
        return False
    return sum(not callee.is_store for callee in in_front.callees) > 1


def _are_all_handed_over(component: ComponentAccount, tier: Tier) -> bool:
    """Return whether the threads beside event loops, to which these hand requests over, are all at work."""
    numbers = threads_of(component)
    executor = sum(numbers.values()) - serving(tier)
    at_work = sum(numbers.get(state, 0.0) for state in AT_WORK)
    return executor >= FEWEST_HANDED_OVER and at_work >= constants.FULL * executor


def threads_of(component: ComponentAccount) -> dict[str, float]:
    """Return how many threads of a component were in each state, on average."""
    return {
        state.state: state.number
        for state in component.slots.states
        if state.slot == "threads" and not state.of
    }


def _groups(component: ComponentAccount) -> dict[str, dict[str, float]]:
    """Return how many threads of each name were in each state, on average; empty where that was not seen."""
    groups: dict[str, dict[str, float]] = {}
    for state in component.slots.states:
        if state.slot == "threads" and state.of:
            groups.setdefault(state.of, {})[state.state] = state.number
    return groups


def _of_readers(component: ComponentAccount) -> dict[str, float]:
    """Return how many threads were in each state among those named as readers are, else of all.

    A pool of threads may bear two names: a server's own thread that serves, too, has the program's.
    """
    readers = [states for states in _groups(component).values() if states.get("reading", 0.0) >= A_READER]
    if not readers:
        return threads_of(component)
    numbers: Counter[str] = Counter()
    for states in readers:
        numbers.update(states)
    return dict(numbers)


def blocked_loop(component: ComponentAccount, tier: Tier) -> Iterator[Resource]:
    """Yield the thread of an event loop that hardly ever asks for events, though it is not on a core."""
    if not is_loop(tier):
        return
    numbers = threads_of(component)
    threads, loops = sum(numbers.values()), serving(tier)
    if not 0 < threads <= loops + constants.IN_OTHER_THREADS:
        return
    computing = numbers.get("running", 0.0) + numbers.get("runnable", 0.0)
    busy = loops - numbers.get("polling", 0.0)
    if busy >= constants.FULL * loops and computing <= constants.MOSTLY * busy:
        yield Resource("thread", tier.name, loops, busy, True, cause="blocked_event_loop")
