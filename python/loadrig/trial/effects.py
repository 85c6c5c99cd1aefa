"""Effects that a run had on the servers, from the events of its recording."""

from collections.abc import Iterable
from typing import Any

from loadrig.base.series import Event
from loadrig.trial.document import UsedEffect


def effects_of(events: Iterable[Event]) -> tuple[UsedEffect, ...]:
    """Return each effect of a run once, in order. events: events of its recording."""
    first: dict[tuple[str, str, Any], Event] = {}
    undone = set()
    for event in events:
        key = (event.component, str(event.facts.get("effect")), event.facts.get("pid"))
        if event.kind == "effect":
            first.setdefault(key, event)
            undone.discard(key)
        elif event.kind == "effect_over":
            undone.add(key)
    return tuple(
        UsedEffect(effect, event.facts.get("kind"), component, pid, event.text, key in undone)
        for key, event in first.items()
        for component, effect, pid in (key,)
    )
