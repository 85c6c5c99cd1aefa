"""A comparison for a pipeline: a summary in Markdown for a pull request, and JUnit XML."""

from collections.abc import Sequence

from loadrig.comparing.document import ComparedDocument, ComparisonDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.comparison import ReportComparisonFilesTexts
from loadrig.report import badge as svg
from loadrig.report import junit as xml
from loadrig.report import markdown as md
from loadrig.report import numbers, words
from loadrig.report.comparison import names
from loadrig.report.comparison_words import sentences
from loadrig.report.figures.differences import change, interval, name_of, whole

TEXTS = texts_of(ReportComparisonFilesTexts)

MOST_ROUTES = 20
"""Rows for routes in a summary: those that moved, no more than a reader of a pull request looks at."""

MARKS = {"worse": "❌", "better": "✅", "equal": "✅", "undecided": "❔"}


def markdown(document: ComparisonDocument) -> str:
    """Return a summary: the verdict, the measures, the routes that moved, and what was not the same."""
    lead, *others = sentences(document)
    rows = [row for row in document.compared if row.route is None]
    moved = [row for row in document.compared if row.route is not None and row.verdict in ("worse", "better")]
    parts = [
        f"### {MARKS[document.verdict]} {md.plain(lead)}",
        " · ".join(f"{side}: {md.code(name)}" for side, name in zip("AB", names(document), strict=True)),
        _table(rows),
    ]
    if moved:
        parts.append(TEXTS.routes_moved + _table(moved[:MOST_ROUTES]))
        if len(moved) > MOST_ROUTES:
            parts.append(TEXTS.and_more(str(len(moved) - MOST_ROUTES)))
    if others:
        parts.append("\n".join(f"- {md.plain(text)}" for text in others))
    if document.differences:
        cells = [[md.plain(part or "–") for part in (row.name, row.a, row.b)] for row in document.differences]
        parts.append(md.folded(TEXTS.what_not_same, md.table((TEXTS.not_same, "A", "B"), cells)))
    return "\n\n".join(parts) + "\n"


def badge(document: ComparisonDocument) -> str:
    """Return an SVG with the verdict, and with the change of the first measure that decides."""
    decides = [row for row in document.compared if row.decides and row.verdict == document.verdict]
    message: str = document.verdict
    if document.verdict in ("worse", "better") and decides:
        message += f": {name_of(decides[0])} {change(decides[0])}"
    return svg.badge("load", message, document.verdict)


def _table(rows: Sequence[ComparedDocument]) -> str:
    lines = []
    for row in rows:
        symbol, word, _ = words.COMPARED[row.verdict]
        name = f"**{md.plain(name_of(row))}**" if row.decides else md.plain(name_of(row))
        a, b = (numbers.amount(side.value, row.unit) for side in (row.a, row.b))
        lines.append([name, a, b, change(row), interval(row), f"{symbol} {word}"])
    heads = ("measure", "A", "B", "change", "95 % interval", "verdict")
    return md.table(heads, lines, right=frozenset({1, 2, 3, 4}))


def junit(document: ComparisonDocument) -> str:
    """Return JUnit XML with a test for each comparison: worse fails; undecided is skipped, with its cost.

    An undecided comparison that does not decide the verdict passes: to find it out was not the question.
    """
    cases = [_case(compared) for compared in document.compared]
    seconds = document.a.seconds + document.b.seconds
    return xml.write("loadrig compare", " and ".join(names(document)), cases, seconds)


def _case(compared: ComparedDocument) -> xml.JunitCase:
    group = TEXTS.all_routes if compared.route is None else compared.route
    text = f"{words.COMPARED[compared.verdict][1]}: {whole(compared)}"
    if compared.verdict == "worse":
        return xml.JunitCase(group, name_of(compared), "failed", text, _values(compared))
    if compared.verdict == "undecided" and compared.decides:
        return xml.JunitCase(group, name_of(compared), "skipped", text + _cost(compared))
    return xml.JunitCase(group, name_of(compared), "passed", text, _values(compared))


def _values(compared: ComparedDocument) -> str:
    a, b = (numbers.amount(side.value, compared.unit) for side in (compared.a, compared.b))
    return f"A {a}, B {b}" + (f"; {compared.note}" if compared.note else "")


def _cost(compared: ComparedDocument) -> str:
    cost = compared.to_decide
    return TEXTS.about_runs_turns(numbers.plural(cost.pairs, "pair")) if cost else ""
