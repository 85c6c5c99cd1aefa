"""Type of a line of events.jsonl, as a recording keeps it.

Probes write events before the load has begun, when nothing waits for msgspec (decision 0030).
"""

from collections.abc import Mapping
from typing import Annotated, Any

from loadrig.base.documents import Document, Says


class EventDocument(Document, frozen=True, kw_only=True):
    """Event at an instant of a run."""

    t_ns: Annotated[int, Says("when it happened or began, in nanoseconds of the monotonic clock")]
    kind: Annotated[str, Says("its kind")]
    subject: Annotated[str, Says("what it happened to, within the component")]
    text: Annotated[str, Says("what happened, in words")]
    component: Annotated[str, Says("tier that it happened to; empty for the rig itself")] = ""
    facts: Annotated[Mapping[str, Any], Says("facts, by its kind as in `event-facts.json`")] = {}
    sentence: Annotated[str, Says("sentence of the catalogue that the text is; empty for none")] = ""
    values: Annotated[Mapping[str, Any], Says("what fills the holes of the sentence")] = {}
