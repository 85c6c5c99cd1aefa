"""A history told to a person: from its document alone, as a report for the terminal and the page."""

from collections.abc import Sequence

from loadrig.comparing.document import CourseDocument, Difference, HistoryDocument, StepDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.comparison import ReportHistoryTexts
from loadrig.language.labels import label
from loadrig.report import numbers, words
from loadrig.report.comparison import TONES
from loadrig.report.figures import run_by_run
from loadrig.report.model import Block, Cell, Figure, Paragraph, Report, Section, Spark, sections_of
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(ReportHistoryTexts)

MOST_TOLD = 3
"""Number of differences named beside a change; the JSON has all."""


LEAST_P = 1e-15
"""Smallest p-value that is shown as a number: a smaller one is a rounding error."""


def build(document: HistoryDocument) -> Report:
    """Return the report of a history's document (schema loadrig.history/1)."""
    runs = document.runs
    days = [(run.created or "")[:10] for run in runs]
    span = label(" to ").join(dict.fromkeys((days[0], days[-1]))) if days[0] and days[-1] else ""
    kicker = " · ".join(part for part in ("history", numbers.plural(len(runs), "run"), span) if part)
    return Report(
        title=document.plan or "runs",
        kicker=kicker,
        sections=sections_of(_verdict(document), _courses(document), _changes(document), _figures(document)),
        next=_next(document),
        facts={"made by": f"loadrig {document.loadrig}"},
    )


def sentence(document: HistoryDocument) -> str:
    """Return the verdict of a history in a sentence."""
    newest = [
        (course, change)
        for course in document.courses
        for change in course.changes
        if change.verdict == document.verdict
        and change.run >= len(document.runs) - document.newest
        and course.verdict == document.verdict
    ]
    match document.verdict:
        case "worse" | "better" as word:
            by_run: dict[int, list[str]] = {}
            for course, change in sorted(newest, key=lambda pair: pair[1].run):
                part = f"{words.measure(course.measure)} {effect(course, change)}"
                by_run.setdefault(change.run, []).append(part)
            parts = [
                TEXTS.since(numbers.listed(texts), run_of(document, run)) for run, texts in by_run.items()
            ]
            return TEXTS.became(word, ", ".join(parts))
        case "equal":
            count = min(len(document.runs), document.newest)
            return TEXTS.no_change_newest(numbers.plural(count, "run"))
        case _:
            return TEXTS.cannot_tell_change(numbers.plural(len(document.runs), "run"))


def changes_of(document: HistoryDocument) -> list[tuple[CourseDocument, StepDocument]]:
    """Return every change with the course of its measure, the newest first."""
    changes = [(course, change) for course in document.courses for change in course.changes]
    return sorted(changes, key=lambda pair: -pair[1].run)


def newest_word(document: HistoryDocument, course: CourseDocument) -> tuple[str, str]:
    """Return what the newest runs say of a measure: a sign and a word."""
    if course.verdict != "equal":
        symbol, name, _ = words.COMPARED[course.verdict]
        return symbol, name
    first = len(document.runs) - document.newest
    has_moved = any(change.run >= first and not change.machine_changed for change in course.changes)
    return words.COMPARED["equivalent"][0], TEXTS.trivial_change if has_moved else TEXTS.no_change


def word(change: StepDocument) -> str:
    """Return the word for a change: worse, better, trivial, or of another machine."""
    if change.machine_changed:
        return TEXTS.another_machine
    return "trivial" if change.verdict == "trivial" else words.COMPARED[change.verdict][1]


def _verdict(document: HistoryDocument) -> Section:
    tone = TONES.get(document.verdict, "plain")
    blocks: list[Block] = [Paragraph(sentence(document), tone, size="lead")]
    if document.left_out:
        parts = [f"{count} {why}" for why, count in document.left_out.items()]
        blocks.append(Paragraph(TEXTS.out(", ".join(parts)), size="note"))
    return Section("verdict", "Verdict", tuple(blocks))


def _courses(document: HistoryDocument) -> Section:
    def newest(course: CourseDocument) -> Cell:
        return Cell(" ".join(newest_word(document, course)), TONES.get(course.verdict, "plain"))

    table = table_of(
        document.courses,
        left("", lambda course: Cell(words.measure(course.measure), "strong" if course.decides else "plain")),
        left("newest", newest),
        right("first", lambda course: end_of(course, 0), 2),
        right("now", lambda course: end_of(course, -1)),
        right("changes", lambda course: str(len(course.changes)), 1),
    )
    sparks = tuple(_spark(course) for course in document.courses if course.decides)
    lines = Figure("history-lines", "intervals", "", "", {"rows": []}, spark=sparks)
    return Section("measures", TEXTS.every_measure, (table,), terminal=(table, lines))


def end_of(course: CourseDocument, place: int) -> str:
    """Return the first value of a course (place 0) or its last one (-1); "–" where it has none."""
    return numbers.amount(course.measured[place] if course.measured else None, course.unit)


def _spark(course: CourseDocument) -> Spark:
    """Return the course between its least and its greatest value, both named: from zero it would be flat."""
    measured = course.measured or [0.0]
    least, greatest = min(measured), max(measured)
    values = tuple(None if value is None else value - least for value in course.values)
    span = TEXTS.to(numbers.amount(least, course.unit), numbers.amount(greatest, course.unit))
    return Spark(words.measure(course.measure), values, span)


def _changes(document: HistoryDocument) -> Section | None:
    changes = changes_of(document)
    if not changes:
        return None

    def verdict(row: tuple[CourseDocument, StepDocument]) -> Cell:
        symbol, _, tone = words.COMPARED[row[1].verdict]
        return Cell(f"{symbol} {word(row[1])}", "quiet" if row[1].machine_changed else tone)

    table = table_of(
        changes,
        left("since", lambda row: run_of(document, row[1].run)),
        left("measure", lambda row: words.measure(row[0].measure)),
        right("change", lambda row: effect(*row)),
        left("", verdict),
        right("before", lambda row: numbers.amount(row[1].before, row[0].unit), 2),
        right("after", lambda row: numbers.amount(row[1].after, row[0].unit), 2),
        right("p", lambda row: "< 1e-15" if row[1].p < LEAST_P else f"{row[1].p:.1g}", 3),
        left(TEXTS.not_same, lambda row: different(row[1].differences), 1),
    )
    return Section("changes", TEXTS.changes_newest_first, (table,))


def _figures(document: HistoryDocument) -> Section | None:
    names = [run_of(document, number) for number in range(len(document.runs))]
    figures = []
    for course in document.courses:
        if course.decides or course.changes:
            texts = [f"{effect(course, change)} {word(change)}" for change in course.changes]
            figures.append(run_by_run.draw(course, names, texts))
    drawn = tuple(figure for figure in figures if figure is not None)
    return Section("runs", TEXTS.run_run, drawn, in_text=False) if drawn else None


def effect(course: CourseDocument, change: StepDocument) -> str:
    """Return the size of a change: "−7.4 %"."""
    return numbers.effect(change.effect, course.is_ratio)


def run_of(document: HistoryDocument, number: int) -> str:
    """Return a run's day, with the time where another run has that day; its name where no day is known."""
    run = document.runs[number]
    created = run.created or ""
    if not created:
        return run.name
    days = [(entry.created or "")[:10] for entry in document.runs]
    return created[:10] if days.count(created[:10]) == 1 else created[:16].replace("T", " ")


def different(differences: Sequence[Difference]) -> str:
    """Return a few of the differences between two runs; "–" where none is known."""
    texts = [
        f"{difference.name}: {difference.a or '–'} → {difference.b or '–'}"
        for difference in differences
        if difference.touches_load
    ]
    return numbers.listed(texts, MOST_TOLD) if texts else "–"


def _next(document: HistoryDocument) -> str:
    changed = [change.run for course in document.courses for change in course.changes if change.run > 0]
    if not changed:
        return ""
    runs = document.runs
    return f"loadrig compare {runs[max(changed) - 1].folder} {runs[max(changed)].folder}"
