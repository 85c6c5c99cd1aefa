"""Labels: words by themselves, as heads of columns, names of facts, verdicts and nouns that are counted.

The English label stands where it is used, and is its own key: the same word is the same label everywhere.
"""

from collections.abc import Iterable, Mapping

from loadrig.language.choice import ENGLISH, language


def _labels() -> Mapping[str, str]:
    if language() == ENGLISH:
        return {}
    from loadrig.language.ko.labels import LABELS

    return LABELS


def label(english: str) -> str:
    """Return a label in the language of this process; a word that is no label of ours as it is."""
    return _labels().get(english, english)


def lab_clause(english: str) -> str:
    """Return what a bundled lab or plan shows, in the language of this process; of other labs as it is."""
    if language() == ENGLISH:
        return english
    from loadrig.language.ko.lab_clauses import CLAUSES

    return CLAUSES.get(english, english)


def counted(number: int, word: str, words: str | None = None) -> str:
    """Return a count with its noun: "1 trial", "3 trials". words: the plural, where it takes no s."""
    if language() == ENGLISH:
        return f"{number:,} {word if number == 1 else words or word + 's'}"
    from loadrig.language.ko.labels import COUNTED

    return COUNTED.get(word, label(word) + " {}개").format(f"{number:,}")


def joined(parts: Iterable[str]) -> str:
    """Return parts that stand beside each other: "a and b"."""
    return (" and " if language() == ENGLISH else ", ").join(parts)


def each_request(amount: str) -> str:
    """Return an amount as that of each request: "3 ms a request"."""
    return f"{amount} a request" if language() == ENGLISH else f"요청당 {amount}"
