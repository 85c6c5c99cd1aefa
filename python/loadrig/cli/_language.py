"""`--lang`, which every command takes at any place: the language of all that is said."""

from collections.abc import Sequence

from loadrig.base.errors import PlanError, Span
from loadrig.language.choice import LANGUAGES, choose

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
            raise PlanError.of(
                what=f"there is no language {code!r}" if code else f"{FLAG} needs a language",
                where=Span(f"loadrig {word}"),
                mend=f"{FLAG} {' or '.join(LANGUAGES)}",
                code="cli.unknown-language",
            )
        choose(code)
    return rest
