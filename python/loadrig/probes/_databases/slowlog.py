"""Redis's SLOWLOG and LATENCY LATEST as events: what was slow and when, never its values."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from loadrig.base.clock import NS
from loadrig.base.series import Event
from loadrig.language.events import SENTENCES, event_words

MOST_EVENTS = 20
"""Events of a reading, at most: the slowest; the metric `slow_commands` counts all."""

Begun = Callable[[int, float], tuple[int, float]]
"""Function of the second on the server's wall clock in which a command ended, and of its length in s.

Returns the command's start on the rig's clock in ns, and how far that may be off, in s.
"""

_CUT = re.compile(r"([:/.|_{}\-])")
_WORD = re.compile(r"[A-Z]{1,16}|[A-Z]?[a-z]{1,16}(?:[A-Z][a-z]{2,12}){0,3}")
_CONTAINERS = frozenset(
    ("acl", "client", "cluster", "command", "config", "debug", "function", "latency", "memory", "module",
     "object", "pubsub", "script", "slowlog", "xgroup", "xinfo")
)  # fmt: skip
MOST_PATTERN = 60

TICK_NS = 20_000_000
"""Largest lag of the clock that a server dates with in whole seconds: a tick of its kernel."""


@dataclass(frozen=True, slots=True)
class SlowLogEntry:
    """An entry of the slow log. at_s: when it ended, the server's wall clock in whole seconds.

    client: its address.
    """

    number: int
    at_s: int
    duration_s: float
    words: tuple[str, ...]
    client: str


def parse_slowlog(reply: object) -> list[SlowLogEntry]:
    """Return the entries of an answer to SLOWLOG GET, oldest first. Those of another form are left out."""
    entries = []
    for entry in reply if isinstance(reply, list) else []:
        match entry:
            case [int(number), int(at_s), int(micros), [*words], *rest]:
                client = _text(rest[0]) if rest else ""
                entries.append(
                    SlowLogEntry(number, at_s, micros / 1e6, tuple(_text(word) for word in words), client)
                )
            case _:
                continue
    return sorted(entries, key=lambda slow: slow.number)


def parse_latency(reply: object) -> dict[str, tuple[int, float]]:
    """Return the entries of an answer to LATENCY LATEST: event -> (wall clock in s, length in s)."""
    spikes = {}
    for entry in reply if isinstance(reply, list) else []:
        match entry:
            case [bytes(name), int(at_s), int(latest_ms), *_]:
                spikes[_text(name)] = (at_s, latest_ms / 1e3)
            case _:
                continue
    return spikes


def _text(word: object) -> str:
    return word.decode("utf-8", "replace") if isinstance(word, bytes) else str(word)


def command_name(words: Sequence[str]) -> str:
    """Return the name of a command in lower case, as in commandstats: "get", "config|set"."""
    name = words[0].lower() if words else "?"
    if not re.fullmatch(r"[a-z0-9._\-]{1,40}", name):
        return "?"
    if name in _CONTAINERS and len(words) > 1 and re.fullmatch(r"[A-Za-z\-]{1,30}", words[1]):
        return f"{name}|{words[1].lower()}"
    return name


def key_pattern(key: str) -> str:
    """Return a key with `*` in place of all that may be a value: "user:4711:cart" -> "user:*:cart".

    Only plain words stay: a part that has a digit, is long or mixes letters may be a token.
    """
    parts = [
        part if not part or _CUT.fullmatch(part) or _WORD.fullmatch(part) else "*"
        for part in _CUT.split(key[:256])
    ]
    pattern = re.sub(r"\*(?:[_\-.]?\*)+", "*", "".join(parts))
    return pattern if len(pattern) <= MOST_PATTERN else f"{pattern[: MOST_PATTERN - 1]}…"


def slow_event(slow: SlowLogEntry, first_key: int, begun: Begun) -> Event:
    """Return the event of a slow command. first_key: place of its first key among its words, 0 for none."""
    name = command_name(slow.words)
    t_ns, off_s = begun(slow.at_s, slow.duration_s)
    facts: dict[str, Any] = {"duration_s": slow.duration_s, "command": name, "off_by_s": round(off_s, 3)}
    if 0 < first_key < len(slow.words):
        facts["key"] = key_pattern(slow.words[first_key])
    shown = f"{name} {facts['key']}" if "key" in facts else name
    text = event_words(SENTENCES.slow_command, shown, f"{slow.duration_s * 1e3:.3g} ms")
    return Event.of(t_ns, "slow_command", f"command:{name}", text, facts)


def latency_event(name: str, at_s: int, duration_s: float, begun: Begun) -> Event:
    """Return the event of an entry of LATENCY LATEST."""
    t_ns, off_s = begun(at_s, duration_s)
    facts: Mapping[str, Any] = {"duration_s": duration_s, "event": name, "off_by_s": round(off_s, 3)}
    text = event_words(SENTENCES.latency, name, f"{duration_s * 1e3:.3g} ms")
    return Event.of(t_ns, "latency_spike", f"event:{name}", text, facts)


def dating(offset_ns: int, since_ns: int, until_ns: int, unsure_ns: int = 0) -> Begun:
    """Return a function that turns a date in whole seconds of the server into a start on the rig's clock.

    offset_ns: the rig's clock minus the server's wall clock, and unsure_ns how far that may be off: half of
    the time in which the server was asked for its clock. A command that ended in that second, and between
    the last reading and this one, is taken to have ended in the middle of both.
    """

    def begun(at_s: int, duration_s: float) -> tuple[int, float]:
        early = at_s * NS + offset_ns - unsure_ns
        late = (at_s + 1) * NS + offset_ns + unsure_ns + TICK_NS
        low, high = max(early, since_ns), min(late, until_ns)
        if low > high:  # written before the last reading, or dated by a clock that was set since
            low, high = early, late
        return (low + high) // 2 - int(duration_s * NS), (high - low) / 2 / NS

    return begun
