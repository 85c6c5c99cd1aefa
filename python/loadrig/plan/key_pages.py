"""Keys of a plan by their names, and the page of each as `loadrig explain` shows it."""

import functools
from collections.abc import Iterator

from loadrig.language.choice import texts_of
from loadrig.language.en.plan import PlanKeyPagesTexts
from loadrig.plan.kinds import Either, Field, Kind, Listed, Mapped, Words, fields_of, noun_of
from loadrig.plan.reference import ELSEWHERE, amount_of, default_of, described_classes, title_of

TEXTS = texts_of(PlanKeyPagesTexts)


def names() -> list[str]:
    """Return every key with the mapping that it stands in: `workload`, `trial.measure`."""
    return [name for name, _ in _keys()]


def page(word: str) -> str | None:
    """Return the pages of a key as Markdown; None where there is none.

    word: a name of `names`; or a key alone, whose pages in all mappings are returned.
    """
    wanted = _plain(word)
    fields = [(name, field) for name, field in _keys() if _plain(name) == wanted]
    fields = fields or [(name, field) for name, field in _keys() if _plain(field.key) == wanted]
    return "\n\n\n".join(_page(name, field) for name, field in fields) or None


def values() -> list[str]:
    """Return every word that a key takes out of a fixed list: `poisson`."""
    return sorted({word for _, field in _keys() for word in _words(field.kind)})


def value_page(word: str) -> str | None:
    """Return the page of a value as Markdown: the keys that take it, each with what it does. None without."""
    wanted = _plain(word)
    taking = [
        (value, name, field)
        for name, field in _keys()
        for value in _words(field.kind)
        if _plain(value) == wanted
    ]
    if not taking:
        return None
    lines = [f"# {taking[0][0]}: {TEXTS.value}"]
    for value, name, field in taking:
        lines += ["", f"`{name}: {value}`: {field.about()}"]
    return "\n".join(lines)


def _words(kind: Kind) -> Iterator[str]:
    """Yield the words of a fixed list that a key of a kind takes, wherever in its value."""
    match kind:
        case Words(words):
            yield from words
        case Listed(item) | Mapped(item):
            yield from _words(item)
        case Either(kinds):
            for each in kinds:
                yield from _words(each)


@functools.cache
def _plain(word: str) -> str:
    """Return a word in the form in which words are compared."""
    return word.replace("-", "_").replace(" ", "_").lower()


@functools.cache
def _keys() -> tuple[tuple[str, Field], ...]:
    """Return every key by its name, each once."""
    keys: dict[str, Field] = {}
    for cls in described_classes():
        title = title_of(cls).removeprefix("a ").removeprefix("an ").removeprefix("workload.")
        for field in fields_of(cls):
            name = field.key if cls.__name__ == "WrittenPlan" else f"{title}.{field.key}".replace(": ", ".")
            keys.setdefault(name, field)
    return tuple(keys.items())


def _page(name: str, field: Field) -> str:
    lines = [
        f"# {name}: {TEXTS.kind}",
        "",
        field.about(),
        "",
        f"{TEXTS.written}: {noun_of(field.kind)}{_bounds(field)}",
    ]
    # A mapping's defaults are those of its keys, which have pages of their own.
    if (default := default_of(field)) and default != ELSEWHERE:
        lines.append(f"{TEXTS.default}: {default}")
    lines.append(f"{TEXTS.example}: `{field.key}: {field.example}`")
    return "\n".join(lines)


def _bounds(field: Field) -> str:
    low = "" if field.low is None else f" ≥ {amount_of(field, field.low)}"
    high = "" if field.high is None else f" ≤ {amount_of(field, field.high)}"
    return low + high
