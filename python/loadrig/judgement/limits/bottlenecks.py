"""Bottlenecks: resources that are full, who holds them, and what a mend would bring.

A bottleneck has two halves. The resource is full: that is seen. Its holder uses so much of it: that is
counted, from the account, from profiles, or from what it costs to open a connection. The bottleneck's cause
is named after the holder where taking it away is worth it, else after the resource, which then is simply
too small.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from loadrig.account.trial_account import Account, ComponentAccount
from loadrig.judgement import constants
from loadrig.judgement.declarations import Cause, about_of, cause_of, causes
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.gains import without
from loadrig.judgement.limits.holders import Holder, awaited_by, holders_of, kept_by_clients
from loadrig.judgement.limits.kinds import SLOTS, Resource, crowd_at, is_cpu, is_used_up
from loadrig.judgement.limits.model import USERS, network_of
from loadrig.judgement.limits.network import MOST_GAIN, Change, Network
from loadrig.judgement.limits.resources import resources_of


@dataclass(frozen=True, slots=True)
class Bottleneck:
    """Limit of a server, with its cause and the gain of its mend.

    cause: a name of the catalogue. component: who is accused. gain: throughput with the mend over that
    without it; of a load that the server keeps up with, how many times faster a request would be. share: of
    the resource, what the holder uses; 1 where it is too small. holder: None where the resource is too
    small.
    """

    cause: str
    component: str
    resource: Resource
    gain: float
    share: float
    holder: Holder | None = None

    @property
    def is_worth_a_mend(self) -> bool:
        """Whether it limits the server: its resource is full, and its holder uses enough of that."""
        return self.resource.is_full and (self.holder is None or self.gain >= self.holder.worth)


@dataclass(frozen=True, slots=True)
class Judgement:
    """Bottlenecks of a trial, that whose mend brings most first, and what they rest on.

    harmful: those that can have brought about what is wrong. minor: holders whose mend brings too little.
    """

    bottlenecks: tuple[Bottleneck, ...]
    harmful: tuple[Bottleneck, ...]
    resources: tuple[Resource, ...]
    network: Network
    minor: tuple[Bottleneck, ...] = ()

    def is_roomy(self, server: ComponentAccount) -> bool:
        """Return whether nothing was full, by an account of the server that is whole."""
        is_whole = server.is_seen and server.rest_share <= constants.WHOLE
        return is_whole and not any(resource.is_full for resource in self.resources)


def judgement_of(case: Case, standing: Sequence[Finding] = ()) -> Judgement:
    """Return every bottleneck that is worth a mend. standing: causes that stand by signs of their own.

    Without an account only those holders are told apart whom facts alone tell.
    """
    account = case.account or Account(case.measured_s, case.load.ended_rps, ())
    resources = resources_of(case, account, standing)
    network = network_of(case, account, resources)
    bottlenecks: list[Bottleneck] = []
    for resource in resources:
        held = [
            holder
            for holder in holders_of(case, account, resource, standing)
            if case.account is not None or cause_of(holder.cause).has_words_of_holder
        ]
        bottlenecks += _of_resource(case, account, resources, resource, held, network)
    best: dict[tuple[str, str], Bottleneck] = {}
    for bottleneck in sorted(bottlenecks, key=lambda each: (not each.is_worth_a_mend, -each.gain)):
        best.setdefault((bottleneck.cause, bottleneck.component), bottleneck)
    every = tuple(bottleneck for bottleneck in best.values() if bottleneck.is_worth_a_mend)
    harmful = tuple(bottleneck for bottleneck in every if harmed(case, bottleneck.cause))
    minor = tuple(bottleneck for bottleneck in best.values() if bottleneck not in every)
    return Judgement(every, harmful, tuple(resources), network, minor)


def _of_resource(
    case: Case,
    account: Account,
    resources: Sequence[Resource],
    resource: Resource,
    holders: Sequence[Holder],
    network: Network,
) -> Iterator[Bottleneck]:
    if resource.kind in SLOTS:
        if resource.is_full:
            yield from _slots(case, account, resources, resource, network)
        return
    held_gain = 0.0
    for holder in holders:
        share = holder.used / resource.used if resource.used > 0 else 0.0
        gain = 1.0
        if resource.is_full:
            gain = max(holder.counted_gain, network.gain(_without(resources, resource, holder)))
            gain = min(gain, holder.most_gain)
        held = Bottleneck(holder.cause, holder.accused or holder.component, resource, gain, share, holder)
        if held.is_worth_a_mend and holder.is_sole and harmed(case, holder.cause):
            held_gain = max(held_gain, gain)
        yield held
    # A quota that holds back what idle cores would serve stays the first thing to mend beside a small waste.
    if not resource.is_full or held_gain >= resource.counted_gain:
        return
    # All that is full of what a program uses at the same time becomes faster: a loop and the core beneath it.
    # More cores lift no quota, but a quota that is lifted has cores beneath it.
    together = [
        other
        for other in resources
        if is_cpu(other) and other.is_full and _meet(other, resource)
        if other is resource or not is_used_up(other)
    ]
    if resource.kind == "lock":
        together = [resource]
    if resource.kind == "cores" and _others_fill(resource):
        return
    if resource.kind in ("thread", "interpreter") and not resource.cause and _waits_for_core(resource):
        return
    is_over_cores = any(other.kind == "cores" and not _others_fill(other) for other in together)
    if resource.kind != "cores" and is_over_cores and not is_used_up(resource):
        return
    change = Change(shares={other.name: 1 / constants.SEVERAL for other in together})
    # Whoever takes turns at a lock waits for nobody where it need not be shared; a disk does less at a time.
    if resource.kind == "lock" and not resource.is_turn_at_disk:
        change = Change(numbers={resource.name: _everybody(network)})
    gain = network.gain(change)
    gain = max(gain, resource.counted_gain)
    if gain >= constants.WORTH:
        yield Bottleneck(too_small(case, resource), resource.component, resource, gain, 1.0)


def _everybody(network: Network) -> float:
    """Return how many requests can be under way at most."""
    return next(cap.size for cap in network.caps if cap.name == USERS)


def _waits_for_core(thread: Resource) -> bool:
    """Return whether a thread that is never free mostly waits for a core: that is what it lacks."""
    return thread.used < constants.FAIR_SHARE * thread.number


def _others_fill(cores: Resource) -> bool:
    """Return whether cores are full mostly of what no request needs."""
    return cores.by_requests < constants.FAIR_SHARE * cores.used


def harmed(case: Case, cause: str) -> frozenset[str]:
    """Return what is wrong that a cause can bring about; empty where that is nothing."""
    return about_of(cause).harms & frozenset(case.harms)


def _meet(first: Resource, second: Resource) -> bool:
    """Return whether some program uses both."""
    return first.is_used_by(second.component) or second.is_used_by(first.component)


def too_small(case: Case, resource: Resource) -> str:
    """Return the cause of a resource that is full though nobody holds it for nothing: the most special."""
    fitting = [cause.name for cause in causes() if _fits(cause, case, resource)]
    return max(fitting, key=lambda cause: (bool(about_of(cause).refines), bool(about_of(cause).of)))


def _fits(cause: Cause, case: Case, resource: Resource) -> bool:
    about, tier = cause.about, case.tiers[resource.component]
    if resource.cause:
        return cause.name == resource.cause
    is_of_kind = resource.kind in about.full and (not about.of or tier.kind in about.of)
    return is_of_kind and cause.fits(tier)


def _without(resources: Sequence[Resource], resource: Resource, holder: Holder) -> Change:
    """Return the change in which a holder gives back all that it uses at the same time."""
    shares, numbers = {}, {}
    for other in resources:
        if not is_cpu(other) or not (other is resource or other.is_used_by(holder.component)):
            continue
        if holder.is_for_none:
            numbers[other.name] = other.left(max(0.0, other.for_none - holder.used))
        elif other.by_requests > 0:
            shares[other.name] = max(0.0, 1 - holder.used / other.by_requests)
    return Change(shares=shares, numbers=numbers, delay_s=-holder.spared_s)


def _slots(
    case: Case, account: Account, resources: Sequence[Resource], resource: Resource, network: Network
) -> Iterator[Bottleneck]:
    crowd = crowd_at(case, account, resource)
    if crowd <= 0 or resource.waiting < constants.WAITS * crowd:
        return
    is_queue_of_lock = any(
        lock.kind == "lock"
        and lock.is_full
        and lock.component == resource.component
        and lock.waiting >= constants.MOSTLY * resource.used
        for lock in resources
    )
    if is_queue_of_lock and resource.kind in ("backlog", "slots"):
        return  # whoever has a slot waits for the lock in it
    if not case.load.ok_rps > 0 and not resource.is_kept_by_clients:
        return  # whoever has a slot is not served either: more of them would hold more of the same
    everybody = _everybody(network)
    change = Change(sizes={resource.name: max(everybody, resource.number)})
    gain = network.gain(change)
    if resource.is_kept_by_clients and network.rps > 0:
        # The network knows no clients who hold workers for nothing: nobody waits for these any more then.
        reach = without(min(resource.waiting, case.load.waiting) / everybody) or MOST_GAIN
        gain = max(gain, min(reach, network.throughput(change) / network.rps))
    if gain < constants.WORTH:
        return
    if resource.is_kept_by_clients:
        holder = kept_by_clients(resource)
        share = holder.used / resource.used
        yield Bottleneck(holder.cause, resource.component, resource, gain, share, holder)
    else:
        full = {other.component for other in resources if other.is_full}
        awaited = awaited_by(case, account, resource)
        if awaited is not None and awaited.component not in full:
            share = awaited.used / resource.used
            yield Bottleneck(awaited.cause, awaited.component, resource, gain, share, awaited)
        yield Bottleneck(too_small(case, resource), resource.component, resource, gain, 1.0)
