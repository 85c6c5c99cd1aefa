"""A call that does not return holds up an event loop, and with it every request that the loop serves."""

import math
from collections.abc import Iterator

from loadrig.base.units import show_duration, show_number
from loadrig.judgement.cause import About, Law, Proof
from loadrig.judgement.constants import FULL_SHARE, MOSTLY
from loadrig.judgement.evidence import SLIGHT, STRONG, Claims, Evidence, Hypothesis, Source
from loadrig.judgement.facts import loops
from loadrig.judgement.facts.carriers import carries_load
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.concurrency import ONE_BY_ONE, Alone, alone, works_one_by_one
from loadrig.judgement.facts.disks import running_s
from loadrig.judgement.facts.slots import is_loop, serving
from loadrig.judgement.facts.tier import Tier
from loadrig.judgement.facts.work import hot_function
from loadrig.language.choice import texts_of
from loadrig.language.en.causes.blocked_event_loop import BlockedEventLoopTexts

TEXTS = texts_of(BlockedEventLoopTexts)

ABOUT = About("cpu", "use", refines="host_cpu")

PROOFS = (
    # More workers help whoever fills them, so against the signs they convict nobody.
    Proof("knob", ("workers",), is_needed=False, is_conviction=False),
    Proof("cpu", is_needed=False, is_own=False, of=("a call that computes",)),
    # Whatever limits a server, it does more without its heaviest route.
    Proof("load", ("without",), is_needed=False, is_own=False),
)
"""Experiments. More loops are not needed to help: calls that compute may fill every core that there is."""

GAIN = Law("slots", "CPU")


def examine(case: Case) -> Claims:
    """Yield one hypothesis for the program that carries the load, where calls hold up its event loops."""
    for tier in _asked_loops(case):
        if (late := loops.delayed(case, tier, alone(case))) is not None:
            yield _hypothesis(case, tier, alone(case), late)


def where_nothing_is_wrong(case: Case) -> Claims:
    """Yield the program in which requests lie unread most of their time, though all are answered in time.

    Where even the slowest are late by less than a healthy loop may be, what is unread is what a machine takes
    to wake a loop up.
    """
    p50_s, p99_s = (case.load.latency(quantile) for quantile in (0.5, 0.99))
    if not p99_s - p50_s >= loops.SLOW_TO_WAKE_S:
        return
    for tier in _asked_loops(case):
        sign = loops.lain_unread(case, tier) if loops.unread_share(case, tier) >= MOSTLY else None
        if sign is not None:
            yield _hypothesis(case, tier, alone(case), loops.Delayed(sign))


def _asked_loops(case: Case) -> Iterator[Tier]:
    """Yield the programs with event loops that carry the load."""
    for tier in case.programs:
        if carries_load(case, tier) and tier.is_application and is_loop(tier):
            yield tier


def _hypothesis(case: Case, tier: Tier, served: Alone | None, late: loops.Delayed) -> Hypothesis:
    load, used = case.load, tier.busiest.mean if tier.busiest is not None else math.nan
    pair = loops.quick_and_slow(served) if served is not None else None
    hot = hot_function(case, tier) if used >= FULL_SHARE / 2 else None
    more = [Evidence(TEXTS.most_cpu_time(hot[0]), hot[1], SLIGHT)] if hot is not None else []
    against = []
    if served is not None:
        text = TEXTS.works_flight_once(show_number(served.at_once), show_number(load.waiting))
        if loops.is_crowded(case, tier, served) and works_one_by_one(served, serving(tier)):
            more.append(Evidence(text, loops.at_once_formula(served)))
        shows_pause = late.is_asleep or loops.is_full(tier) or bool(tier.parts("node.delay_max_s"))
        if served.at_once > 2 * ONE_BY_ONE * serving(tier) and not shows_pause:
            text = TEXTS.blocked_loop_does(text)
            against.append(Evidence(text, loops.at_once_formula(served), STRONG if tier.callees else SLIGHT))
    p50 = load.latency(0.5)
    mean_alone = served.at_once / load.ok_rps if served is not None and load.ok_rps else math.nan
    # The fastest answer may be of a request that computes less than most.
    mean_alone = max(mean_alone, running_s(case, tier))
    is_waiting = p50 > mean_alone and "tail" not in case.harms
    text = TEXTS.work_rest_waiting(show_duration(mean_alone), show_duration(p50))
    waits = not loops.computes_in_calls(tier)
    kind = "a call that waits" if waits else "a call that computes"
    return Hypothesis(
        tier.name, (late.sign, loops.blocking_call(case, tier, served), *loops.stopped_by(case, tier)),
        effect=TEXTS.effect(late.sign.text, show_number(load.waiting), show_number(load.ok_rps)),
        mend=_mend(tier, hot, waits=waits), more=tuple(more), against=tuple(against),
        bound=1 - mean_alone / p50 if is_waiting else None, bound_text=text if is_waiting else "",
        detail=f"{kind}: {pair[1]}" if pair is not None else kind,
    )  # fmt: skip


def _mend(tier: Tier, hot: tuple[str, Source] | None, *, waits: bool) -> str:
    what = TEXTS.what_does(hot[0]) if hot is not None else TEXTS.call_blocks
    if waits:
        how = TEXTS.await_asyncio_thread if tier.runtime == "cpython" else TEXTS.asynchronous_form
        return TEXTS.take_out_loop(what, how)
    how = TEXTS.process_pool if tier.runtime == "cpython" else TEXTS.worker_thread_worker
    return TEXTS.take_out_loop_more(what, how)
