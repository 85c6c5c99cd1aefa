"""A comparison for a pipeline: a summary in Markdown for a pull request, and JUnit XML."""

from collections.abc import Sequence

from loadrig.report import junit as xml
from loadrig.report import markdown as md
from loadrig.report import numbers, words
from loadrig.report.comparison import names
from loadrig.report.comparison_words import sentences
from loadrig.report.figures.differences import change, interval, name_of, whole
from loadrig.report.run import Json

MOST_ROUTES = 20
"""Rows for routes in a summary: those that moved, and no more than a reader of a pull request looks at."""

MARKS = {"worse": "❌", "better": "✅", "equal": "✅", "undecided": "❔"}


def markdown(document: Json) -> str:
    """A summary: the verdict, a table of the measures, the routes that moved, and what was not the same."""
    lead, *others = sentences(document)
    rows = [one for one in document["compared"] if one["route"] is None]
    moved = [
        one
        for one in document["compared"]
        if one["route"] is not None and one["verdict"] in ("worse", "better")
    ]
    parts = [
        f"### {MARKS[document['verdict']]} {md.plain(lead)}",
        " · ".join(f"{side}: {md.code(name)}" for side, name in zip("AB", names(document), strict=True)),
        _table(rows),
    ]
    if moved:
        parts.append("Routes that moved:\n\n" + _table(moved[:MOST_ROUTES]))
        if len(moved) > MOST_ROUTES:
            parts.append(f"… and {len(moved) - MOST_ROUTES} more.")
    if others:
        parts.append("\n".join(f"- {md.plain(text)}" for text in others))
    if document["differences"]:
        told = [
            [md.plain(one[part] or "–") for part in ("name", "a", "b")] for one in document["differences"]
        ]
        parts.append(md.folded("What was not the same", md.table(("not the same", "A", "B"), told)))
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Json]) -> str:
    lines = []
    for one in rows:
        symbol, word, _ = words.COMPARED[one["verdict"]]
        name = f"**{md.plain(name_of(one))}**" if one["decides"] else md.plain(name_of(one))
        a, b = (numbers.amount(one[side]["value"], one["unit"]) for side in ("a", "b"))
        lines.append([name, a, b, change(one), interval(one) or "–", f"{symbol} {word}"])
    heads = ("measure", "A", "B", "change", "95 % interval", "verdict")
    return md.table(heads, lines, right=frozenset({1, 2, 3, 4}))


def junit(document: Json) -> str:
    """JUnit XML: a test for each comparison. Worse is a failure; undecided is skipped, with its cost.

    What stands beside what decides and is undecided passes: to find out was not the question.
    """
    cases = [_case(one) for one in document["compared"]]
    seconds = document["a"]["seconds"] + document["b"]["seconds"]
    return xml.write("loadrig compare", " and ".join(names(document)), cases, seconds)


def _case(one: Json) -> xml.Case:
    group = "all routes" if one["route"] is None else str(one["route"])
    said = f"{words.COMPARED[one['verdict']][1]}: {whole(one)}"
    if one["verdict"] == "worse":
        return xml.Case(group, name_of(one), "failed", said, _values(one))
    if one["verdict"] == "undecided" and one["decides"]:
        return xml.Case(group, name_of(one), "skipped", said + _cost(one))
    return xml.Case(group, name_of(one), "passed", said, _values(one))


def _values(one: Json) -> str:
    a, b = (numbers.amount(one[side]["value"], one["unit"]) for side in ("a", "b"))
    return f"A {a}, B {b}" + (f"; {one['note']}" if one["note"] else "")


def _cost(one: Json) -> str:
    cost = one["to_decide"]
    return f"; about {numbers.plural(int(cost['pairs']), 'pair')} of runs in turns would tell" if cost else ""
