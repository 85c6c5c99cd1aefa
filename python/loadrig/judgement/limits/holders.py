"""Who uses a full resource for something that could be spared: others, background threads, kinds of work."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loadrig.account.book import Account
from loadrig.base.component import SERVER
from loadrig.judgement import constants
from loadrig.judgement.causes import cache_bottleneck, connection_churn
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.tier import CACHES, Tier
from loadrig.judgement.limits.kinds import Resource, background_of, is_cpu, number_of
from loadrig.profilers import classes_of

LOAD = "load"
"""What a cause accuses that lies in what the plan asks for."""

CAUSE_OF_WORK: Mapping[str, tuple[str, float]] = {
    "connect": ("connection_churn", constants.WORTH),
    "collector": ("gc_pressure", constants.WORTH),
    "scan": ("missing_index", constants.WORTH),
    "compress": ("request_overhead", constants.WORTH),
    "regex": ("request_overhead", constants.WORTH),
    "serialise": ("request_overhead", constants.USUAL_WORTH),
    "log": ("request_overhead", constants.WORTH),
    "tls": ("request_overhead", constants.USUAL_WORTH),
}
"""Cause of a class of CPU time, and the gain from which on it is one."""


MEND_OF_WORK: Mapping[str, str] = {
    "compress": "a lower level or a least size for compression, or leave it to the proxy",
    "serialise": "smaller answers, or a faster encoder",
    "log": "log less for each request, or from a thread of its own",
    "regex": "compile patterns once, or search for plain words",
    "tls": "keep connections, or end TLS at the proxy",
}
"""Mend of the classes of work that are called by one cause."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who uses so much of a resource. used: in its unit. is_for_none: whether no request needs it.

    worth: the gain from which on it is called a cause. what: who or what it is, as the subject of a clause.
    mend: of it alone; empty where its cause says it. known_gain: by the arithmetic of its cause, where that
    is likely: it counts what is spent elsewhere, too.
    """

    cause: str
    component: str
    used: float
    what: str
    is_for_none: bool = False
    worth: float = constants.WORTH
    mend: str = ""
    known_gain: float = 1.0
    accused: str = ""


BY_SHARE: Mapping[str, str] = {
    "missing_index": "reading rows that no index leads to", "n_plus_one": "the statements of one request",
    "connection_churn": "opening connections", "request_overhead": "work around the request",
    "gc_pressure": "collecting garbage",
}  # fmt: skip
"""Causes that say, as their bound, what share of a program's CPU time they take, and what takes it."""


def holders_of(
    case: Case, account: Account, resource: Resource, standing: Iterable[Finding]
) -> Iterator[Holder]:
    """Return who uses a resource for what could be spared. standing: causes that stand by signs alone."""
    for finding in standing:
        tier = case.tiers.get(finding.component)
        is_used = is_cpu(resource) and resource.is_used_by(finding.component)
        if (
            finding.cause in BY_SHARE
            and finding.bound
            and is_used
            and tier is not None
            and tier.cpu is not None
        ):
            used = finding.bound * (tier.cpu.mean - background_of(account, tier.name))
            known = finding.gain if finding.verdict == "likely" and finding.gain is not None else 1.0
            what = BY_SHARE[finding.cause]
            accused = _opener(tier) if finding.cause == "connection_churn" else ""
            yield Holder(
                finding.cause, tier.name, max(0.0, used), what, known_gain=known, accused=accused
            )  # fmt: skip
    yield from _missed(case, resource)
    if resource.kind == "cores" and resource.use is not None:
        use = resource.use
        if math.isfinite(use.foreign) and use.foreign > 0 and _are_whole(account, use.sharers):
            host = case.tiers[resource.component].host
            yield Holder("noisy_neighbour", host, use.foreign, "programs that are none of the server's", True)
        for tier in use.sharers:
            yield from _of_program(case, account, resource, tier)
    elif resource.kind in ("interpreter", "thread"):
        yield from _of_program(case, account, resource, case.tiers[resource.component])


def _missed(case: Case, resource: Resource) -> Iterator[Holder]:
    """Yield what a database does because a cache had no room for the keys that it was asked for."""
    behind = [tier for tier in case.programs if tier.is_database and resource.is_used_by(tier.name)]
    for cache in case.of_kind(*CACHES):
        lookups = cache_bottleneck.lookups_of(cache)
        if lookups is None or lookups.misses.mean < cache_bottleneck.FEWEST_MISSES:
            continue
        callers = {tier.name for tier in cache.callers}
        for tier in behind if is_cpu(resource) else ():
            if tier.cpu is not None and callers & {caller.name for caller in tier.callers}:
                yield Holder(
                    "cache_bottleneck", tier.name, lookups.spared_share * tier.cpu.mean,
                    "what was asked because its key had been evicted from the cache", accused=cache.name,
                )  # fmt: skip


def kept_by_clients(resource: Resource) -> Holder:
    """Return the clients who hold workers while they send nothing."""
    return Holder(
        "worker_class", resource.component, resource.for_none,
        "clients that send a request slowly, or keep a connection without one,", is_for_none=True,
        mend="let something wait for clients that holds no worker meanwhile: a proxy that takes in whole"
        " requests, threads or an event loop; a shorter time-out for clients",
    )  # fmt: skip


def awaited_by(case: Case, account: Account, resource: Resource) -> Holder | None:
    """Return the dependency that nearly all of many workers wait for; None for few, which are too few.

    A dependency that is used up itself is full by itself.
    """
    component, tier = account.component(resource.component), case.tiers[resource.component]
    if component is None or resource.number < constants.MANY_SLOTS * tier.cores:
        return None
    awaited = {
        line.of: number_of(account, line.ms)
        for line in component.lines
        if line.state == "awaiting" and line.of in case.tiers
    }
    name = max(awaited, key=lambda of: awaited[of], default="")
    if not name or awaited[name] < constants.HELD_BY_ONE * resource.used:
        return None
    return Holder("slow_dependency", name, min(resource.used, awaited[name]), f"waiting for {name}")


def _are_whole(account: Account, programs: Iterable[Tier]) -> bool:
    """Whether these programs were watched throughout: what one used unwatched looks like a stranger's."""
    components = (account.component(tier.name) for tier in programs)
    return not any("partly_seen" in component.flags for component in components if component is not None)


def _of_program(case: Case, account: Account, resource: Resource, tier: Tier) -> Iterator[Holder]:
    background = background_of(account, tier.name)
    if background > 0:
        cause = "gil" if _is_held(account, tier.name) else "host_cpu"
        yield Holder(
            cause, tier.name, background, "threads that ran on when no request was there", True,
            mend=f"let {tier.name} do its background work in a process of its own, on another core, or rarer",
        )  # fmt: skip
    used = (tier.cpu.mean if tier.cpu is not None else 0.0) - background
    if tier.name == SERVER and (share := _opened(case, LOAD)) > 0:
        # The load asks for new connections, and the server pays for them.
        yield Holder("connection_churn", LOAD, share * used, "accepting a connection for each request")
    if resource.kind != "cores":
        used = min(used, resource.by_requests)
    for work, share, words in _classes(case, tier):
        if work == "import":
            yield Holder(
                _of_starting(case, tier), tier.name, share * used, "starting up", worth=constants.WORTH
            )
        elif work in CAUSE_OF_WORK:
            cause, worth = CAUSE_OF_WORK[work]
            accused = _opener(tier) if cause == "connection_churn" else ""
            mend = MEND_OF_WORK.get(work, "")
            yield Holder(
                cause, tier.name, share * used, words, worth=worth, mend=mend, accused=accused
            )  # fmt: skip


def _of_starting(case: Case, tier: Tier) -> str:
    """Return the cause of CPU time that goes to starting up under load, by what starts."""
    if case.events_of("worker_died", "process_died", component=tier.name):
        return "restarts_in_step"
    if tier.workers >= constants.CROWD * tier.cores:
        return "too_many_workers"
    return "warm_up"


def _opener(tier: Tier) -> str:
    """Return who opens the connections that a program accepts: its caller, which could keep them."""
    return tier.callers[0].name if tier.name != SERVER and tier.callers else ""


def _opened(case: Case, component: str) -> float:
    """Share of a program's CPU time that opening connections takes, by their number and what one costs."""
    shares = [
        1 - 1 / hypothesis.gain
        for hypothesis in connection_churn.examine(case)
        if hypothesis.component == component and hypothesis.gain is not None
    ]
    return max(shares, default=0.0)


def _is_held(account: Account, name: str) -> bool:
    """Whether a thread of the program holds its interpreter's lock nearly all of the time."""
    component = account.component(name)
    states = component.slots.states if component is not None else ()
    held = sum(state.number for state in states if (state.slot, state.state) == ("interpreter", "held"))
    return held >= constants.FULL


def _classes(case: Case, tier: Tier) -> Iterator[tuple[str, float, str]]:
    """Classes of work with their share of a program's CPU time, connections by what opening one costs."""
    shares = {}
    for profile in case.profiles:
        if profile.component == tier.name and profile.load == "high":
            shares = {
                share_of_work.work: (share_of_work.share, share_of_work.words)
                for share_of_work in classes_of(profile)
            }
            break
    if (opened := _opened(case, tier.name)) > shares.get("connect", (0.0, ""))[0]:
        shares["connect"] = opened, "opening connections"
    for work, (share, words) in shares.items():
        yield work, share, words
