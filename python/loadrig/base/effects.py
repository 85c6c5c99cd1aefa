"""Effects on a server of watching, profiling and experiments, beside reading: declared by each member, once.

What opens a port, loads code into a process or changes one of its settings is done only where the plan's
`permit` or the flag --permit says its name. All else is declared for people to read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from loadrig.base.series import Event, EventWords

Kind = Literal[
    "opens a port", "loads code", "changes a setting", "pauses", "sends a signal", "writes a file",
    "asks the server",
]  # fmt: skip
"""Kinds of effects on a server. The first three happen only where they are permitted or asked for."""

Permit = Literal["node-inspector", "jvm-attach", "jvm-agent"]
"""Names under which a plan or a flag allows effects."""

PERMITS: tuple[Permit, ...] = get_args(Permit)


EFFECT_EVENTS: Mapping[str, str] = {
    "effect": "Something was opened in the server, loaded into it or changed, as was permitted.",
    "effect_over": "It is closed or changed back.",
}
"""Kinds of events by which members report their effects."""


@dataclass(frozen=True, slots=True)
class ServerEffect:
    """Effect of a member on a server: an act, or a thing left behind.

    what: a sentence, with how it is undone. by: what a plan must contain so that it is done, a Permit or an
    option of the member such as "inside: true"; "" where nothing must.
    """

    kind: Kind
    what: str
    by: str = ""


def begun(t_ns: int, member: str, effect: str, kind: Kind, words: EventWords, pid: int) -> Event:
    """Return the event that something was opened, loaded or changed.

    effect: the name that this event and the event of its end share.
    """
    return Event.of(t_ns, "effect", member, words, {"effect": effect, "kind": kind, "pid": pid})


def ended(t_ns: int, member: str, effect: str, words: EventWords, pid: int) -> Event:
    """Return the event that an effect is undone."""
    return Event.of(t_ns, "effect_over", member, words, {"effect": effect, "pid": pid})
