"""Requests spend their time waiting for a dependency that is not busy itself: it is slow, or far away."""

import math
from collections.abc import Iterator

from loadrig.base.units import show_cores, show_duration, show_number, show_share
from loadrig.judgement.cause import OF_ANY_LIMIT, About, Law, OwnWords, Proof
from loadrig.judgement.constants import FULL_SHARE, MOSTLY
from loadrig.judgement.evidence import STRONG, Claims, Evidence, Hypothesis, Sign, by_arithmetic
from loadrig.judgement.facts import dependencies, observed, waits
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.siblings import Sibling, slow_sibling
from loadrig.judgement.harms import standstill
from loadrig.judgement.own_words import DNS
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.slow_dependency import SlowDependencyTexts
from loadrig.probes.name_lookups import NAME_SERVERS

TEXTS = texts_of(SlowDependencyTexts)

ABOUT = About("answer", "size", harms=OF_ANY_LIMIT | {"stopped", "dips", "drift"})

OWN_WORDS = (
    OwnWords("dependency", ("timed_out", "gave_up", "refused"), "asked"),
    OwnWords("names", ("failed",), "names"),
)

PROOFS = (Proof("delay", is_own=False),)
"""Experiments. A delay is not its own proof: requests that wait for a connection or a thread move, too."""

GAIN = Law("share")

TOLD_S = 0.01
"""Time in seconds that a request waits for a dependency, from which on that is told where nothing is wrong: a
call inside one data centre takes about a millisecond."""


def examine(case: Case) -> Claims:
    """Yield one hypothesis for each dependency that requests may wait for, and for each name server."""
    if (calls := standstill.does_not_answer(case)) is not None:
        yield _stopped(calls)
        return
    yield from _names(case)
    if (pair := slow_sibling(case)) is not None:
        yield _slower(case, *pair)
    awaited = list(waits.awaited_links(case))
    yield from (_hypothesis(case, link) for link in awaited)
    longest = waits.longest_awaited(case) if "tail" in case.harms else None
    if longest is not None and longest.tier.name not in {link.link.name for link in awaited}:
        yield from _of_the_slowest(case, longest)


def where_nothing_is_wrong(case: Case) -> Claims:
    """Yield the dependency that takes most of a request's time, though its CPU does little meanwhile.

    Of programs behind a proxy that is one which is far slower than another one.
    """
    if (pair := slow_sibling(case)) is not None:
        yield _slower(case, *pair)
    longest = waits.longest_awaited(case)
    if longest is None or longest.awaited_s < TOLD_S:
        return
    name, awaited_s, total_s = longest.tier.name, longest.awaited_s, longest.total_s
    if not dependencies.a_request(case, longest.tier.cpu) >= MOSTLY * awaited_s:
        text = TEXTS.takes_most(show_duration(total_s), show_duration(awaited_s), name)
        signs = (by_arithmetic(True, text),)
        mend, decides = TEXTS.ask_less_often(name), TEXTS.same_load_stand(name)
        yield Hypothesis(name, signs, text, mend, decides, bound=awaited_s / total_s)


def _stopped(calls: standstill.Calls) -> Hypothesis:
    """Return the hypothesis of a dependency that does not answer any more."""
    name, standing = calls.to.name, calls.standing
    waited = (show_number(calls.awaiting), show_number(standing.waiting))
    effect = TEXTS.effect(name, show_duration(standing.seconds), *waited)
    signs, mend = calls.signs(TEXTS.until_end(*waited)), TEXTS.look_why_stands
    return Hypothesis(name, signs, effect, mend, TEXTS.ask_directly_while)


def _slower(case: Case, slow: Sibling, quick: Sibling) -> Hypothesis:
    """Return the hypothesis of a program that is far slower than another one behind the same proxy."""
    times = show_duration(slow.seconds), show_duration(quick.seconds)
    text = TEXTS.slower_than(slow.tier.name, times[0], quick.tier.name, times[1], case.server.kind)
    used = TEXTS.used_cpu_may(show_share(dependencies.fullness(case, slow.tier)))
    late = slow.waiting * (1 - quick.seconds / slow.seconds)
    behind, every = show_number(late), show_number(case.load.waiting)
    return Hypothesis(
        slow.tier.name,
        (
            by_arithmetic(True, text, STRONG),
            *observed.signs(slow.tier.cpu, dependencies.stands_idle(case, slow.tier), used),
        ),
        text, mend=TEXTS.mend_slower(slow.tier.name, quick.tier.name),
        decides=TEXTS.decides_slower(slow.tier.name),
        bound=case.load.share_waiting(late), bound_text=TEXTS.requests_flight(behind, every),
    )  # fmt: skip


def _names(case: Case) -> Claims:
    """Yield the hypothesis of each name server, or other server over UDP, that requests wait for."""
    for server, waiting, asked in waits.names_awaited(case):
        share, is_of_names = case.load.share_waiting(waiting), server.endswith(NAME_SERVERS)
        words = TEXTS.requests_flight_waited if is_of_names else TEXTS.waited_over_udp
        text = words(show_number(waiting), show_number(case.load.waiting), server)
        signs = (Sign(True, text, asked.source, STRONG),)
        if is_of_names:
            bound_text = TEXTS.request_waits_time(show_share(share))
            yield Hypothesis(DNS, signs, text, bound=share, bound_text=bound_text, detail=f"names: {server}")
        else:
            mend, decides = TEXTS.ask_less_often(server), TEXTS.same_load_stand(server)
            yield Hypothesis(server, signs, text, mend, decides, bound=share, detail="over UDP")


def _hypothesis(case: Case, awaited: waits.AwaitedLink) -> Hypothesis:
    load, link, waiting = case.load, awaited.link, show_number(awaited.waiting)
    effect = TEXTS.requests_waited_any(waiting)
    effect += TEXTS.each(show_duration(awaited.waiting / load.ended_rps)) if load.ended_rps else ""
    effect += TEXTS.median(show_duration(load.latency(0.5))) if math.isfinite(load.latency(0.5)) else ""
    more = observed.evidence(link.given_up, 0.2 * link.connections, TEXTS.calls_any_time, STRONG)
    if link.opened_a_request >= dependencies.RETRIES and link.established is not None:
        text = TEXTS.connections_opened_each(show_number(link.opened_a_request))
        more = (Evidence(text, link.established.source), *more)
    disk = observed.machine(link.to).track("system_cpu.iowait_s") if link.to.is_database else None
    return Hypothesis(
        link.name, (*_signs(case, awaited), *awaited.excluding()), effect,
        mend=TEXTS.ask_less_often(link.name), decides=TEXTS.same_load_stand(link.name),
        more=more, against=observed.evidence(disk, 0.2, TEXTS.cores_machine_waited),
        bound=load.share_waiting(awaited.waiting),
        bound_text=TEXTS.requests_flight(waiting, show_number(load.waiting)),
    )  # fmt: skip


def _of_the_slowest(case: Case, longest: waits.Awaited) -> Claims:
    """Yield the dependency that answers most calls at once, and keeps the slowest requests waiting.

    No request of usual length waits for longer than it takes: what all wait on average beyond the median is
    waited by slow ones.
    """
    name, median_s = longest.tier.name, case.load.latency(0.5)
    late_s, slower_s = longest.awaited_s - median_s, longest.total_s - median_s
    if not min(late_s, slower_s) > 0:  # looks at sockets and the generator's clock are of different samples
        return
    text = TEXTS.slowest_wait(name, show_duration(longest.awaited_s), show_duration(median_s))
    used = TEXTS.used_cpu_may(show_share(dependencies.fullness(case, longest.tier)))
    yield Hypothesis(
        name,
        (
            by_arithmetic(late_s >= MOSTLY * slower_s, text),
            *observed.signs(longest.tier.cpu, dependencies.stands_idle(case, longest.tier), used),
        ),
        text, mend=TEXTS.bound_slowest(name), decides=TEXTS.same_load_stand(name),
        bound=min(1.0, late_s / slower_s), bound_text=text,
    )  # fmt: skip


def _signs(case: Case, awaited: waits.AwaitedLink) -> Iterator[Sign]:
    """Yield the signs that requests wait for the dependency, and that neither side is busy itself."""
    link, waiting = awaited.link, show_number(awaited.waiting)
    tier, owner = link.to, link.owner
    text = TEXTS.may_wait_connections(waiting, show_number(awaited.in_hand), owner.name)
    source = link.established.source if link.established is not None else dependencies.working(tier)
    yield Sign(awaited.waiting >= MOSTLY * awaited.in_hand, text, source)
    is_idle: bool | None = dependencies.stands_idle(case, owner)
    text = TEXTS.itself_used(owner.name, show_number(observed.figure(owner.cpu)), show_cores(owner.cores))
    if not is_idle and dependencies.fullness(case, owner) < FULL_SHARE:
        is_idle, text = None, TEXTS.part_time_may(text)
    yield observed.sign(owner.cpu, is_idle, text, TEXTS.cpu_not_seen(owner.name))
    at_work, source = dependencies.at_work(tier), dependencies.working(tier)
    if math.isfinite(at_work):
        kind = TEXTS.sessions_work if tier.is_database else TEXTS.commands_work_or
        text = TEXTS.average_connections_use(show_number(at_work), kind, waiting)
        yield Sign(at_work >= MOSTLY * awaited.waiting, text, source)
    elif tier.is_database:
        yield Sign(None, dependencies.unseen(case, tier, TEXTS.what_sessions_do(tier.name)), source)
    text = TEXTS.used_cpu_may(show_share(dependencies.fullness(case, tier)))
    yield from observed.signs(tier.cpu, dependencies.stands_idle(case, tier), text)
