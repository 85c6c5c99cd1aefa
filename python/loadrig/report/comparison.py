"""A comparison told to a person: from its document alone, as a report for the terminal and the page."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from loadrig.base.errors import Problem, VoidError
from loadrig.base.units import show_duration, show_share
from loadrig.comparing.document import ComparedDocument, ComparisonDocument
from loadrig.recording.files import write_named
from loadrig.report import html, numbers, words
from loadrig.report.comparison_words import sentences
from loadrig.report.figures import differences, shift
from loadrig.report.figures.differences import change, interval, name_of
from loadrig.report.model import (
    Block,
    Cell,
    Column,
    Facts,
    Paragraph,
    Report,
    Section,
    Table,
    Tone,
)

MOST_ROUTES_TOLD = 12
"""Rows of the table of routes in a terminal: first the routes that are worse or better."""

TONES: Mapping[str, Tone] = {"worse": "bad", "better": "good"}

AREAS = {
    "setting": "setting", "plan": "plan", "server": "server", "tier": "behind the server",
    "machine": "machine", "rig": "rig",
}  # fmt: skip


def build(document: ComparisonDocument) -> Report:
    """Return the report of a comparison's document (schema loadrig.comparison/2)."""
    sections = (
        _verdict(document), _measures(document), _routes(document), _shift(document), _mix(document),
        _differences(document), _method(document),
    )  # fmt: skip
    return Report(
        title=" and ".join(names(document)),
        kicker=_kicker(document),
        sections=tuple(section for section in sections if section is not None),
        next=_next(document),
        facts={"made by": f"loadrig {document.loadrig}"},
    )


def write_page(document: ComparisonDocument, path: Path) -> None:
    """Write the page. Raises VoidError `report.cannot-write`."""
    try:
        write_named(path, html.render(build(document)))
    except OSError as error:
        raise cannot_write(path, error) from error


def cannot_write(path: Path, error: OSError) -> VoidError:
    """Return the error for a file that was asked for and cannot be written."""
    return VoidError(
        Problem(
            what=f"{path} cannot be written",
            why=error.strerror or str(error),
            mend="name another place, or make room on the disk",
            code="report.cannot-write",
        )
    )


def names(document: ComparisonDocument) -> tuple[str, str]:
    """Return the names of both sides without the folders above them: "before", "shop#3", "a1 and 2 more".

    Where both would be called alike, as many folders are kept as tell them apart.
    """
    sides = (document.a.name, document.b.name)
    most = max(side.count("/") for side in sides) + 1
    for kept in range(1, most + 1):
        first, second = (_short(side, kept) for side in sides)
        if first != second:
            return first, second
    return sides


def _short(name: str, kept: int) -> str:
    parts = ["/".join(part.strip().rstrip("/").split("/")[-kept:]) for part in name.split(",")]
    return parts[0] if len(parts) == 1 else f"{parts[0]} and {len(parts) - 1} more"


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
    heads = (
        Column("", "left"), Column("A", rank=3), Column("B", rank=2), Column("change"),
        Column("95 % interval", rank=1), Column("verdict", "left"),
    )  # fmt: skip
    cells = tuple(
        (
            Cell(name_of(row), "strong" if row.decides else "plain"),
            Cell(numbers.amount(row.a.value, row.unit)),
            Cell(numbers.amount(row.b.value, row.unit)),
            Cell(change(row)),
            Cell(interval(row) or "–", "quiet"),
            _verdict_cell(row),
        )
        for row in rows
    )
    marked = frozenset(number for number, row in enumerate(rows) if row.decides)
    table = Table(heads, cells, marked=marked, notes=_notes(rows))
    figure = differences.of_measures(rows)
    return Section(
        "measures", "All routes together", (table, *((figure,) if figure else ())),
        lead="B as against A; what decides stands first. A change within its margin does not matter.",
        told=(table,),
    )  # fmt: skip


def _notes(rows: Sequence[ComparedDocument]) -> tuple[str, ...]:
    """Return how the verdicts came about, each note once for all measures that share it."""
    names_by_text: dict[str, list[str]] = {}
    for row in rows:
        for part in row.note.split("; "):
            if part and "judged together" not in part:
                names_by_text.setdefault(part, []).append(name_of(row))
    every = len(rows)
    return tuple(
        text[:1].upper() + text[1:] + "." if len(names) == every else f"{numbers.listed(names)}: {text}."
        for text, names in names_by_text.items()
    )


def _verdict_cell(compared: ComparedDocument) -> Cell:
    symbol, word, tone = words.COMPARED[compared.verdict]
    word = "too little to matter" if compared.verdict == "trivial" else word
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

    ordered = sorted(by_route, key=weight)
    heads = (
        Column("route", "left"),
        *(Column(words.measure(name), rank=number) for number, name in enumerate(measures)),
    )
    rows = [(Cell(route), *(_small(by_route[route].get(name)) for name in measures)) for route in ordered]
    note = ("▲ better, ▼ worse, ≈ equal or too little to matter, ~ undecided.",)
    table = Table(heads, tuple(rows), notes=note)
    cut = rows[:MOST_ROUTES_TOLD]
    more = len(rows) - len(cut)
    shown = Table(
        heads, tuple(cut), notes=(*note, f"{more} more routes: see the page or the JSON.") if more else note
    )
    figures = [differences.draw(document.compared, name) for name in measures]
    return Section(
        "routes",
        "Route by route",
        (table, *(figure for figure in figures if figure is not None)),
        told=(shown,),
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
    lead = "All routes together move by the mix, too." if document.mix.differs else ""
    charts = tuple(shift.rows(course) for course in document.shift[:1] if course.route is None)
    return Section("shift", "Which answers moved", (figure,), lead=lead, told=charts)


def _mix(document: ComparisonDocument) -> Section | None:
    mix = document.mix
    if not mix.differs:
        return None
    heads = (Column("route", "left"), Column("A"), Column("B"))
    rows = tuple(
        (Cell(route.route), Cell(show_share(route.a)), Cell(show_share(route.b))) for route in mix.shares
    )
    return Section(
        "mix", "The mix", (Table(heads, rows, caption="Share of each route in all requests"),),
        lead="What was asked for was not the same.",
    )  # fmt: skip


def _differences(document: ComparisonDocument) -> Section | None:
    entries = document.differences
    if not entries:
        return None
    heads = (Column("", "left", rank=1), Column("what", "left"), Column("A", "left"), Column("B", "left"))
    rows = tuple(
        (
            Cell(AREAS[entry.area], "quiet"),
            Cell(entry.name, "plain" if entry.touches_load else "quiet"),
            Cell(entry.a or "–"),
            Cell(entry.b or "–"),
        )
        for entry in entries
    )
    return Section(
        "differences", "What was not the same", (Table(heads, rows),),
        lead="Any of these may be the reason of a difference.",
    )  # fmt: skip


def _method(document: ComparisonDocument) -> Section:
    pairs = document.pairing
    how = {
        "blocks": f"{numbers.plural(pairs.pairs, 'block')} of one study, compared within each",
        "turns": f"{numbers.plural(pairs.pairs, 'pair')} of runs in turns, compared within each",
        "apart": "runs apart; what changed between them counts as a difference, and is allowed for",
    }[pairs.how]
    facts = [("trials", how)]
    for name, side in (("A", document.a), ("B", document.b)):
        counts = ", ".join(f"{number} {word}" for word, number in side.trials.items())
        facts.append((name, f"{side.name}: {counts}; {show_duration(side.seconds)} of trials"))
    return Section("method", "How it was judged", (Facts(tuple(facts)),), in_text=False)


def _next(document: ComparisonDocument) -> str:
    if document.verdict == "undecided":
        return "loadrig explain undecided"
    return f"loadrig report {document.b.runs[0]}"
