"""Events as lines of JSON: what happened at an instant."""

import json
from pathlib import Path
from typing import Any

from loadrig.base import known_secrets
from loadrig.base.series import Event
from loadrig.language import events as event_texts
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
    if event.sentence:
        document["sentence"], document["values"] = event.sentence, dict(event.values)
    document = known_secrets.hidden_in(document)
    return json.dumps(document, ensure_ascii=False).encode() + b"\n"


def read(path: Path) -> list[Event]:
    """Return all events in the order of their instants; empty for a missing file.

    Their texts are in the language of this process, where the recording tells of which sentence they are.

    Events come from several threads, so their lines may stand a little out of order. Raises PlanError
    `recording.broken` at a line that is no event.
    """
    try:
        return sorted((parsed(row) for row in objects(path)), key=lambda event: event.t_ns)
    except ValueError as error:
        raise broken(path, ERRORS.line_no_event(str(error))) from error


def parsed(row: Any) -> Event:
    """Return the event in a line of events.jsonl, its text in the language of this process if it can be.

    Raises ValueError for what is no event.
    """
    # Imported here: who writes events before the load has begun does not wait for msgspec.
    import msgspec

    from loadrig.recording.event_document import EventDocument

    document = msgspec.convert(row, EventDocument)
    return Event(
        document.t_ns,
        document.kind,
        document.subject,
        event_texts.text_of(document.sentence, document.values, document.text),
        document.facts,
        document.component,
        document.sentence,
        document.values,
    )
