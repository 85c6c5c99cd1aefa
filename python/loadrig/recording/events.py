"""Events as lines of JSON: what happened at an instant."""

import json
from pathlib import Path
from typing import Any

from loadrig.base import known_secrets
from loadrig.base.series import Event
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.recording import RecordingEventsErrors
from loadrig.recording.lines import objects
from loadrig.recording.manifest import broken

ERRORS = texts_of(RecordingEventsErrors)


def line(event: Event) -> bytes:
    """Return an event as it stands in events.jsonl, with its newline."""
    document: dict[str, Any] = {
        "t_ns": event.t_ns, "kind": event.kind, "subject": event.subject, "text": event.text,
    }  # fmt: skip
    if event.component:
        document["component"] = event.component
    if event.facts:
        document["facts"] = dict(event.facts)
    document = known_secrets.hidden_in(document)
    return json.dumps(document, ensure_ascii=False).encode() + b"\n"


def read(path: Path) -> list[Event]:
    """Return all events in the order of their instants; empty for a missing file.

    Events come from several threads, so their lines may stand a little out of order. Raises PlanError
    `recording.broken` at a line that is no event.
    """
    events = [_event(row, path) for row in objects(path)]
    return sorted(events, key=lambda event: event.t_ns)


def _event(row: dict[str, Any], path: Path) -> Event:
    try:
        return Event(
            int(row["t_ns"]),
            str(row["kind"]),
            str(row["subject"]),
            str(row["text"]),
            row.get("facts", {}),
            str(row.get("component", "")),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise broken(path, ERRORS.line_no_event(f"{type(error).__name__} {error}")) from error
