"""Arithmetic cards: what a few numbers that were seen must come to, whatever else is the matter.

A card is a formula with the user's own numbers in it. It accuses nobody: it says where a limit lies, and
findings rest on the same arithmetic. Only what was observed has a card.
"""

import math
from collections.abc import Iterator
from typing import Annotated

from loadrig.base.documents import Document, Says
from loadrig.base.units import show_cores, show_duration, show_number, show_share, show_size
from loadrig.judgement.constants import FULL_OF_USE
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.garbage import OWN_PAUSES
from loadrig.judgement.facts.legs import TIME_WAIT_S, Leg, fullest_link, legs, of_clients
from loadrig.judgement.facts.pools import METRICS, Pool, pools
from loadrig.judgement.facts.quota import PERIOD_S
from loadrig.judgement.facts.tier import Tier
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.judgement import JudgementCardsTexts
from loadrig.language.labels import each_request
from loadrig.stats.erlang import erlang_c, servers_needed

TEXTS = texts_of(JudgementCardsTexts)

LEAST_RATE = 1.0
"""Requests a second below which no limit is worth a card."""

LEAST_PORTS_SHARE = 0.01
"""Share of the port range that a leg needs if each port is kept for 60 s, 0 to 1. Below it there is no
card."""

LEAST_LOOKS = 10
"""Fewest looks in which the lock was held: with fewer looks the share is off by more than a third."""

LEAST_ANSWER_BYTES = 1_000
"""Mean bytes of an answer below which bandwidth is not what a request costs."""

LEAST_IN_USE = 0.05
"""Mean number of a pool's connections or threads in use. Below it nobody uses the pool, and it has no
card."""


class ArithmeticCard(Document, frozen=True):
    """Piece of arithmetic about a case."""

    id: Annotated[str, Says("unique in a case: `ports:redis`")]
    title: Annotated[str, Says("what it is about, in a few words")]
    formula: Annotated[str, Says("the formula with the numbers filled in")]
    says: Annotated[str, Says("what follows from it, as a clause")]
    component: Annotated[str, Says("component that it is about")]


def cards(case: Case) -> tuple[ArithmeticCard, ...]:
    """Return all cards whose numbers were observed; an empty tuple where nothing was answered."""
    if case.load.ended_rps < LEAST_RATE:
        return ()
    of_tiers = (
        card
        for tier in case.programs
        for card in (*_quota(case, tier), *_pools(case, tier), *_collections(tier), *_serial(case, tier))
    )
    return (*(card for leg in legs(case) for card in _ports(leg)), *of_tiers, *_bandwidth(case))


def _ports(leg: Leg) -> Iterator[ArithmeticCard]:
    ports = leg.ports
    if ports is None or ports.rate * TIME_WAIT_S < LEAST_PORTS_SHARE * ports.total:
        return
    says = ports.text if ports.is_enough else TEXTS.shorter_test_cannot(ports.text)
    yield ArithmeticCard(f"ports:{leg.to}", TEXTS.ports_from(leg.name), ports.formula, says, leg.to)


def _quota(case: Case, tier: Tier) -> Iterator[ArithmeticCard]:
    quota, cpu = tier.quota, tier.cpu
    if not math.isfinite(quota) or cpu is None or cpu.mean <= 0:
        return
    demand_s = cpu.mean / case.load.ended_rps
    most_rps = show_number(quota / demand_s)
    formula = f"{show_cores(quota)} / {each_request(show_duration(demand_s))} = {most_rps}/s"
    says = TEXTS.more_requests_than(show_share(cpu.mean / quota))
    threads = tier.track("process.threads", "tree")
    at_once = min(float(tier.places), threads.median if threads is not None else 1.0)
    if at_once > quota:
        busy_s = PERIOD_S * quota / at_once
        says += TEXTS.threads_once_use(
            show_number(at_once),
            show_duration(busy_s),
            show_duration(PERIOD_S - busy_s),
            show_duration(PERIOD_S),
        )
    periods, throttled = (
        tier.track(name) or next(iter(tier.parts(name).values()), None)
        for name in ("cgroup.periods", "cgroup.throttled_periods")
    )
    if periods is not None and throttled is not None and periods.grew > 0:
        says += TEXTS.happened_periods(show_share(throttled.grew / periods.grew))
    yield ArithmeticCard(f"quota:{tier.name}", TEXTS.cpu_quota(tier.name), formula, says, tier.name)


def _pools(case: Case, tier: Tier) -> Iterator[ArithmeticCard]:
    for what in METRICS:
        for pool in pools(tier, what):
            if pool.used.mean >= LEAST_IN_USE:
                yield _pool(case, tier, what, pool)


def _pool(case: Case, tier: Tier, what: str, pool: Pool) -> ArithmeticCard:
    load, used, m = case.load, pool.used.mean, round(pool.limit)
    held_s = used / load.ended_rps
    wanted_rps = max(load.offered_rps, load.ended_rps) if load.is_open else load.ended_rps
    offered = wanted_rps * held_s
    rate, enough = show_number(wanted_rps), str(servers_needed(offered))
    formula = TEXTS.s_x_use(rate, show_duration(held_s), show_number(offered), str(m), enough)
    if offered >= m or used >= FULL_OF_USE * m:
        says = TEXTS.all_use_they(str(m), show_duration(held_s), show_number(m / held_s))
        if pool.waiting is not None and pool.waiting.mean >= 0.5:
            says += TEXTS.and_wait_for(show_number(pool.waiting.mean))
    else:
        wait = erlang_c(m, offered)
        queue_s = wait * held_s / (m - offered)
        says = TEXTS.requests_should_have(show_share(wait), show_duration(queue_s))
    title = TEXTS.in_text(what, TEXTS.subject_of(pool.subject) if pool.subject else "", tier.name)
    return ArithmeticCard(f"pool:{tier.name}:{what}{pool.subject}", title, formula, says, tier.name)


def _collections(tier: Tier) -> Iterator[ArithmeticCard]:
    """Yield the card of garbage collection: its share of the time is the most that it can cost throughput."""
    pauses = next((track for name in OWN_PAUSES if (track := tier.track(name)) is not None), None)
    if pauses is None:
        return
    # The pauses are summed over processes, and each process stands still alone.
    number = max(1, tier.workers) if pauses.name.startswith("python.") else 1
    share = pauses.mean / number
    formula = TEXTS.pauses_second(show_duration(pauses.mean))
    formula += TEXTS.processes(str(number), show_share(share)) if number > 1 else f" = {show_share(share)}"
    beside = tier.track("gc_log.concurrent_s")
    if beside is not None and tier.cpu is not None and tier.cpu.mean > 0:
        # A thread collects beside the program. Its CPU time is lost only where no core is free.
        along = beside.mean / max(tier.cores, 1.0)
        share += along
        formula += TEXTS.beside_program(show_share(along), show_share(share))
    elif (own := tier.track("go.gc_cpu_share")) is not None:
        share += own.median
        formula += TEXTS.cpu_time(show_share(own.median), show_share(share))
    says = TEXTS.collections_can_cost(show_share(share))
    yield ArithmeticCard(f"gc:{tier.name}", TEXTS.garbage_collection(tier.name), formula, says, tier.name)


def _serial(case: Case, tier: Tier) -> Iterator[ArithmeticCard]:
    """Yield the card of what one process of CPython or Node can do, by Amdahl's law."""
    busiest = tier.busiest
    if tier.runtime not in ("cpython", "node") or busiest is None or tier.cpu is None or tier.cpu.mean <= 0:
        return
    demand_s = tier.cpu.mean / case.load.ended_rps
    part, how = 1.0, TEXTS.loop_thread
    if tier.runtime == "cpython":
        looks, held = tier.track("python.looks"), tier.track("python.held_looks")
        if looks is None or held is None or held.grew < LEAST_LOOKS:
            return
        # Share of looks in which the lock is held, over the share of time in which the process has work.
        part = min(1.0, held.grew / looks.grew / min(1.0, max(busiest.mean, 0.01)))
        how = TEXTS.lock_held_looks(show_number(held.grew), show_number(looks.grew))
    most = 1 / (part * demand_s) if part > 0 else math.inf
    if not math.isfinite(most):
        return
    cores = max(2, tier.places)
    gain = 1 / (part + (1 - part) / cores)
    serial = TEXTS.serial_x_request(show_share(part), show_duration(demand_s))
    formula = f"1 / ({serial}) = {show_number(most)}/s a process"
    says = TEXTS.more_threads_make(how, show_cores(cores), show_number(gain), str(cores))
    yield ArithmeticCard(f"serial:{tier.name}", TEXTS.process(tier.name), formula, says, tier.name)


def _bandwidth(case: Case) -> Iterator[ArithmeticCard]:
    load, leg = case.load, of_clients(case)
    bytes_per_s = load.mean(load.bytes)
    size = bytes_per_s / load.ended_rps
    if size < LEAST_ANSWER_BYTES:
        return
    formula = TEXTS.request_x_s(show_size(size), show_number(load.ended_rps), show_size(bytes_per_s))
    link, ports = fullest_link(case, leg.far), leg.ports
    if ports is not None and ports.is_loopback:
        if case.server.cpu is None:
            return
        byte_ns = case.server.cpu.mean / bytes_per_s * 1e9
        says = TEXTS.loopback_has_no(show_number(byte_ns))
    elif link is not None:
        most, used = (
            link[1].median,
            TEXTS.bytes_per_s_of(show_share(bytes_per_s / link[1].median), link[1].subject),
        )
        says = TEXTS.carries_s_full(used, show_size(most), show_number(most / size))
    else:
        return
    yield ArithmeticCard("bandwidth:server", TEXTS.bytes_clients, formula, says, "server")
