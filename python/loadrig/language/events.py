"""Texts of events: recorded as name and values too, so that each reader has them in his own language."""

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec

from loadrig.base.series import EventWords
from loadrig.language.choice import texts_of
from loadrig.language.en.events import EventTexts

P = ParamSpec("P")

SENTENCES = texts_of(EventTexts)


def event_words(sentence: Callable[P, str], *holes: P.args, **named_holes: P.kwargs) -> EventWords:
    """Return what an event says, in a sentence of SENTENCES. holes: plain JSON values, most of them texts."""
    bound = inspect.signature(sentence).bind(*holes, **named_holes)
    return EventWords(sentence(*holes, **named_holes), sentence.__name__, dict(bound.arguments))


def text_of(name: str, values: Mapping[str, Any], recorded: str) -> str:
    """Return the text of an event in the language of this process.

    name and values: as they were recorded. recorded: the text then; it is returned where there is no such
    sentence, as in a recording of another version or of one before names were kept.
    """
    sentence = getattr(SENTENCES, name, None) if not name.startswith("_") else None
    try:
        return str(sentence(**values)) if callable(sentence) else recorded
    except (TypeError, ValueError):
        return recorded
