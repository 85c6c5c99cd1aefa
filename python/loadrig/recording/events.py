"""Events as lines of JSON: what happened at an instant."""

import json
from pathlib import Path
from typing import Any

from loadrig.base import known_secrets
from loadrig.base.series import Event
from loadrig.recording.lines import objects


def line(event: Event) -> bytes:
    """An event as it stands in events.jsonl, with its newline."""
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
    """All events in the order of their instants; those of a missing file are none.

    Events come from several threads, so their lines may stand a little out of order.
    """
    found = [
        Event(
            int(row["t_ns"]),
            str(row["kind"]),
            str(row["subject"]),
            str(row["text"]),
            row.get("facts", {}),
            str(row.get("component", "")),
        )
        for row in objects(path)
    ]
    return sorted(found, key=lambda event: event.t_ns)
