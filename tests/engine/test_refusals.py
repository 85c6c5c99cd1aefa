"""Sentences of the names that the generator gives to its refusals, filled with its values."""

import inspect
import re
from pathlib import Path

from loadrig.base.error_words import ErrorWords
from loadrig.engine.refusals import Refusal, wording_of
from loadrig.language.en.errors.engine_refusals import EngineRefusals

CRATE = Path(__file__).resolve().parents[2] / "crates" / "loadrig-engine" / "src"
NAMED = re.compile(r"\.worded\(\s*\"(\w+)\",\s*\[(.*?)\],?\s*\)", re.DOTALL)
HOLE = re.compile(r"\(\s*\"(\w+)\",")


def named_in_rust() -> dict[str, set[str]]:
    """Return the names of the sentences that the generator names, with the names of their values."""
    texts = [path.read_text(encoding="utf-8") for path in CRATE.rglob("*.rs")]
    return {name: set(HOLE.findall(values)) for text in texts for name, values in NAMED.findall(text)}


def test_every_name_of_the_generator_has_its_sentence_and_no_sentence_is_left_over() -> None:
    sentences = {
        name: inspect.signature(sentence).parameters.keys() - {"self"}
        for name, sentence in vars(EngineRefusals).items()
        if not name.startswith("_")
    }
    assert named_in_rust() == sentences


def test_a_name_and_its_values_become_the_words_of_the_catalogue() -> None:
    refused = Refusal("engine.feed-empty", "w", "m", "feeds[0]", "feed_without_values", {"feed": "word"})
    wording, sentence = wording_of(refused), EngineRefusals().feed_without_values("word")
    assert (wording.what, wording.mend) == (sentence.what, sentence.mend)
    assert "feeds[0]" in wording.why


def test_a_refusal_without_a_name_is_told_in_the_generators_own_words() -> None:
    assert wording_of(Refusal("engine.config", "no version", "report this")) == ErrorWords(
        "no version", "report this"
    )
