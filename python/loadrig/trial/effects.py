"""Effects that a run had on the servers, from the events of its recording."""

from collections.abc import Iterable

from loadrig.base.series import Event
from loadrig.recording.event_facts import EffectFacts, facts_of
from loadrig.trial.document import UsedEffect


def effects_of(events: Iterable[Event]) -> tuple[UsedEffect, ...]:
    """Return each effect of a run once, in order. events: events of its recording."""
    first: dict[tuple[str, str, int | None], tuple[str, str | None]] = {}
    undone = set()
    for event in events:
        if event.kind not in ("effect", "effect_over"):
            continue
        facts = facts_of(event, EffectFacts)
        key = (event.component, facts.effect, facts.pid)
        if event.kind == "effect":
            first.setdefault(key, (event.text, facts.kind))
            undone.discard(key)
        else:
            undone.add(key)
    return tuple(
        UsedEffect(effect, kind, component, pid, text, (component, effect, pid) in undone)
        for (component, effect, pid), (text, kind) in first.items()
    )
