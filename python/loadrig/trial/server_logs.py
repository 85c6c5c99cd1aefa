"""Messages of the servers under load: templates of log lines and facts, component by component."""

import math
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from loadrig.base.series import Event
from loadrig.recording.reader import Recording
from loadrig.trial.document import LogFact, LogTemplate, ServerLog

NS = 1_000_000_000

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
        resource, what, system = key = tuple(
            str(event.facts.get(name)) for name in ("resource", "what", "system")
        )
        at_s = _since(event.t_ns, start_ns)
        fact = by_fact.get(key) or LogFact(resource, what, system, event.text, 0, {}, at_s, at_s)
        numbers = event.facts.get("numbers")
        if isinstance(numbers, Mapping) and numbers:
            fact = replace(fact, numbers={str(name): _number(value) for name, value in numbers.items()})
        count = fact.count + int(_number(event.facts.get("count")))
        by_fact[key] = replace(fact, count=count, last_s=at_s)
    return tuple(sorted(by_fact.values(), key=lambda fact: -fact.count))


def _templates(events: list[Event], start_ns: int) -> tuple[LogTemplate, ...]:
    """Return the last state of each template, the gravest first, then the most frequent."""
    last: dict[str, Event] = {}
    for event in events:
        if event.kind == "log_template":
            last[str(event.facts.get("template"))] = event
    templates = [_template(event, start_ns) for event in last.values() if event.t_ns >= start_ns]
    return tuple(sorted(templates, key=_gravest_first))


def _template(event: Event, start_ns: int) -> LogTemplate:
    last_s = _since(event.t_ns, start_ns)
    return LogTemplate(
        text=event.text,
        level=str(event.facts.get("level", "")),
        source=str(event.facts.get("source", "")),
        count=int(_number(event.facts.get("count"))),
        first_s=round(last_s - _number(event.facts.get("over_s")), 3),
        last_s=last_s,
    )


def _since(t_ns: int, start_ns: int) -> float:
    return round((t_ns - start_ns) / NS, 3)


def _number(value: Any) -> float:
    """Return a number of a recording, which may have been written by anybody; 0 for what is no number."""
    is_number = isinstance(value, int | float) and math.isfinite(value)
    return float(value) if is_number else 0.0


def _gravest_first(template: LogTemplate) -> tuple[int, int]:
    level = template.level
    return (_GRAVITY.index(level) if level in _GRAVITY else len(_GRAVITY), -template.count)
