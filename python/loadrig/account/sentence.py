"""An account in words: each state as a reader would say it, and the longest parts in one sentence."""

from dataclasses import dataclass

from loadrig.account import states
from loadrig.account.book import ComponentAccount
from loadrig.base.units import show_duration

MOST_PARTS = 5
"""Parts that are named; more are not remembered."""

LEAST_SHARE = 0.01
"""Share of the total below which a part is counted with the rest."""

WORDS = {
    states.GENERATOR: "waiting in the load generator",
    states.CONNECTING: "opening the connection",
    states.ACCEPT_QUEUE: "waiting to be accepted",
    states.UNREAD: "waiting for a free worker or event loop",
    states.RUNNING: "running on the CPU",
    states.RUNNABLE: "waiting for a core",
    states.THROTTLED: "standing still by the CPU quota",
    states.DISK: "waiting for the disk",
    states.INSIDE: "waiting inside the server (pool, lock, event loop or queue)",
    states.SENDING: "sending the answer",
}

WORDS_OF = {
    states.AWAITING: "waiting for {of}",
    states.CONNECTING: "connecting to {of}",
    states.ANSWER_UNREAD: "answers of {of} waiting to be read",
    states.HOLDING: "holding a transaction of {of} open, asking nothing",
}

REST = "the rest"


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a bar: its words, its time, and its share of the total. state: "" for the rest."""

    state: str
    words: str
    ms: float
    share: float


def words(state: str, of: str = "") -> str:
    """What a request does in a state, to go on a time: "waiting for redis"."""
    return WORDS_OF[state].format(of=of) if of else WORDS[state]


def parts(account: ComponentAccount) -> list[Part]:
    """The longest parts, longest first, then the rest: what is short, and what is not accounted for.

    The rest is below zero where the lines are more than the total.
    """
    total = account.total_ms
    if total <= 0:
        return []
    lines = sorted(account.lines, key=lambda line: -line.ms)  # stable: equal ones as on a request's way
    told = [line for line in lines if line.ms >= LEAST_SHARE * total][:MOST_PARTS]
    found = [Part(line.state, words(line.state, line.of), line.ms, line.ms / total) for line in told]
    rest_ms = total - sum(line.ms for line in told)
    return [*found, Part("", REST, rest_ms, rest_ms / total)]


def told(account: ComponentAccount) -> str:
    """One sentence: "of 312 ms: 260 ms waiting for a free worker, 41 ms waiting for mariadb, 3 ms the rest".

    Empty where the component's sockets were not seen: then nearly all of it would be the rest.
    """
    found = parts(account)
    if not found or not account.is_seen:
        return ""
    named = [f"{show_ms(part.ms)} {part.words}" for part in found[:-1]]
    rest = found[-1]
    if abs(rest.share) >= LEAST_SHARE / 2 or not named:
        named.append(f"{show_ms(rest.ms)} {rest.words}")
    return f"Of {show_ms(account.total_ms)}: {', '.join(named)}."


def show_ms(ms: float) -> str:
    """A time in milliseconds in words: "41 ms", "−2 ms"."""
    sign = "−" if ms < 0 else ""
    return f"{sign}{show_duration(abs(ms) / 1e3)}"
