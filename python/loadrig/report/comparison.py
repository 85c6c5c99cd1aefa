"""A comparison told to a person: from its document alone, as a report for the terminal and the page."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from loadrig.base.errors import VoidError
from loadrig.base.units import show_duration, show_share
from loadrig.comparing.document import ComparedDocument, ComparisonDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.report import ReportComparisonErrors
from loadrig.language.en.report.comparison import ReportComparisonTexts
from loadrig.language.labels import joined
from loadrig.report import numbers, words
from loadrig.report.comparison_words import sentences
from loadrig.report.figures import differences, shift
from loadrig.report.figures.differences import change, interval, name_of
from loadrig.report.model import (
    Block,
    Cell,
    Facts,
    Paragraph,
    Report,
    Section,
    Table,
    Tone,
    present,
    sections_of,
)
from loadrig.report.tables import FilledColumn, left, right, table_of

TEXTS = texts_of(ReportComparisonTexts)
ERRORS = texts_of(ReportComparisonErrors)

MOST_ROUTES_TOLD = 12
"""Rows of the table of routes in a terminal: first the routes that are worse or better."""

TONES: Mapping[str, Tone] = {"worse": "bad", "better": "good"}

HOLM = "(Holm)"
"""Mark of the note on how many measures were judged together, in every language; the page says it once."""

AREAS = {
    "setting": "setting", "plan": "plan", "server": "server", "tier": TEXTS.area_tier,
    "machine": "machine", "rig": "rig",
}  # fmt: skip


def build(document: ComparisonDocument) -> Report:
    """Return the report of a comparison's document (schema loadrig.comparison/2)."""
    return Report(
        title=joined(names(document)),
        kicker=_kicker(document),
        sections=sections_of(
            _verdict(document),
            _measures(document),
            _routes(document),
            _shift(document),
            _mix(document),
            _differences(document),
            _method(document),
        ),
        next=_next(document),
        facts={"made by": f"loadrig {document.loadrig}"},
    )


def cannot_write(path: Path, error: OSError) -> VoidError:
    """Return the error for a file that was asked for and cannot be written."""
    wording = ERRORS.not_written(str(path), error.strerror or str(error))
    return VoidError.of(wording, code="report.cannot-write")


def names(document: ComparisonDocument) -> tuple[str, str]:
    """Return the names of both sides without the folders above them: "before", "shop#3", "a1 and 2 more".

    Where both would be called alike, as many folders are kept as tell them apart.
    """
    sides = (document.a.name, document.b.name)
    most = max(side.count("/") for side in sides) + 1
    for count in range(1, most + 1):
        first, second = (_short(side, count) for side in sides)
        if first != second:
            return first, second
    return sides


def _short(name: str, count: int) -> str:
    parts = ["/".join(part.strip().rstrip("/").split("/")[-count:]) for part in name.split(",")]
    return parts[0] if len(parts) == 1 else TEXTS.and_more(parts[0], str(len(parts) - 1))


def _kicker(document: ComparisonDocument) -> str:
    parts = ["comparison"]
    for name, side, called in zip("AB", (document.a, document.b), names(document), strict=True):
        parts.append(
            f"{name}: {called}, {numbers.plural(side.usable, 'trial')}"
            + (f", {side.label}" if side.setting else "")
        )
    return " · ".join(parts)


# --- sections -----------------------------------------------------------------------------------


def _verdict(document: ComparisonDocument) -> Section:
    lead, *others = sentences(document)
    blocks: list[Block] = [Paragraph(lead, TONES.get(document.verdict, "plain"), size="lead")]
    blocks += [Paragraph(text) for text in others]
    return Section("verdict", "Verdict", tuple(blocks))


def _measures(document: ComparisonDocument) -> Section:
    rows = [row for row in document.compared if row.route is None]
    table = table_of(
        rows,
        left("", lambda row: Cell(name_of(row), "strong" if row.decides else "plain")),
        right("A", lambda row: numbers.amount(row.a.value, row.unit), 3),
        right("B", lambda row: numbers.amount(row.b.value, row.unit), 2),
        right("change", change),
        right("95 % interval", lambda row: Cell(interval(row), "quiet"), 1),
        left("verdict", _verdict_cell),
        marked=lambda row: row.decides,
        notes=_notes(rows),
    )
    return Section(
        "measures", TEXTS.all_routes_together, tuple(present(table, differences.of_measures(rows))),
        lead=TEXTS.lead,
        terminal=(table,),
    )  # fmt: skip


def _notes(rows: Sequence[ComparedDocument]) -> tuple[str, ...]:
    """Return how the verdicts came about, each note once for all measures that share it."""
    names_by_text: dict[str, list[str]] = {}
    for row in rows:
        for part in row.note.split("; "):
            if part and HOLM not in part:
                names_by_text.setdefault(part, []).append(name_of(row))
    every = len(rows)
    return tuple(
        f"{numbers.capital(text)}." if len(names) == every else f"{numbers.listed(names)}: {text}."
        for text, names in names_by_text.items()
    )


def _verdict_cell(compared: ComparedDocument) -> Cell:
    symbol, word, tone = words.COMPARED[compared.verdict]
    word = TEXTS.too_little_matter if compared.verdict == "trivial" else word
    return Cell(f"{symbol} {word}", tone)


def _routes(document: ComparisonDocument) -> Section | None:
    by_route: dict[str, dict[str, ComparedDocument]] = {}
    for compared in document.compared:
        if compared.route is not None:
            by_route.setdefault(compared.route, {})[compared.measure] = compared
    if not by_route:
        return None
    measures = list(dict.fromkeys(row.measure for row in document.compared if row.route is not None))

    def weight(route: str) -> int:
        verdicts = [compared.verdict for compared in by_route[route].values()]
        return 0 if "worse" in verdicts else 1 if "better" in verdicts else 2

    def column(rank: int, name: str) -> FilledColumn[str]:
        return right(words.measure(name), lambda route: _small(by_route[route].get(name)), rank)

    def table(routes: Sequence[str], *notes: str) -> Table:
        columns = (column(rank, name) for rank, name in enumerate(measures))
        return table_of(routes, left("route", lambda route: route), *columns, notes=notes)

    ordered = sorted(by_route, key=weight)
    signs = TEXTS.better_worse_equal
    more = len(ordered) - MOST_ROUTES_TOLD
    cut = [signs, TEXTS.more_routes_see(str(more))] if more > 0 else [signs]
    figures = (differences.draw(document.compared, name) for name in measures)
    return Section(
        "routes",
        TEXTS.route_route,
        tuple(present(table(ordered, signs), *figures)),
        terminal=(table(ordered[:MOST_ROUTES_TOLD], *cut),),
    )


def _small(compared: ComparedDocument | None) -> Cell:
    if compared is None:
        return Cell("–", "quiet")
    symbol, _, tone = words.COMPARED[compared.verdict]
    return Cell(f"{symbol} {change(compared)}", tone)


def _shift(document: ComparisonDocument) -> Section | None:
    figure = shift.draw(document.shift)
    if figure is None:
        return None
    lead = TEXTS.all_routes_together_move if document.mix.differs else ""
    charts = tuple(shift.rows(course) for course in document.shift[:1] if course.route is None)
    return Section("shift", TEXTS.answers_moved, (figure,), lead=lead, terminal=charts)


def _mix(document: ComparisonDocument) -> Section | None:
    mix = document.mix
    if not mix.differs:
        return None
    table = table_of(
        mix.shares,
        left("route", lambda route: route.route),
        right("A", lambda route: show_share(route.a)),
        right("B", lambda route: show_share(route.b)),
        caption=TEXTS.caption,
    )
    return Section("mix", TEXTS.the_mix, (table,), lead=TEXTS.what_asked_not)


def _differences(document: ComparisonDocument) -> Section | None:
    if not document.differences:
        return None
    table = table_of(
        document.differences,
        left("", lambda entry: Cell(AREAS[entry.area], "quiet"), 1),
        left("what", lambda entry: Cell(entry.name, "plain" if entry.touches_load else "quiet")),
        left("A", lambda entry: entry.a or "–"),
        left("B", lambda entry: entry.b or "–"),
    )
    return Section("differences", TEXTS.what_not_same, (table,), lead=TEXTS.any_may_reason)


def _method(document: ComparisonDocument) -> Section:
    pairs = document.pairing
    how = {
        "blocks": TEXTS.study_compared_within(numbers.plural(pairs.pairs, "block")),
        "turns": TEXTS.runs_turns_compared(numbers.plural(pairs.pairs, "pair")),
        "apart": TEXTS.runs_apart_what,
    }[pairs.how]
    facts = [("trials", how)]
    for name, side in (("A", document.a), ("B", document.b)):
        counts = ", ".join(f"{number} {word}" for word, number in side.trials.items())
        facts.append((name, TEXTS.trials(side.name, counts, show_duration(side.seconds))))
    return Section("method", TEXTS.how_judged, (Facts(tuple(facts)),), in_text=False)


def _next(document: ComparisonDocument) -> str:
    if document.verdict == "undecided":
        return "loadrig explain undecided"
    return f"loadrig report {document.b.runs[0]}"
