"""The time in hand divided into states, so that all lines and the remainder add up. Pure arithmetic.

Everything here is a mean number of requests; by Little's law the number over the answers a second is a time.
Arrays are float64[k]: the numbers of the window first, then those of its resamples, so that a line and its
interval come from the same arithmetic.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from loadrig.account import states
from loadrig.base.later import Later
from loadrig.base.units import ROUNDING
from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountSplitTexts
from loadrig.recording.steps import Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

TEXTS = texts_of(AccountSplitTexts)

PARALLEL = 1.05
"""Ratio of calls under way to requests in hand. Above it calls run in parallel; below it the excess is noise
of looks."""

BACKGROUND_CORES = 0.1
"""Cores in use beyond what requests in hand could use. From it on background work is reported."""

OTHERS = 1.1
"""Ratio of requests at a component to requests for which its callers wait. Above it the component has other
callers."""

BY_CHANCE = 0.025
"""Share of resamples in which other callers may be missing: short calls are seen in few looks."""

ABANDONED_SHARE = 0.02
"""Ratio of abandoned requests to requests at the server from which on they are reported."""

TIED_SHARE = 0.1
"""Ratio of connections whose stage is unknown to requests in hand. From it on the account is marked as less
certain."""


@dataclass(frozen=True, eq=False)
class Call:
    """Calls to one dependency: mean numbers by what happens on its connections.

    tied: connections whose stage is unknown, half of them counted as awaiting. held: connections that are
    idle in a transaction.
    """

    of: str
    connecting: Floats
    awaiting: Floats
    answer_unread: Floats
    tied: float = 0.0
    held: "Floats | None" = None


@dataclass(frozen=True, eq=False)
class Means:
    """Mean numbers of one component, with the meanings of `seen.Observations`; None for what was not read.

    running: without background, the CPU time of threads that answer no request.
    """

    total: "Floats | None"
    generator: "Floats | None" = None
    connecting: "Floats | None" = None
    accept_queue: "Floats | None" = None
    unread: "Floats | None" = None
    in_hand: "Floats | None" = None
    sending: "Floats | None" = None
    abandoned: "Floats | None" = None
    tied: "Floats | None" = None
    calls: tuple[Call, ...] = ()
    running: "Floats | None" = None
    runnable: "Floats | None" = None
    throttled: "Floats | None" = None
    disk: "Floats | None" = None
    is_multiplexed: bool = False
    reads_apart: bool = False
    background: "Floats | None" = None


@dataclass(frozen=True, eq=False)
class LinePart:
    """A line before its interval is known: mean number of requests in a state.

    open_by: uncertainty either way, from connections whose stage is unknown.
    """

    state: str
    of: str
    number: Floats
    source: str
    open_by: float = 0.0


@dataclass(frozen=True, eq=False)
class TimeSplit:
    """All lines, what they should add up to, and the remainder. The remainder may be below zero."""

    parts: tuple[LinePart, ...]
    total: Floats
    rest: Floats
    flags: tuple[str, ...] = field(default=())


def throttled_of(runnable: Floats, running: Floats, stood_s: Floats, cores: float) -> Floats:
    """Return how many of the runnable threads wait because their control group has used up its quota.

    stood_s: seconds a second in which the group stood still, summed over cores: on each such core all threads
    that want to run wait. With no more threads than cores that is one thread a core.
    """
    a_core = np.maximum(1.0, (runnable + running) / max(cores, 1.0))
    throttled: Floats = np.minimum(runnable, stood_s * a_core)
    return throttled


def split(means: Means) -> TimeSplit:
    """Divide a component's requests. Every line is zero or more; with the remainder they are the total."""
    flags: list[str] = []
    before = [part for part in _before(means) if part is not None]
    sending = _part(states.SENDING, means.sending, "socket_stages.sending")
    in_hand = _in_hand(means, [*before, *([sending] if sending else [])], flags)
    inner = list(_inner(means, in_hand, flags)) if in_hand is not None else []
    if means.total is not None and sending is not None:
        # Callers who have an answer wait no longer, though it may lack an acknowledgement for a while.
        others = sum((part.number for part in [*before, *inner]), np.zeros(_size(means)))
        sending = replace(sending, number=np.minimum(sending.number, np.maximum(0.0, means.total - others)))
    parts = tuple(sorted([*before, *inner, *([sending] if sending else [])], key=_place))
    every = sum((part.number for part in parts), np.zeros(_size(means)))
    if means.total is None:
        flags.append("alone")
    total = every if means.total is None else means.total
    if _surely_above(every, OTHERS * total):
        if means.generator is None:
            flags.append("others")
    else:
        parts = tuple(_no_more_than(total, every, parts))
        every = sum((part.number for part in parts), np.zeros(_size(means)))
    if means.abandoned is not None and means.abandoned[0] > ABANDONED_SHARE * max(total[0], ROUNDING):
        flags.append("abandoned")
    if means.background is not None and means.background[0] > BACKGROUND_CORES:
        flags.append("background_cpu")
    if (
        means.tied is not None
        and in_hand is not None
        and means.tied[0] > TIED_SHARE * max(in_hand[0], ROUNDING)
    ):
        flags.append("tied")
    return TimeSplit(parts, total, total - every, tuple(sorted(set(flags), key=list(states.FLAGS).index)))


def _no_more_than(total: Floats, every: Floats, parts: Sequence[LinePart]) -> Iterator[LinePart]:
    """Yield the lines, those that looks count no longer than the total leaves them.

    A request under way is in one state, and how many there are is known better than by looks, which see a
    little too much as often as too little.
    """
    exact = sum((part.number for part in parts if _is_exact(part)), np.zeros(every.size))
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(every > total, np.maximum(0.0, total - exact) / (every - exact), 1.0)
    scale = np.where(np.isfinite(scale), scale, 1.0)
    for part in parts:
        if _is_exact(part):
            yield part
        else:
            yield replace(part, number=part.number * scale, open_by=part.open_by * float(scale[0]))


def _is_exact(part: LinePart) -> bool:
    """Return whether the generator knows a line: it looks at no socket for it."""
    return part.state == states.GENERATOR or (part.state == states.CONNECTING and not part.of)


def _surely_above(number: Floats, limit: Floats) -> bool:
    """Return whether a number is above a limit in the window, and in nearly all resamples of it."""
    above = number - limit
    return bool(above[0] > 0 and (above.size < 2 or np.quantile(above[1:], BY_CHANCE) > 0))


def _before(means: Means) -> Iterator[LinePart | None]:
    """Yield the states before a request is in hand."""
    yield _part(states.GENERATOR, means.generator, TEXTS.generator_response_less)
    yield _part(states.CONNECTING, means.connecting, TEXTS.generator_connect)
    yield _part(states.ACCEPT_QUEUE, means.accept_queue, "socket_stages.not_accepted - silent")
    yield _part(states.UNREAD, means.unread, "socket_stages.unread")


def _part(state: str, number: "Floats | None", source: str, dependency: str = "") -> LinePart | None:
    return None if number is None else LinePart(state, dependency, np.maximum(0.0, number), source)


def _in_hand(means: Means, others: list[LinePart], flags: list[str]) -> "Floats | None":
    """Return how many requests are in hand.

    Where sockets do not tell, the number is the total less the requests in other states.
    """
    if means.is_multiplexed:
        flags.append("multiplexed")
    elsewhere = sum((part.number for part in others), np.zeros(_size(means)))
    if means.in_hand is not None and not means.is_multiplexed:
        in_hand = np.maximum(0.0, means.in_hand)
        if means.tied is not None and means.total is not None:
            # Half of the ties were counted as in hand; the total says better how many are, as a request under
            # way is in one of the stages.
            in_hand = in_hand + np.clip(means.total - elsewhere - in_hand, -means.tied / 2, means.tied / 2)
        return np.maximum(0.0, in_hand)
    if means.in_hand is None:
        flags.append("in_hand_unseen")
    if means.total is None:
        return None
    return np.maximum(0.0, means.total - elsewhere)


def _inner(means: Means, in_hand: Floats, flags: list[str]) -> Iterator[LinePart]:
    """Yield states of requests in hand: dependencies first, then cores and disks, then the rest inside."""
    calling = sum(
        (call.connecting + call.awaiting + call.answer_unread for call in means.calls),
        np.zeros(_size(means)),
    )
    if calling[0] > PARALLEL * in_hand[0]:
        flags.append("parallel")
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = np.where(calling > in_hand, in_hand / calling, 1.0)
    for call in means.calls:
        source = TEXTS.socket_stages_out + ("" if scale[0] == 1.0 else TEXTS.scaled_fit)
        for state, number in (
            (states.AWAITING, call.awaiting),
            (states.CONNECTING, call.connecting),
            (states.ANSWER_UNREAD, call.answer_unread),
        ):
            if number[0] > 0:
                open_by = min(call.tied / 2, float(number[0])) if state == states.AWAITING else 0.0
                yield LinePart(state, call.of, number * scale, source.format(state, call.of), open_by)
    remaining = np.maximum(0.0, in_hand - calling * scale)
    delays = 0.0
    for state, number, source in _on_machine(means):
        in_state = np.minimum(remaining, np.maximum(0.0, number))
        if state == states.RUNNING and number[0] - in_state[0] > BACKGROUND_CORES:
            flags.append("background_cpu")
        remaining = remaining - in_state
        yield LinePart(state, "", in_state, source)
    for delay in _delays(means, remaining):
        delays += delay.open_by
        remaining = remaining - delay.number
        yield delay
    for held in _held(means, remaining):
        remaining = remaining - held.number
        yield held
    if means.in_hand is not None:
        is_open = means.tied is not None and means.total is None
        open_by = float(means.tied[0]) / 2 if is_open and means.tied is not None else 0.0
        yield LinePart(states.INSIDE, "", remaining, TEXTS.hand_less_all, open_by + delays)


def _held(means: Means, remaining: Floats) -> Iterator[LinePart]:
    """Yield transactions in which nothing is asked.

    remaining: requests in hand whose state is not known so far. A request that runs or waits for a core may
    be in the middle of a transaction, too, so that some of these may belong to the rest inside. So may one
    that waits for somebody else; as nothing else makes a transaction stand for long, those that wait count
    as being in one.
    """
    busy = sum((number[0] for _, number, _ in _on_machine(means)), 0.0)
    busy += 0.0 if means.runnable is None else means.runnable[0]
    for call in means.calls:
        if call.held is not None and call.held[0] > 0:
            elsewhere = sum((each.awaiting for each in means.calls if each is not call), np.zeros(1))
            number = np.minimum(remaining, np.maximum(0.0, call.held - elsewhere))
            doubt = float(busy + np.minimum(call.held, elsewhere)[0])
            open_by = min(float(np.minimum(remaining, call.held)[0]), doubt)
            remaining = remaining - number
            yield LinePart(states.HOLDING, call.of, number, TEXTS.socket_stages_idle(call.of), open_by)


def _on_machine(means: Means) -> Iterator[tuple[str, Floats, str]]:
    """Yield what runs and what waits for a disk. Both are of requests in hand, and come before run delay."""
    if means.running is not None:
        yield states.RUNNING, means.running, "process.cpu_s"
    if means.disk is not None:
        yield states.DISK, means.disk, TEXTS.thread_states_threads


def _delays(means: Means, remaining: Floats) -> Iterator[LinePart]:
    """Yield waits for a core. left: requests in hand whose state is not known so far.

    Run delay is also that of threads that are to read what has come, which is counted as unread. An event
    loop that waits for a core was mostly stopped in the middle of a request. Where each thread reads a
    connection of its own, every message that is unread has a thread that waits to read it, and a thread that
    waits for a core is as likely to be one of those as one that has a request in hand.
    """
    if means.runnable is None:
        return
    share, source = np.ones(1), TEXTS.run_delay
    if means.reads_apart:
        unread = sum((call.answer_unread for call in means.calls), np.zeros(_size(means)))
        unread = unread + (means.unread if means.unread is not None else 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = np.where(unread > 0, remaining / (remaining + unread), 1.0)
        source = TEXTS.run_delay_requests
    throttled = means.throttled if means.throttled is not None else np.zeros(1)
    states_of = [(states.RUNNABLE, means.runnable - throttled, source)]
    if throttled[0] > 0:
        states_of = [
            (states.RUNNABLE, means.runnable - throttled, TEXTS.less_throttled(source)),
            (states.THROTTLED, throttled, TEXTS.cgroup_throttled_s),
        ]
    for state, number, whence in states_of:
        most = np.minimum(remaining, np.maximum(0.0, number))
        in_state = np.minimum(most, np.maximum(0.0, number * share))
        # All of these threads may have a request in hand, or fewer than this share: the interval is open by
        # the difference.
        yield LinePart(state, "", in_state, whence, float(most[0] - in_state[0]))
        remaining = remaining - in_state


def _place(part: LinePart) -> tuple[int, str]:
    """Return where a line stands: in the order of a request's way, then by the dependency's name."""
    # Connecting to a dependency belongs to what is in hand, behind awaiting.
    place = states.ORDER[part.state]
    if part.state == states.CONNECTING and part.of:
        place = states.ORDER[states.AWAITING]
    return place, part.of


def _size(means: Means) -> int:
    for number in (means.total, means.in_hand, means.unread, means.running, means.runnable, means.disk):
        if number is not None:
            return int(number.size)
    return 1
