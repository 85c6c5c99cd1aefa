"""Sentences that tell the result of a comparison."""

from collections.abc import Sequence

from loadrig.base.units import show_duration
from loadrig.comparing.document import ComparedDocument, ComparisonDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.comparison import ReportComparisonWordsTexts
from loadrig.language.labels import label
from loadrig.report import numbers
from loadrig.report.figures.differences import change, name_of, whole

TEXTS = texts_of(ReportComparisonWordsTexts)

MOST_NAMED = 3


def sentences(document: ComparisonDocument) -> list[str]:
    """Return the verdict first, then what else moved, what would decide, and every warning."""
    texts = [verdict(document)]
    if (others := _others(document)) is not None:
        texts.append(others)
    if document.verdict == "undecided":
        texts.append(_what_would(document))
    return [*texts, *(f"{_capital(text)}." for text in document.warnings)]


def verdict(document: ComparisonDocument) -> str:
    """Return one sentence: "B is worse than A: throughput −4.8 % (−6.1 … −3.5 %)."."""
    deciding = [row for row in document.compared if row.decides]
    match document.verdict:
        case "worse" | "better" as word:
            return TEXTS.b_than(word, _named(_rows_with_verdict(document, word)))
        case "equal":
            parts = [
                TEXTS.within(name_of(row), numbers.margin(row.equal_within, row.is_ratio), change(row))
                for row in deciding
            ]
            return f"{label('B equals A')}: {numbers.listed(parts)}."
        case _:
            open_ = [row for row in deciding if row.verdict == "undecided"] or deciding
            parts = [f"{name_of(row)} {whole(row)}" for row in open_]
            text = f": {numbers.listed(parts)}" if parts else ""
            return TEXTS.whether_b_differs(text)


def _rows_with_verdict(document: ComparisonDocument, word: str) -> list[ComparedDocument]:
    """Return the comparisons of a verdict: deciding ones first, then all routes together, then each."""
    rows = [row for row in document.compared if row.verdict == word]
    return sorted(rows, key=lambda row: (not row.decides, row.route is not None))


def _named(rows: Sequence[ComparedDocument]) -> str:
    parts = [f"{name_of(row)} {whole(row)}" for row in rows[:MOST_NAMED]]
    more = len(rows) - len(parts)
    return numbers.listed(parts) if not more else TEXTS.and_more(", ".join(parts), str(more))


def _others(document: ComparisonDocument) -> str | None:
    """Return what is better where the whole is worse, or beside a whole that is equal or undecided."""
    rows = _rows_with_verdict(document, "better")
    if not rows or document.verdict == "better":
        return None
    lead = "Better" if document.verdict == "worse" else TEXTS.better_beside_what
    return f"{lead}: {_named(rows)}."


def _what_would(document: ComparisonDocument) -> str:
    cost = document.to_decide
    if cost is None:
        return TEXTS.no_reasonable_number
    pairs = numbers.plural(cost.pairs, "pair")
    time = f" ({show_duration(cost.seconds)})" if cost.seconds else ""
    more = label("more ") if document.pairing.pairs else ""
    return TEXTS.what_would_tell(pairs.replace(" ", f" {more}", 1), time)


def _capital(text: str) -> str:
    # A sentence may begin with the name of a side, which is a path and stays as it is.
    return numbers.capital(text) if text.partition(" ")[0].isalpha() else text
