"""Words of what the generator refuses: it tells a name and values, and a catalogue has the sentence."""

from collections.abc import Mapping
from typing import Any

from loadrig.base import known_secrets
from loadrig.base.error_words import ErrorWords
from loadrig.base.masks import masked_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine import EngineProcessErrors
from loadrig.language.en.errors.engine_refusals import EngineRefusals

ERRORS, REFUSALS = texts_of(EngineProcessErrors), texts_of(EngineRefusals)


def wording_of(refused: Mapping[str, Any]) -> ErrorWords:
    """Return the words of a refusal, without secrets.

    refused: the generator's message, its own words in `what` and `mend`. They are used where it names no
    sentence: it reads a config that no plan makes.
    """
    name = str(refused.get("words") or "")
    values = {hole: _without_secrets(value) for hole, value in refused.get("values", {}).items()}
    wording = (
        getattr(REFUSALS, name)(**values)
        if name
        else ErrorWords(what=_without_secrets(refused["what"]), mend=refused["mend"])
    )
    where = refused.get("where")
    return ErrorWords(wording.what, wording.mend, ERRORS.refused_at(where) if where else "")


def _without_secrets(text: str) -> str:
    return masked_text(known_secrets.hidden(text))
