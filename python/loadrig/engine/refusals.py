"""Words of what the generator refuses: it tells a name and values, and a catalogue has the sentence."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loadrig.base import known_secrets
from loadrig.base.error_words import ErrorWords
from loadrig.base.masks import masked_text
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.engine import EngineProcessErrors
from loadrig.language.en.errors.engine_refusals import EngineRefusals

ERRORS, REFUSALS = texts_of(EngineProcessErrors), texts_of(EngineRefusals)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Refusal of a config by the generator. what, mend: its own words; where: the place in the config.

    words, values: name and holes of the sentence that says it. Its own words are used where it names none: it
    reads a config that no plan makes.
    """

    code: str
    what: str
    mend: str
    where: str = ""
    words: str = ""
    values: Mapping[str, str] = field(default_factory=dict)


def wording_of(refusal: Refusal) -> ErrorWords:
    """Return the words of a refusal, without secrets."""
    values = {hole: _without_secrets(value) for hole, value in refusal.values.items()}
    wording = (
        getattr(REFUSALS, refusal.words)(**values)
        if refusal.words
        else ErrorWords(what=_without_secrets(refusal.what), mend=refusal.mend)
    )
    where = ERRORS.refused_at(refusal.where) if refusal.where else ""
    return ErrorWords(wording.what, wording.mend, where)


def _without_secrets(text: str) -> str:
    return masked_text(known_secrets.hidden(text))
