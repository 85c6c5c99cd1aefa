"""Messages of the servers under load: templates of log lines and facts, component by component."""

from collections.abc import Iterable

from msgspec.structs import replace

from loadrig.base.clock import NS
from loadrig.base.series import Event
from loadrig.recording.event_facts import StatedFacts, TemplateFacts, facts_of
from loadrig.recording.reader import Recording
from loadrig.trial.document import LogFact, LogTemplate, ServerLog

MOST_TEMPLATES = 50
"""Largest number of templates of a component in a trial's JSON; all of them stand in events.jsonl."""

_GRAVITY = ("fatal", "error", "warning", "", "info", "debug")


def server_logs_of(recording: Recording) -> dict[str, ServerLog]:
    """Return what the logs said by component, without what came only before the load.

    Instants are to the pace of the probes.
    """
    by_component: dict[str, list[Event]] = {}
    for event in recording.events:
        if event.subject == "server_log" and event.component:
            by_component.setdefault(event.component, []).append(event)
    logs = {name: _log_of(events, recording.start_ns) for name, events in by_component.items()}
    return {name: log for name, log in logs.items() if log}


def _log_of(events: list[Event], start_ns: int) -> ServerLog:
    return ServerLog(
        facts=_facts((event for event in events if event.kind == "server_fact"), start_ns),
        templates=_templates(events, start_ns)[:MOST_TEMPLATES],
        unread=tuple(dict.fromkeys(event.text for event in events if event.kind == "note")),
    )


def _facts(events: Iterable[Event], start_ns: int) -> tuple[LogFact, ...]:
    """Return facts with those of one kind joined, the most frequent first.

    Numbers: those of the last line.
    """
    by_fact: dict[tuple[str, ...], LogFact] = {}
    for event in events:
        if event.t_ns < start_ns:
            continue
        stated = facts_of(event, StatedFacts)
        key = (stated.resource, stated.what, stated.system)
        at_s = _since(event.t_ns, start_ns)
        fact = by_fact.get(key) or LogFact(*key, event.text, 0, {}, at_s, at_s)
        count = fact.count + (stated.count or 0)
        by_fact[key] = replace(fact, count=count, numbers=stated.numbers or fact.numbers, last_s=at_s)
    return tuple(sorted(by_fact.values(), key=lambda fact: -fact.count))


def _templates(events: list[Event], start_ns: int) -> tuple[LogTemplate, ...]:
    """Return the last state of each template, the gravest first, then the most frequent."""
    last: dict[int, tuple[Event, TemplateFacts]] = {}
    for event in events:
        if event.kind == "log_template":
            facts = facts_of(event, TemplateFacts)
            last[facts.template] = event, facts
    templates = [
        _template(event, facts, start_ns) for event, facts in last.values() if event.t_ns >= start_ns
    ]
    return tuple(sorted(templates, key=_gravest_first))


def _template(event: Event, facts: TemplateFacts, start_ns: int) -> LogTemplate:
    last_s = _since(event.t_ns, start_ns)
    return LogTemplate(
        text=event.text,
        level=facts.level,
        source=facts.source,
        count=facts.count or 0,
        first_s=round(last_s - facts.over_s, 3),
        last_s=last_s,
    )


def _since(t_ns: int, start_ns: int) -> float:
    return round((t_ns - start_ns) / NS, 3)


def _gravest_first(template: LogTemplate) -> tuple[int, int]:
    level = template.level
    return (_GRAVITY.index(level) if level in _GRAVITY else len(_GRAVITY), -template.count)
