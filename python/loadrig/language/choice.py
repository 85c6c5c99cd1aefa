"""Language of this process: asked for on the command line, else that of the environment.

It is chosen once, before any sentence is made: rooms take their sentences when they are imported.
"""

import functools
import importlib
import os
from collections.abc import Mapping
from typing import TypeVar

from loadrig.base import base_texts
from loadrig.base.error_words import ErrorWords

T = TypeVar("T")

VARIABLE = "LOADRIG_LANG"
"""Variable of the environment that names the language; the processes that are started inherit it."""

ENGLISH = "en"

LANGUAGES: Mapping[str, str] = {ENGLISH: "English", "ko": "한국어"}
"""Languages by their codes (ISO 639-1), each under its own name."""

PREFIXES: Mapping[str, str] = {"ko": "Korean"}
"""Beginning of the names of a language's classes."""

FIRST_HANGUL, LAST_HANGUL = "가", "힣"
"""First and last syllable of Hangul. Source: Unicode 3.12."""

LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Variables that name the locale of messages, the first that is set counts. Source: locale(7)."""


@functools.cache
def language() -> str:
    """Return the code of the language of this process."""
    return language_of(os.environ)


def language_of(environment: Mapping[str, str]) -> str:
    """Return the language that an environment asks for; English where it asks for one that there is not."""
    asked = environment.get(VARIABLE) or next(
        (environment[name] for name in LOCALE_VARIABLES if environment.get(name)), ""
    )
    code = asked.partition(".")[0].partition("_")[0].lower()
    return code if code in LANGUAGES else ENGLISH


def written_in(text: str) -> str:
    """Return the language that a sentence of ours is written in: Korean has Hangul."""
    return "ko" if any(FIRST_HANGUL <= letter <= LAST_HANGUL for letter in text) else ENGLISH


def choose(code: str) -> None:
    """Make a language that of this process, and of those that it starts. Before rooms are imported."""
    os.environ[VARIABLE] = code
    language.cache_clear()


def texts_of(catalogue: type[T]) -> T:
    """Return the sentences of an English catalogue in the language of this process."""
    return texts_in(catalogue, language())


def texts_in(catalogue: type[T], code: str) -> T:
    """Return the sentences of an English catalogue in a language."""
    return (catalogue if code == ENGLISH else translation_of(catalogue, code))()


def translation_of(catalogue: type[T], code: str) -> type[T]:
    """Return an English catalogue whose every sentence is replaced by that of another language."""
    # It is dear to import, and English has no use for it.
    from loadrig.language.templates import sentence

    # The catalogue of base lies in that room, as it may not import this one.
    name = catalogue.__module__.replace("loadrig.base.base_texts", "loadrig.language.en.base")
    module = importlib.import_module(name.replace(".language.en.", f".language.{code}."))
    written: type = getattr(module, PREFIXES[code] + catalogue.__name__)
    sentences = {
        name: sentence(getattr(catalogue, name), value)
        if isinstance(value, str | ErrorWords) and callable(getattr(catalogue, name, None))
        else value
        for name, value in vars(written).items()
        if name not in ("__dict__", "__weakref__")
    }
    return type(written.__name__, (catalogue,), sentences)


base_texts.speak(lambda: texts_of(base_texts.BaseTexts))
