"""What a comparison came to, in sentences."""

from collections.abc import Sequence

from loadrig.base.units import show_duration
from loadrig.report import numbers
from loadrig.report.figures.differences import change, margin, name_of, whole
from loadrig.report.run import Json

MOST_NAMED = 3


def sentences(document: Json) -> list[str]:
    """The verdict first, then what else moved, what would decide, and every warning."""
    found = [verdict(document)]
    if (others := _others(document)) is not None:
        found.append(others)
    if document["verdict"] == "undecided":
        found.append(_what_would(document))
    return [*found, *(f"{_capital(str(text))}." for text in document["warnings"])]


def verdict(document: Json) -> str:
    """One sentence: "B is worse than A: throughput −4.8 % (−6.1 … −3.5 %)."."""
    deciding = [one for one in document["compared"] if one["decides"]]
    match document["verdict"]:
        case "worse" | "better" as word:
            return f"B is {word} than A: {_named(_of(document, word))}."
        case "equal":
            parts = [f"{name_of(one)} within {margin(one)} ({change(one)})" for one in deciding]
            return f"B equals A: {numbers.listed(parts)}."
        case _:
            open_ = [one for one in deciding if one["verdict"] == "undecided"] or deciding
            parts = [f"{name_of(one)} {whole(one)}" for one in open_]
            text = f": {numbers.listed(parts)}" if parts else ""
            return f"Whether B differs from A is undecided{text}."


def _of(document: Json, word: str) -> list[Json]:
    """What has this verdict: what decides first, then all routes together, then single routes."""
    found = [one for one in document["compared"] if one["verdict"] == word]
    return sorted(found, key=lambda one: (not one["decides"], one["route"] is not None))


def _named(found: Sequence[Json]) -> str:
    parts = [f"{name_of(one)} {whole(one)}" for one in found[:MOST_NAMED]]
    more = len(found) - len(parts)
    return numbers.listed(parts) if not more else f"{', '.join(parts)} and {more} more"


def _others(document: Json) -> str | None:
    """What is better where the whole is worse, or stands beside what is equal or undecided."""
    if document["verdict"] == "worse":
        found = _of(document, "better")
        return f"Better: {_named(found)}." if found else None
    if document["verdict"] == "better":
        return None
    found = _of(document, "better")
    return f"Better, beside what decides: {_named(found)}." if found else None


def _what_would(document: Json) -> str:
    cost = document["to_decide"]
    if cost is None:
        return (
            "No reasonable number of runs would decide it: the difference is too near to the margin, or the"
            " runs lie too far apart. A wider margin (--equal-within) or longer trials would."
        )
    pairs = numbers.plural(int(cost["pairs"]), "pair")
    time = f" ({show_duration(cost['seconds'])})" if cost["seconds"] else ""
    more = "more " if document["pairing"]["pairs"] else ""
    return f"What would tell: about {pairs.replace(' ', f' {more}', 1)} of runs in turns{time}."


def _capital(text: str) -> str:
    # A sentence may begin with the name of a side, which is a path and stays as it is.
    return text[:1].upper() + text[1:] if text.partition(" ")[0].isalpha() else text
