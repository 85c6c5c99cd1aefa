"""`--lang`, which every command takes at any place: the language of all that is said."""

import functools
from collections.abc import Sequence

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import LANGUAGES, choose, texts_of
from loadrig.language.en.errors.cli_main import CliLanguageErrors

FLAG = "--lang"


def without_flag(words: Sequence[str]) -> list[str]:
    """Choose the language that a command line asks for, and return its other words.

    Before any room is imported that speaks. Raises PlanError `cli.unknown-language`.
    """
    rest: list[str] = []
    waiting = iter(words)
    for word in waiting:
        if word == "--":
            return [*rest, word, *waiting]
        name, has_value, value = word.partition("=")
        if name != FLAG:
            rest.append(word)
            continue
        code = value if has_value else next(waiting, "")
        if code not in LANGUAGES:
            raise PlanError.of(_refusal(code), code="cli.unknown-language", where=Span(f"loadrig {word}"))
        choose(code)
    return rest


def _refusal(code: str) -> ErrorWords:
    """Return what is said of a language that there is not, in that of the environment."""
    errors = texts_of(CliLanguageErrors)
    codes = functools.reduce(errors.either, LANGUAGES)
    if not code:
        return errors.no_language_named(FLAG, codes)
    return errors.no_such_language(repr(code), FLAG, codes)
