"""Resources that requests use: their kinds, how much there is of one, how much was in use, and who waited."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loadrig.account.trial_account import Account, ComponentAccount
from loadrig.base.jvm_threads import COMPILERS
from loadrig.judgement import constants
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.cores import Use

Kind = Literal["cores", "quota", "interpreter", "thread", "lock", "backlog", "slots", "connections", "places"]
"""Kind of resource.

- cores: those that programs may run on together; quota: of a control group; interpreter: its lock.
- thread: the one that does all work of an event loop; lock: what requests get one after the other.
- backlog: of a listener; slots: workers or threads that hold a request each; connections: of a pool.
- places: inside a program, where so many requests are let through at a time.
"""

DEPTH: Mapping[str, int] = {"backlog": 0, "slots": 1, "connections": 2, "places": 3}
"""Depth of a component's slots within each other: a request that waits for a connection holds a worker."""

SLOTS = frozenset(DEPTH)
"""Held by a request while it waits for something else; the others are used in turns."""


@dataclass(frozen=True, slots=True)
class Resource:
    """So much of something, and its use in the measured part.

    component: whose it is; of cores the program that used most of them. of: the dependency of a pool.
    number: how much there is. used: how much of it was in use, on average. waiting: requests that waited
    for it, on average; 0 where that is not told apart. is_full: whether hardly any was ever free. use: of
    cores, by whom. for_none: of what was used, so much by threads and programs that work for no request.
    cause: what it is called where it is too small, of a lock, of places and of a loop that a call blocks.
    sharers: programs that use it. counted_gain: what more of it brings by counters alone. yielded: of cores,
    what others used and gave up whenever a thread of the sharers wanted to run; it is not in `used`.
    """

    kind: Kind
    component: str
    number: float
    used: float
    is_full: bool
    waiting: float = 0.0
    of: str = ""
    use: Use | None = None
    for_none: float = 0.0
    cause: str = ""
    sharers: tuple[str, ...] = ()
    counted_gain: float = 1.0
    yielded: float = 0.0

    @property
    def name(self) -> str:
        """Name of the resource within a case."""
        return f"{self.kind} of {self.component}" + (f" to {self.of}" if self.of else "")

    def is_used_by(self, component: str) -> bool:
        """Return whether a program uses the resource."""
        return component == self.component or component in self.sharers

    @property
    def is_turn_at_disk(self) -> bool:
        """Whether it is the turn of requests that make their data durable one after the other."""
        return self.kind == "lock" and self.cause == "disk_io" and self.counted_gain > 1

    @property
    def is_kept_by_clients(self) -> bool:
        """Whether the slots are workers, of which clients hold a good part who send nothing."""
        return self.kind == "slots" and self.for_none >= constants.KEPT_BY_CLIENTS * self.number

    @property
    def by_requests(self) -> float:
        """Part of it that requests used."""
        return max(0.0, self.used - self.for_none)

    def left(self, for_none: float) -> float:
        """Return how much of it requests can have beside so much use for no request.

        Of cores that they do not always want, threads of the case get their fair share as soon as they want
        more: what others use of these in their absence is nothing that they have for themselves.
        """
        left = max(self.number - for_none, constants.LEAST_AT_WORK * self.number)
        if self.use is not None and self.use.wanted < constants.FULL * self.number:
            left = max(left, constants.FAIR_SHARE * (self.number - self.use.stolen))
        return left

    @property
    def share(self) -> float:
        """Share of it in use, 0 to 1."""
        return min(1.0, self.used / self.number) if self.number > 0 else 0.0


IN_HAND = ("awaiting", "answer_unread", "running", "runnable", "throttled", "disk", "holding", "inside")
"""States of a request that a worker, a thread or a loop has taken up."""


def is_used_up(resource: Resource) -> bool:
    """Return whether a quota is used up: its programs get no more, however much of a core is free."""
    return resource.kind == "quota" and resource.share >= constants.AT_LIMIT


def is_cpu(resource: Resource) -> bool:
    """Return whether programs run on it."""
    return resource.kind not in SLOTS and resource.kind != "lock"


def number_in(account: Account, component: ComponentAccount, *states: str) -> float:
    """Return how many requests were in these states, on average (Little's law)."""
    return number_of(account, component.ms_in(*states))


def number_of(account: Account, ms: float) -> float:
    """Return how many requests spend so much of a request's time, on average (Little's law)."""
    return ms / 1e3 * account.requests_per_s


def crowd_at(case: Case, account: Account, resource: Resource) -> float:
    """Return how many requests compete for slots: of a pool inside a program, those that it has taken up.

    Who waits at a full program's door waits for its workers, and for the pool behind them only once let in.
    """
    component = account.component(resource.component)
    if component is None or DEPTH[resource.kind] < DEPTH["connections"]:
        return case.load.waiting
    in_hand = number_in(account, component, *IN_HAND)
    return min(case.load.waiting, in_hand) if in_hand > 0 else case.load.waiting


def compiling(account: Account, name: str) -> float:
    """Return the cores that a runtime's compiler used: that ends by itself, once the program is warm."""
    component = account.component(name)
    states = component.slots.states if component is not None else ()
    return sum(s.number for s in states if s.slot == "threads" and s.state == "running" and s.of in COMPILERS)


def background_of(account: Account, name: str) -> float:
    """Return the cores that threads of a component used for no request."""
    component = account.component(name)
    return component.slots.number("cores", "background") if component is not None else 0.0
