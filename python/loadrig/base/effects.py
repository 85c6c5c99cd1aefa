"""What watching, profiling and experiments do to a server beside reading: declared by each member, once.

What opens a port, loads code into a process or changes one of its settings is done only where the plan's
`permit` or the flag --permit says its name. All else is declared for people to read.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from loadrig.base.series import Event

Kind = Literal[
    "opens a port", "loads code", "changes a setting", "pauses", "sends a signal", "writes a file",
    "asks the server",
]  # fmt: skip
"""What an effect does to a server. The first three are done only where they are permitted or asked for."""

NEEDS_WORD: frozenset[Kind] = frozenset({"opens a port", "loads code", "changes a setting"})

Permit = Literal["node-inspector", "jvm-attach", "jvm-agent"]
"""Names under which a plan or a flag allows effects."""

PERMITS: tuple[Permit, ...] = get_args(Permit)


EFFECT_EVENTS: Mapping[str, str] = {
    "effect": "Something was opened in the server, loaded into it or changed, as was permitted.",
    "effect_over": "It is closed or changed back.",
}
"""Events of members that do such things."""


@dataclass(frozen=True, slots=True)
class Effect:
    """Something that a member does to a server or leaves in it.

    what: a sentence, with how it is undone. by: what has to be written so that it is done, a Permit or an
    option of the member such as "inside: true"; "" where nothing has to.
    """

    kind: Kind
    what: str
    by: str = ""


def not_permitted(wanted: Permit, unseen: str, does: str) -> tuple[str, str, str]:
    """Reason, mend and code of what is not seen as an effect is not permitted: as Unavailable takes them.

    unseen: what would be seen; does: what it would take. Each begins or continues a sentence.
    """
    return (
        f"{unseen} is seen only where the rig may {does}, and nobody has said that it may",
        f"add --permit {wanted}, or `permit: [{wanted}]` to the plan",
        "probe.not-permitted",
    )


def begun(t_ns: int, member: str, effect: str, kind: Kind, text: str, pid: int) -> Event:
    """The event that something was opened, loaded or changed. effect: a name for it and for its end."""
    return Event(t_ns, "effect", member, text, {"effect": effect, "kind": kind, "pid": pid})


def ended(t_ns: int, member: str, effect: str, text: str, pid: int) -> Event:
    """The event that it is undone."""
    return Event(t_ns, "effect_over", member, text, {"effect": effect, "pid": pid})


def used(events: Iterable[Event]) -> list[dict[str, Any]]:
    """What was opened, loaded or changed in a run, each once, in order, and whether it was undone.

    events: of a recording. As results have it: `effect`, `kind`, `component`, `pid`, `text`, `is_undone`.
    """
    found: dict[tuple[str, str, Any], dict[str, Any]] = {}
    for event in events:
        if event.kind not in EFFECT_EVENTS:
            continue
        key = (event.component, str(event.facts.get("effect")), event.facts.get("pid"))
        if event.kind == "effect":
            found.setdefault(
                key,
                {"effect": key[1], "kind": event.facts.get("kind"), "component": key[0], "pid": key[2],
                 "text": event.text},
            )["is_undone"] = False  # fmt: skip
        elif key in found:
            found[key]["is_undone"] = True
    return list(found.values())
