"""An account in words: each state as a reader would say it, and the longest parts in one sentence."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.account import states
from loadrig.account.trial_account import ComponentAccount
from loadrig.base.units import show_duration
from loadrig.language.choice import texts_of
from loadrig.language.en.account import AccountSentenceTexts

TEXTS = texts_of(AccountSentenceTexts)

MOST_PARTS = 5
"""Largest number of parts that a sentence names: a reader does not remember more."""

LEAST_SHARE = 0.01
"""Share of the total, 0 to 1. A smaller part is counted with the rest."""

MOSTLY = 0.5
"""Share of the total, 0 to 1, from which on a wait for a dependency is most of it."""

OWN_CALLS = 1.1
"""Ratio of the time of a dependency to the wait for it, up to which the time is that of this wait. Above it
other components call the dependency too, or several calls are under way for one request."""

WORDS = {
    states.GENERATOR: TEXTS.waiting_load_generator,
    states.CONNECTING: TEXTS.opening_connection,
    states.ACCEPT_QUEUE: TEXTS.waiting_accepted,
    states.UNREAD: TEXTS.waiting_to_be_read,
    states.RUNNING: TEXTS.running_cpu,
    states.RUNNABLE: TEXTS.waiting_core,
    states.THROTTLED: TEXTS.standing_still_cpu,
    states.DISK: TEXTS.waiting_disk,
    states.INSIDE: TEXTS.waiting_inside_server,
    states.SENDING: TEXTS.sending_answer,
}

WORDS_OF = {
    states.AWAITING: TEXTS.waiting_for,
    states.CONNECTING: TEXTS.connecting_to,
    states.ANSWER_UNREAD: TEXTS.answers_waiting_read,
    states.HOLDING: TEXTS.holding_transaction_open,
}

REST = TEXTS.rest


@dataclass(frozen=True, slots=True)
class BarPart:
    """Part of a bar: its words, its time, and its share of the total. state: "" for the rest."""

    state: str
    words: str
    ms: float
    share: float


def words(state: str, of: str = "") -> str:
    """Return what a request does in a state, to follow a time: "waiting for redis"."""
    return WORDS_OF[state].format(of=of) if of else WORDS[state]


def parts(account: ComponentAccount) -> list[BarPart]:
    """Return the longest parts, longest first, then the rest: short parts, and what is not accounted for.

    There is no rest where the lines are more than the total, as those of several counters may be.
    """
    total = account.total_ms
    if total <= 0:
        return []
    lines = sorted(account.lines, key=lambda line: -line.ms)  # stable: equal ones as on a request's way
    longest = [line for line in lines if line.ms >= LEAST_SHARE * total][:MOST_PARTS]
    shown = [BarPart(line.state, words(line.state, line.of), line.ms, line.ms / total) for line in longest]
    rest_ms = total - sum(line.ms for line in longest)
    rest = [BarPart("", REST, rest_ms, rest_ms / total)] if rest_ms > 0 or not shown else []
    return [*shown, *rest]


def sentence_of(account: ComponentAccount, others: Sequence[ComponentAccount] = ()) -> str:
    """Return where the time goes; empty where the sockets of the component were not seen.

    "Of 312 ms: 260 ms running on the CPU, 41 ms waiting for mariadb, 3 ms the rest." Without sockets
    nearly all of the time would be the rest. others: components behind it. Where most of the time is a wait
    for one of them, a sentence on that one follows, and so on.
    """
    if not account.is_seen or account.total_ms <= 0:
        return ""
    sentences = [_sentence(account)]
    behind = {component.name: component for component in others if component is not account}
    while (awaited := _awaited(account, behind)) is not None:
        account = behind.pop(awaited.name)
        sentences.append(_sentence(account, awaited.name))
    return " ".join(sentences)


def _sentence(account: ComponentAccount, dependency: str = "") -> str:
    shown = parts(account)
    named = [part for part in shown if part.state or part.share >= LEAST_SHARE / 2 or len(shown) == 1]
    listed = ", ".join(TEXTS.part(show_ms(part.ms), _within(part.words, dependency)) for part in named)
    over_ms = sum(part.ms for part in named) - account.total_ms
    if over_ms >= LEAST_SHARE * account.total_ms:
        listed = TEXTS.overlapping(listed, show_ms(over_ms))
    total = show_ms(account.total_ms)
    return TEXTS.parts_within(total, dependency, listed) if dependency else TEXTS.parts(total, listed)


def _within(text: str, dependency: str) -> str:
    """Return the words of a part, with a dependency's name where they speak of the loaded server."""
    return text.replace(TEXTS.the_server, dependency) if dependency else text


def _awaited(account: ComponentAccount, behind: Mapping[str, ComponentAccount]) -> ComponentAccount | None:
    """Return the component that a component mostly waits for; None where its states were not seen."""
    line = max(account.lines, key=lambda line: line.ms)
    dependency = behind.get(line.of)
    if (
        dependency is None
        or line.state != states.AWAITING
        or line.ms < MOSTLY * account.total_ms
        or not dependency.is_seen
        or not 0 < dependency.total_ms <= OWN_CALLS * line.ms
        or "others" in dependency.flags
    ):
        return None
    return dependency


def show_ms(ms: float) -> str:
    """Return a time in milliseconds as text: "41 ms", "−2 ms"."""
    sign = "−" if ms < 0 else ""
    return f"{sign}{show_duration(abs(ms) / 1e3)}"
