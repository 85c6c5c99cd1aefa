"""A cache that works on one thing at a time holds everybody up, or stops doing its work.

## Signature

Redis's one thread is busy nearly all of the time; or single commands hold it for many milliseconds; or what
is asked for is suddenly, or always, not there, and the work falls on what lies behind.

## Data

CPU time, time in commands, the slow log, pauses of the latency monitor, hits, misses and evictions.

## Deciding test

`--prove` takes a fifth of redis's CPU or gives it a quarter more: throughput follows where its one thread is
the limit, and mostly where a slow command holds it. Of misses that come together: the knob that gives times
to live a jitter, in turns; the dips go. Of a cache that is too small: the knob of its size.

## Guard

A client that spends its time on packing and unpacking is busy itself, and redis is not. A cache that fills
after a start misses less and less by itself.

## Fix

SCAN instead of KEYS, commands of constant time, pipelines, replicas or shards; jitter on times to live; more
memory where keys are evicted.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.about import About
from loadrig.judgement.constants import FULL_SHARE
from loadrig.judgement.evidence import (
    CLEAR,
    SLIGHT,
    STRONG,
    EventSource,
    Evidence,
    Hypothesis,
    SeriesSource,
    Sign,
)
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.dependencies import costliest, fullness, links
from loadrig.judgement.facts.tier import CACHES, ONE_AT_A_TIME, Tier
from loadrig.judgement.facts.track import Track
from loadrig.judgement.gains import Law
from loadrig.judgement.proofs import Proof
from loadrig.recording.steps import Bools, Floats

TITLE = "the cache holds everybody up"
HARMS = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed", "dips"})
ABOUT = About("cpu", "size", full=("cores", "thread"), of=CACHES)

PROOFS = (
    Proof("cpu", of=("one thread",)),
    # A slow command uses CPU while it holds the thread, but may come too seldom to show.
    Proof("cpu", is_needed=False, of=("slow command",)),
    # Times to live that are twice as long make half of the storms, which is hard to tell from chance.
    Proof("knob", ("expiry",), "other", is_needed=False, of=("misses together",)),
    # A larger cache spares the database work, whether or not the old one was too small.
    Proof("knob", ("cache",), is_needed=False, is_own=False, of=("too small",)),
)

GAIN = Law("capacity", "CPU", of=("one thread",))

TRACE_THREAD_SHARE = 0.2
"""Share of the one thread in use, 0 to 1. Below it the cache is not suspected."""

SLOW_S = 2e-3
"""Mean time of a slow command in seconds: those of constant time take 1 to 20 µs, and a thousand others wait
meanwhile."""

CACHE_HELD_SHARE = 0.1
"""Share of the time that slow commands hold the thread, 0 to 1, from which on one request in ten meets
one."""

MISSES_MORE = 0.25
"""Rise of the share of misses in a storm: of four look-ups one goes behind the cache that did not before."""

STORMS = 0.1
"""Share by which throughput must fall in a storm of misses, 0 to 1."""


FEWEST_MISSES = 5.0
"""Look-ups a second that miss, below which a cache spares nobody much."""

EVICTED_SHARE = 0.1
"""Keys evicted for each look-up that missed, from which on there is too little room for what is asked for."""

MISSED_SHARE = 0.2
"""Share of the look-ups that miss, 0 to 1, from which on a cache without room spares too little."""

NAMES: Mapping[str, Mapping[str, str]] = {
    "redis": {"evicted": "redis.evicted_keys", "expired": "redis.expired_keys"},
    "memcached": {"evicted": "memcached.evictions", "expired": "memcached.misses_expired"},
}
"""Names of the counters whose names differ, by kind of the cache."""


@dataclass(frozen=True, slots=True)
class Lookups:
    """Look-ups of a cache: those that found their key, and those that missed; keys evicted and expired."""

    hits: Track
    misses: Track
    evicted: Track | None
    expired: Track | None

    @property
    def spared_share(self) -> float:
        """Share of the misses that more room would have spared, 0 to 1: a key was evicted for each."""
        missed = self.misses.mean
        return min(1.0, self.evicted.mean / missed) if self.evicted is not None and missed > 0 else 0.0


def lookups_of(tier: Tier) -> Lookups | None:
    """Return the look-ups of a cache; None where they were not read."""
    names = NAMES.get(tier.kind, {})
    hits, misses = tier.track(f"{tier.kind}.hits"), tier.track(f"{tier.kind}.misses")
    if not names or hits is None or misses is None:
        return None
    return Lookups(hits, misses, tier.track(names["evicted"]), tier.track(names["expired"]))


def examine(case: Case) -> Iterator[Hypothesis]:
    """Yield the hypotheses of each cache that leave a trace: one thread, a slow command, misses."""
    for tier in case.of_kind(*CACHES):
        yield from _misses(case, tier)
    for tier in case.of_kind(*ONE_AT_A_TIME):
        slow, busy = _slow_command(case, tier), list(_one_thread(case, tier))
        # One slow command in a minute does not explain a thread that is busy with quick ones.
        if slow is not None and (slow.signs[0].holds is not False or not busy):
            yield slow
        else:
            yield from busy


def _one_thread(case: Case, tier: Tier) -> Iterator[Hypothesis]:
    # A thread that is busy four fifths of the time has a long tail by nature (1 / (1 - U)).
    if tier.cpu is None or set(case.harms) <= {"tail"}:
        return
    cores = min(1.0, tier.cores)
    full = max(fullness(case, tier) if tier.places == 1 else 0.0, min(1.0, tier.cpu.mean / cores))
    if full < TRACE_THREAD_SHARE:
        return
    rate = case.load.ended_rps
    top, more = costliest(tier, "redis.command_s"), []
    if top is not None:
        text = f"{top[0]} takes {show_share(min(1.0, top[1].mean))} of its time"
        more.append(Evidence(text, top[1].source, SLIGHT))
    commands = tier.track("redis.commands")
    calls = (
        f", {show_number(commands.mean / rate)} commands for each" if commands is not None and rate else ""
    )
    yield Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                full >= FULL_SHARE,
                f"its one thread used {show_number(tier.cpu.mean)} of {show_number(cores)} core",
                tier.cpu.source,
                STRONG if tier.cpu.mean >= 0.7 * cores else CLEAR,
            ),
            *_askers(case, tier),
        ),
        more=tuple(more),
        effect=f"it was busy {show_share(full)} of the time at {show_number(rate)} requests a second{calls}",
        mend="fewer commands (pipelines, MGET, a small cache in the process), then replicas or shards",
        decides=f"a quarter more CPU or a second instance for {tier.name}: throughput follows",
        bound=full,
        bound_text=f"{show_number(tier.cpu.mean)} of {show_number(cores)} core",
        detail="one thread",
    )


def _askers(case: Case, tier: Tier) -> Iterator[Sign]:
    """Yield the sign that a program that asks the cache has CPU to spare."""
    for link in links(case):
        if link.to is tier and link.owner.cpu is not None and tier.cpu is not None:
            text = f"{link.owner.name}, which asks it, used {show_cores(link.owner.cpu.mean)}"
            shares = bool(set(link.owner.cpus) & set(tier.cpus))
            busier = link.owner.cpu.mean > tier.cpu.mean if shares else fullness(case, link.owner) >= 0.9
            yield Sign(not busier, text, link.owner.cpu.source, SLIGHT)
            return


def _slow_command(case: Case, tier: Tier) -> Hypothesis | None:
    """Return the hypothesis of a command that holds the thread for long each time; None without one."""
    slowest = _slowest(case, tier)
    if slowest is None:
        return None
    name, each_s, share, source = slowest
    events = case.events_of("slow_command", component=tier.name)
    spikes = case.events_of("latency_spike", component=tier.name)
    more = []
    if events:
        longest = max(float(event.facts.get("duration_s", 0.0)) for event in events)
        text = f"{len(events)} commands are in its slow log, the longest of {show_duration(longest)}"
        more.append(Evidence(text, EventSource(tier.name, "slow_command", len(events)), CLEAR))
    if spikes:
        text = f"its latency monitor saw {len(spikes)} pauses"
        more.append(Evidence(text, EventSource(tier.name, "latency_spike", len(spikes)), SLIGHT))
    waits = share / max(1e-9, 1 - min(share, 0.99)) * each_s / 2
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                share >= CACHE_HELD_SHARE,
                f"{name} held its one thread {show_share(min(1.0, share))} of the time,"
                f" {show_duration(each_s)} each time",
                source,
                STRONG if share >= 0.5 else CLEAR,
            ),
        ),
        more=tuple(more),
        against=tuple(Evidence(sign.text, sign.source) for sign in _askers(case, tier) if not sign.holds),
        effect=f"{name} takes {show_duration(each_s)}, and nobody else is served meanwhile: any other command"
        f" waits {show_duration(waits)} on average",
        mend=f"replace {name} by what takes constant time or small steps (SCAN for KEYS, not whole sets)",
        decides=f"the same load without {name}: latency falls",
        bound=_reach(case, share, each_s),
        bound_text=f"{show_share(min(1.0, share))} of its time, {show_duration(each_s)} at a time",
        detail=f"slow command {name}",
    )


def _reach(case: Case, share: float, each_s: float) -> float:
    """Return the share of the lost throughput, or of a slow tail, that such a command could explain."""
    p99 = case.load.latency(0.99)
    return min(1.0, max(share, each_s / p99 if p99 > 0 else 0.0))


def _slowest(case: Case, tier: Tier) -> tuple[str, float, float, SeriesSource] | None:
    """Return the slow command that takes most time: name, mean time, share of the time; None without one."""
    commands = []
    for subject, spent in tier.parts("redis.command_s").items():
        calls = tier.track("redis.command_calls", subject)
        if subject != "others" and calls is not None and calls.mean > 0 and spent.mean / calls.mean >= SLOW_S:
            name = subject.partition(":")[2].upper()
            commands.append((name, spent.mean / calls.mean, spent.mean, spent.source))
    if commands:
        return max(commands, key=lambda row: row[2])
    events = case.events_of("slow_command", component=tier.name)
    spent_s = sum(float(event.facts.get("duration_s", 0.0)) for event in events)
    if not events or not case.measured_s:
        return None
    name = max((str(event.subject or "a command") for event in events), key=len)
    source = SeriesSource(tier.name, "redis.slow_commands")
    return name.upper(), spent_s / len(events), spent_s / case.measured_s, source


def _misses(case: Case, tier: Tier) -> Iterator[Hypothesis]:
    """Yield the hypothesis of misses: together at moments, or always because keys are evicted."""
    lookups = lookups_of(tier)
    if lookups is None:
        return
    misses = lookups.misses.values
    looked = lookups.hits.values + misses
    good = case.is_inside & np.isfinite(looked) & (looked > 0)
    if good.sum() < 6:
        return
    share = np.full(looked.shape, np.nan)
    share[good] = misses[good] / looked[good]
    usual, high = float(np.median(share[good])), float(np.quantile(share[good], 0.95))
    if high - usual >= MISSES_MORE:
        yield _storm(case, tier, lookups, share, good, usual)
    elif lookups.spared_share >= EVICTED_SHARE and lookups.misses.mean >= FEWEST_MISSES:
        yield _too_small(tier, lookups, usual)


def _storm(case: Case, tier: Tier, lookups: Lookups, share: Floats, good: Bools, usual: float) -> Hypothesis:
    load = case.load
    storm = good & (share >= usual + MISSES_MORE)
    calm = good & ~storm
    before, in_it = float(load.ok[calm].mean()), float(load.ok[storm].mean())
    fell = 1 - in_it / before if before > 0 else 0.0
    first = np.flatnonzero(good)[0]
    is_filling = bool(storm[first]) and not storm[good][int(good.sum()) // 3 :].any()
    logins = float(load.logins[storm].mean()) > 2 * float(load.logins[calm].mean()) + 0.5
    source, expired = lookups.misses.source, lookups.expired
    more = []
    if expired is not None and np.nanmean(expired.values[storm]) > 3 * np.nanmean(expired.values[calm]) + 1:
        more.append(Evidence("many keys expire just then", expired.source, CLEAR))
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                not is_filling,
                "it missed most at the begin, and less and less: it was being filled"
                if is_filling
                else f"{show_share(float(share[storm].mean()))} of the look-ups missed in {int(storm.sum())}"
                f" of {int(good.sum())} steps, {show_share(usual)} usually",
                source,
                CLEAR,
            ),
            Sign(
                fell >= STORMS,
                f"{show_number(in_it)}/s were answered in these steps, {show_number(before)}/s in the others",
                load.source("load.successful_rps"),
                CLEAR,
            ),
            Sign(
                not logins,
                "logins rise in the same steps: the load itself has changed"
                if logins
                else "the load was the same in these steps",
                load.source("routes"),
                0.0,
            ),
        ),
        more=tuple(more),
        effect=f"when many keys are missing at once, throughput falls by {show_share(max(0.0, fell))}",
        mend="give times to live a jitter of a tenth, and let one request refill a key for all that wait",
        decides="the same load with jitter on the times to live: the dips go",
        detail="misses together",
    )


def _too_small(tier: Tier, lookups: Lookups, usual: float) -> Hypothesis:
    assert lookups.evicted is not None
    evicted, misses = lookups.evicted.mean, lookups.misses.mean
    return Hypothesis(
        component=tier.name,
        signs=(
            Sign(
                usual >= MISSED_SHARE,
                f"{show_share(usual)} of the look-ups missed while {show_number(evicted)} keys a second were"
                " evicted, as there was no room for them",
                lookups.evicted.source,
                STRONG,
            ),
        ),
        effect=f"{show_number(misses)} look-ups a second go behind it because keys had to make room",
        mend="give it more memory, keep less in it or for a shorter time; with redis, evict by use"
        " (allkeys-lfu)",
        decides="the same load with twice the memory: misses fall",
        bound=min(1.0, usual),
        bound_text=f"{show_share(usual)} of the look-ups missed",
        detail="too small",
    )
