"""Holders of a full resource, which use what could be spared: other programs, background threads, work."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from loadrig.account.trial_account import Account
from loadrig.base.component import SERVER
from loadrig.judgement import constants
from loadrig.judgement.constants import CROWD, FULL
from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.commands import slowest_command
from loadrig.judgement.facts.concurrency import alone
from loadrig.judgement.facts.cores import MOST_NAMED, Use, others_of
from loadrig.judgement.facts.disks import disk_s, durable_share
from loadrig.judgement.facts.garbage import collections_of
from loadrig.judgement.facts.load import LOAD
from loadrig.judgement.facts.lookups import FEWEST_MISSES, lookups_of
from loadrig.judgement.facts.memory import reading_back
from loadrig.judgement.facts.opening import cores_of_acceptor, cores_of_openers, opened_share
from loadrig.judgement.facts.slots import is_loop, serving
from loadrig.judgement.facts.statements import scans_of
from loadrig.judgement.facts.tier import CACHES, ONE_AT_A_TIME, PROXIES, Tier
from loadrig.judgement.facts.work import USUAL_KERNEL_SHARE, logged, works_of
from loadrig.judgement.gains import without
from loadrig.judgement.limits import neighbours
from loadrig.judgement.limits.kinds import Resource, background_of, is_cpu, number_of
from loadrig.judgement.weigh import unsure
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.limits import JudgementLimitsHoldersTexts
from loadrig.language.labels import joined

TEXTS = texts_of(JudgementLimitsHoldersTexts)

TRACE_FOREIGN = 0.05
"""Share of the cores that others use, 0 to 1. Below it they are what any machine runs beside its servers."""

SWITCHES_PER_CORE_S = 10_000.0
"""Switches a second and core, from which on they cost a good part of the core: one takes 2 to 10 µs with the
caches that it spoils. Source: Li, Ding, Shen 2007, Quantifying the cost of context switch."""

IN_VAIN = 0.2
"""Work of a worker that is woken and finds no request, over that for a request, 0 to 1: it makes two of the
calls of a request (waits, accepts), which makes five at least (reads, sends, closes), and half of what a
request costs is the program's own work."""

REFILL_S = 0.5e-3
"""Seconds that a process works longer at most because others had its core in between: it finds its caches
cold. With data beyond a core's own cache 1 ms and more were seen, and 0.7 to 1.3 ms with 32 workers of Node
on one core beside one. Source: Li, Ding, Shen 2007, as above."""

CAUSE_OF_WORK: Mapping[str, tuple[str, float]] = {
    "connect": ("connection_churn", constants.WORTH),
    "collector": ("gc_pressure", constants.WORTH),
    "scan": ("missing_index", constants.WORTH),
    **dict.fromkeys(("compress", "regex", "log", "compile"), ("request_overhead", constants.WORTH)),
    **dict.fromkeys(("serialise", "tls"), ("request_overhead", constants.USUAL_WORTH)),
    "kernel_file": ("request_overhead", constants.FILES_WORTH),
}
"""Cause of a class of CPU time, and the gain from which on it is one."""


@dataclass(frozen=True, slots=True)
class Holder:
    """User of so much of a resource. used: in its unit. is_for_none: whether no request needs it.

    worth: the gain from which on it is called a cause. what: who or what it is, as the subject of a clause.
    mend: of it alone; empty where its cause says it. counted_gain: by the arithmetic of its cause, where that
    is likely: it counts what is spent elsewhere, too. work: class of CPU time. of: the program whose cores
    somebody else uses. missing: what would have to be seen to be sure. is_sole: whether the resource is not
    called too small beside it. spared_s: seconds that each request waits for what it does, beside that.
    most_gain: gain that it cannot exceed, whatever share of the resource it has.
    """

    cause: str
    component: str
    used: float
    what: str
    is_for_none: bool = False
    worth: float = constants.WORTH
    mend: str = ""
    counted_gain: float = 1.0
    accused: str = ""
    work: str = ""
    of: str = ""
    missing: tuple[str, ...] = ()
    is_sole: bool = True
    spared_s: float = 0.0
    most_gain: float = math.inf


BY_SHARE: Mapping[str, str] = {
    "missing_index": TEXTS.by_share_missing_index, "n_plus_one": TEXTS.by_share_n_plus_one,
    "connection_churn": TEXTS.by_share_connection_churn, "pool_too_large": TEXTS.by_share_pool_too_large,
}  # fmt: skip
"""Causes that say, as their bound, what share of a program's CPU time they take, and what takes it."""


def holders_of(
    case: Case, account: Account, resource: Resource, standing: Iterable[Finding]
) -> Iterator[Holder]:
    """Return who uses a resource for what could be spared. standing: causes that stand by signs alone."""
    if not is_cpu(resource):
        return
    for finding in standing:
        tier = case.tiers.get(finding.component)
        is_used = finding.cause in BY_SHARE and resource.is_used_by(finding.component)
        if is_used and finding.bound and tier is not None and tier.cpu is not None:
            used = _cores_of(case, account, tier, finding) + _at_other_end(case, resource, finding)
            by_signs = finding.gain if finding.verdict == "likely" and finding.gain is not None else 1.0
            accused = _opener(tier) if finding.cause == "connection_churn" else ""
            # That the resource is full says nothing of who holds it: a doubt of that stays.
            doubts = tuple(text for text in finding.missing if text not in unsure(case, finding.harms))
            yield Holder(
                finding.cause, tier.name, max(0.0, used), BY_SHARE[finding.cause], counted_gain=by_signs,
                accused=accused, missing=doubts, is_sole=not doubts,
            )  # fmt: skip
    yield from _missed(case, resource)
    yield from _slow_commands(case, resource)
    if resource.use is not None:
        yield from _neighbours(case, resource, resource.use)
    users = resource.sharers if resource.kind in ("cores", "quota") else (resource.component,)
    for name in users:
        yield from _of_program(case, account, resource, case.tiers[name])


def _cores_of(case: Case, account: Account, tier: Tier, finding: Finding) -> float:
    """Return the cores that a program would use less of without what it is accused of."""
    assert tier.cpu is not None
    if finding.cause == "connection_churn" and (accepting := cores_of_acceptor(case, tier)) > 0:
        return accepting
    return _spared_share(finding) * (tier.cpu.mean - background_of(account, tier.name))


def _spared_share(finding: Finding) -> float:
    """Return the share of a program's CPU time that a mend would spare, 0 to 1: what it takes, at most."""
    return (finding.bound or 0.0) * (constants.BATCH_SPARES if finding.cause == "n_plus_one" else 1.0)


def _at_other_end(case: Case, resource: Resource, finding: Finding) -> float:
    """Return the cores that others use of a resource for the same work, at the other end of a connection.

    That is a dependency, where it is asked too often, or those who open connections to it.
    """
    if finding.cause == "connection_churn":
        openers = cores_of_openers(case, finding.component)
        return sum(cores for name, cores in openers.items() if resource.is_used_by(name))
    is_of_another = finding.cause in ("n_plus_one", "pool_too_large")
    asked = case.tiers.get(finding.detail.rpartition(": ")[2]) if is_of_another else None
    if asked is None or asked.cpu is None or not resource.is_used_by(asked.name):
        return 0.0
    return asked.cpu.mean * _spared_share(finding)


def _neighbours(case: Case, resource: Resource, use: Use) -> Iterator[Holder]:
    """Yield other programs on the cores of a program, and other virtual machines of the hypervisor."""
    tier = case.tiers[resource.component]
    if tier.cpu is not None and tier.quota < tier.places and tier.cpu.mean >= FULL * tier.quota:
        return  # it gets all that its quota allows
    foreign = others_of(case, use)
    if foreign >= TRACE_FOREIGN * resource.number:
        unseen = TEXTS.no_cpu_time(", ".join(use.unseen))
        strangers = joined(name for name, _ in use.strangers[:MOST_NAMED])
        yield Holder(
            "noisy_neighbour", tier.host, foreign, strangers or TEXTS.programs_none_server, True,
            of=tier.name, missing=(unseen,) if use.unseen else (), is_sole=not use.unseen,
            most_gain=min(use.most_gain, neighbours.most_gain(case, use)),
        )  # fmt: skip
    if use.stolen >= TRACE_FOREIGN * resource.number:
        yield Holder(
            "noisy_neighbour", tier.host, use.stolen, TEXTS.other_virtual_machines, True, of=tier.name,
            mend=TEXTS.mend, is_sole=False,
        )  # fmt: skip


def _missed(case: Case, resource: Resource) -> Iterator[Holder]:
    """Yield what a database does because a cache had no room for the keys that it was asked for."""
    behind = [tier for tier in case.programs if tier.is_database and resource.is_used_by(tier.name)]
    for cache in case.of_kind(*CACHES):
        lookups = lookups_of(cache)
        if lookups is None or lookups.misses.mean < FEWEST_MISSES:
            continue
        callers = {tier.name for tier in cache.callers}
        for tier in behind:
            if tier.cpu is not None and callers & {caller.name for caller in tier.callers}:
                yield Holder(
                    "cache_bottleneck", tier.name, lookups.spared_share * tier.cpu.mean,
                    TEXTS.what_asked_because, accused=cache.name,
                )  # fmt: skip


def _slow_commands(case: Case, resource: Resource) -> Iterator[Holder]:
    """Yield the slow command of each server that does one at a time."""
    for tier in case.of_kind(*ONE_AT_A_TIME):
        slow = slowest_command(case, tier) if resource.is_used_by(tier.name) else None
        if slow is not None and tier.cpu is not None:
            yield Holder("cache_bottleneck", tier.name, min(slow.share, tier.cpu.mean), slow.name)


def kept_by_clients(resource: Resource) -> Holder:
    """Return the clients who hold workers while they send nothing."""
    return Holder(
        "worker_class", resource.component, resource.for_none,
        TEXTS.clients_send_request, is_for_none=True,
        mend=TEXTS.let_something_wait,
    )  # fmt: skip


def awaited_by(case: Case, account: Account, resource: Resource) -> Holder | None:
    """Return the dependency that nearly all workers wait for; None where more workers would do instead.

    They would where a usual number of them fills the cores, and few of them where they wait for a short time.
    A dependency that is used up is full by itself.
    """
    component, tier = account.component(resource.component), case.tiers[resource.component]
    if component is None or tier.cpu is None:
        return None
    each = tier.cpu.mean / resource.used if resource.used > 0 else 0.0
    if each * max(constants.USUAL_SLOTS, resource.number) >= constants.FULL * tier.cores:
        return None
    awaited_ms = {of: ms for of, ms in component.awaited_ms.items() if of in case.tiers}
    name = max(awaited_ms, key=lambda of: awaited_ms[of], default="")
    if not name or number_of(account, awaited_ms[name]) < constants.HELD_BY_ONE * resource.used:
        return None
    wait_s = awaited_ms[name] / 1e3
    if wait_s < constants.NOTICED_S and resource.number < constants.MANY_SLOTS * tier.cores:
        return None
    awaited = number_of(account, awaited_ms[name])
    return Holder("slow_dependency", name, min(resource.used, awaited), TEXTS.waiting_for(name))


def _of_program(case: Case, account: Account, resource: Resource, tier: Tier) -> Iterator[Holder]:
    background = background_of(account, tier.name)
    used = (tier.cpu.mean if tier.cpu is not None else 0.0) - background
    if resource.kind != "quota" and background > 0:
        yield _background(case, account, tier, background)
    if resource.kind != "quota" and tier.name == SERVER and (share := opened_share(case, LOAD)) > 0:
        # The load asks for new connections, and the server pays for them.
        yield Holder("connection_churn", LOAD, share * used, TEXTS.accepting_connection_each)
    if resource.kind != "cores":
        used = min(used, resource.by_requests)
    yield from _crowd(case, tier)
    collections = collections_of(case, tier)
    if collections is not None:
        worth = constants.WORTH if collections.is_nearly_full else constants.COLLECTED_WORTH
        yield Holder(
            "gc_pressure", tier.name, collections.share * used, TEXTS.collecting_garbage, worth=worth,
            counted_gain=without(collections.share) or 1.0,
        )  # fmt: skip
    read_back = reading_back(case, tier)
    if read_back > 0 and tier.cpu is not None:
        yield Holder(
            "memory_pressure", tier.name, read_back / tier.cpu.mean * used, TEXTS.reading_pages_back,
            spared_s=disk_s(case, tier),
        )  # fmt: skip
    for work, share, words in _classes(case, tier):
        if work == "import":
            yield Holder(_of_starting(case, tier), tier.name, share * used, TEXTS.starting_up)
        elif work == "scan" and scans_of(case, tier) is not None:
            continue  # that rows are read is no news: the claim by counters says whether they need to be
        elif work in CAUSE_OF_WORK:
            cause, worth = CAUSE_OF_WORK[work]
            spared_s = 0.0
            if work == "kernel_file" and durable_share(case, tier) is not None:
                cause, worth, spared_s = "disk_io", constants.WORTH, disk_s(case, tier)
            elif work == "kernel_file" and read_back > 0:
                continue  # the kernel does so for want of memory
            accused = _opener(tier) if cause == "connection_churn" else ""
            yield Holder(
                cause, tier.name, share * used, words, worth=worth, accused=accused, work=work,
                spared_s=spared_s,
            )  # fmt: skip


def _background(case: Case, account: Account, tier: Tier, used: float) -> Holder:
    """Return what runs on when no request is there: workers that start anew, or threads of its own.

    Where callers close their connections without an answer, what they asked for is computed all the same.
    """
    deaths = case.events_of("worker_died", "process_died", component=tier.name)
    if len(deaths) >= max(1, tier.workers):
        return Holder("restarts_in_step", tier.name, used, TEXTS.starting_up_anew, True)
    component = account.component(tier.name)
    if component is not None and "abandoned" in component.flags and (callers := tier.callers):
        mend = TEXTS.wait_longer(callers[0].name, tier.name)
        return Holder("slow_dependency", tier.name, used, TEXTS.calls_given_up, True, mend=mend)
    return Holder(
        "gil" if _is_held(account, tier) else "host_cpu", tier.name, used,
        TEXTS.threads_ran_when, True,
        mend=TEXTS.let_do_background(tier.name),
    )  # fmt: skip


def _crowd(case: Case, tier: Tier) -> Iterator[Holder]:
    """Yield a crowd of threads, by what is known of its cost: one trial does not tell all of it."""
    running, kernel = tier.track("process.threads", "state:R"), tier.track("process.cpu_system_s", "tree")
    if running is None or tier.cpu is None or tier.keeps_data or running.mean < CROWD * tier.cores:
        return
    if is_loop(tier) and serving(tier) < CROWD * tier.cores:
        return  # its other threads collect and compile: no request has one
    if (in_vain := _woken_in_vain(case, tier)) > 0:
        yield Holder("too_many_workers", tier.name, in_vain, TEXTS.waking_in_vain)
        return
    if (refilling := _refilling(case, tier)) >= (1 - 1 / constants.WORTH) * tier.cpu.mean:
        yield Holder("too_many_workers", tier.name, refilling, TEXTS.refilling_caches)
        return
    used, what, unseen = 0.0, TEXTS.switching_between_threads, TEXTS.what_they_cost
    if kernel is not None and _switches(tier) >= SWITCHES_PER_CORE_S * tier.cores:
        used = max(0.0, kernel.mean - USUAL_KERNEL_SHARE * tier.cpu.mean)
    if used > 0:
        yield Holder("too_many_workers", tier.name, used, what, is_sole=False)
    else:
        yield Holder("too_many_workers", tier.name, 0.0, what, worth=1.0, missing=(unseen,), is_sole=False)


def _woken_in_vain(case: Case, tier: Tier) -> float:
    """Return the cores that workers use who are woken where there is no request for them.

    No more workers than requests in flight have one, so of those that want a core at a time the others find
    nothing, as where all wait at one listener. In a queue that is served in turn, threads of two kinds stand
    in proportion to how often each kind comes.
    """
    running, voluntary = (
        tier.track("process.threads", "state:R"), tier.track("process.voluntary_switches", "tree"),
    )  # fmt: skip
    if running is None or voluntary is None or tier.cpu is None or case.load.ended_rps <= 0:
        return 0.0
    in_vain = running.mean - max(1.0, case.load.waiting)
    if min(tier.workers, in_vain) < CROWD * tier.cores or voluntary.mean < case.load.ended_rps:
        return 0.0
    for_each = in_vain / max(1.0, case.load.waiting) * IN_VAIN
    return tier.cpu.mean * for_each / (1 + for_each)


def _refilling(case: Case, tier: Tier) -> float:
    """Return the cores that workers use because each finds its caches cold when its turn comes; at least.

    What a request costs where its worker was at work anyway is no more than the fastest ones took in all.
    What all cost beyond that is not their own, and no more of it than the switches can have cost.
    """
    served, switches = alone(case), _switches(tier)
    if served is None or tier.cpu is None or tier.workers < CROWD * tier.cores or not case.load.ok_rps > 0:
        return 0.0
    theirs = served.at_once * case.load.ended_rps / case.load.ok_rps
    return max(0.0, min(tier.cpu.mean - theirs, REFILL_S * switches))


def _switches(tier: Tier) -> float:
    """Return how often a second a program's threads gave a core up, by themselves or not."""
    tracks = [tier.track(f"process.{kind}voluntary_switches", "tree") for kind in ("", "in")]
    return sum(track.mean for track in tracks if track is not None)


def _of_starting(case: Case, tier: Tier) -> str:
    """Return the cause of CPU time that goes to starting up under load, by what starts."""
    if case.events_of("worker_died", "process_died", component=tier.name):
        return "restarts_in_step"
    if tier.workers >= CROWD * tier.cores:
        return "too_many_workers"
    return "warm_up"


def _opener(tier: Tier) -> str:
    """Return who opens the connections that a program accepts: its caller, which could keep them."""
    return tier.callers[0].name if tier.name != SERVER and tier.callers else ""


def _is_held(account: Account, tier: Tier) -> bool:
    """Return whether the program computes under its interpreter's lock alone, or holds it nearly always.

    Where others take part of its core it computes less, and its threads wait for each other all the same.
    """
    component = account.component(tier.name)
    held = component.slots.number("interpreter", "held") if component is not None else 0.0
    return held >= FULL * min(1.0, tier.cpu.mean if tier.cpu is not None else 1.0) > 0


def _classes(case: Case, tier: Tier) -> Iterator[tuple[str, float, str]]:
    """Classes of work with their share of a program's CPU time, connections by what opening one costs."""
    shares = {work.work: (work.share, work.words) for work in works_of(case, tier)}
    if (opened := opened_share(case, tier.name)) > shares.get("connect", (0.0, ""))[0]:
        shares["connect"] = opened, TEXTS.by_share_connection_churn
    if (lines := logged(case, tier)) is not None and lines.share > shares.get("log", (0.0, ""))[0]:
        shares["log"] = lines.share, lines.words
    if tier.keeps_data or tier.kind in PROXIES:
        shares.pop("kernel_file", None)  # files are what it is for
    for work, (share, words) in shares.items():
        yield work, share, words
