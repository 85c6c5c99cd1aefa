"""The soak: what grows and where that ends, what drifts, dips and lapses, on one axis."""

from loadrig.judgement.soak.document import DriftDocument, GoalOverStretches, GrowthDocument, SoakDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import SoakSectionTexts
from loadrig.report import numbers, soak
from loadrig.report.figures import soak_strips
from loadrig.report.model import Cell, Paragraph, Section, Table, present, verdict_cell
from loadrig.report.run import Run
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(SoakSectionTexts)

ORDER = 13
TITLE = "Soak"

SAID_BEFORE = 3
"""Number of sentences that stand in the verdict already."""

MOST_DRIFTS = 5
"""Number of drifts above which their table is shown on demand."""


def build(run: Run) -> Section | None:
    """Return strips, forecast and tables; None where there was no soak."""
    answer = soak.soak_in(run)
    each = _settings(run)
    if each is not None:
        # One page has room for one soak: those of the other settings are pages of their trials.
        return Section("soak", TITLE, tuple(present(each)))
    if answer is None:
        return None
    if not isinstance(answer, SoakDocument):
        return Section("soak", TITLE, (Paragraph(answer.headline),))
    rest = [Paragraph(text) for text in soak.sentences(answer)[SAID_BEFORE if run.study is not None else 0 :]]
    strips, ends = soak_strips.draw(answer), soak_strips.ends(answer)
    tables = (_growth(answer), _goals(answer), _drift(answer))
    # The verdict has the gravest three sentences already, so `rest` leaves them out in a terminal too.
    blocks, terminal = present(*rest, strips, ends, *tables), present(*rest, strips, *tables)
    return Section("soak", TITLE, tuple(blocks), lead=soak.ended(answer), terminal=tuple(terminal))


def _settings(run: Run) -> Table | None:
    """Return the answers of a soak of several settings; None of any other run."""
    soaks = [] if run.study is None else soak.soaks_of(run.study)
    if not soaks:
        return None
    return table_of(
        soaks,
        left("setting", lambda row: row[0]),
        left("", lambda row: TEXTS.of_trial(str(row[1].trial)), 1),
        left("", lambda row: row[1].headline),
        caption=TEXTS.each_setting,
    )


def _growth(answer: SoakDocument) -> Table | None:
    if not answer.growth:
        return None

    def amount(row: GrowthDocument, value: float | None) -> str:
        return numbers.amount(None if row.a_request is None else value, row.unit)

    return table_of(
        answer.growth,
        left("level", lambda row: TEXTS.what_of(row.what, row.component)),
        right(TEXTS.every_request, soak.each_request, doc=TEXTS.growth_interval),
        right(TEXTS.in_the_run, lambda row: amount(row, row.grown), 2),
        right(TEXTS.at_the_end, lambda row: amount(row, row.level), 1),
        right("limit", lambda row: numbers.amount(row.limit.amount if row.limit else None, row.unit), 3),
        right(TEXTS.reached_in, lambda row: soak.reached(row) if row.is_leak else "–", 2),
        left("verdict", lambda row: verdict_cell(soak.GROWTH[row.verdict])),
        caption=TEXTS.caption,
    )


def _goals(answer: SoakDocument) -> Table | None:
    if not answer.goals:
        return None

    def longest_from(goal: GoalOverStretches) -> str:
        longest = max(goal.misses, key=lambda miss: miss.to_s - miss.from_s)
        return soak.lasting(longest.from_s)

    return table_of(
        answer.goals,
        left("goal", lambda goal: goal.text),
        right("stretches", lambda goal: f"{goal.stretches:,}", 2),
        right("kept", lambda goal: numbers.share_of(goal.stretches - goal.missed, goal.stretches)),
        right(TEXTS.longest_miss, lambda goal: soak.lasting(goal.longest_s) if goal.misses else "–"),
        right("from", lambda goal: longest_from(goal) if goal.misses else "–", 1),
        left("", lambda goal: soak.LAPSES[goal.met]),
        caption=TEXTS.goals_over_stretches,
    )


def _drift(answer: SoakDocument) -> Table | None:
    if not answer.drifted:
        return None
    names = {"latency": TEXTS.name_latency, "tail": "p95", "throughput": "throughput"}

    def name(course: DriftDocument) -> str:
        return TEXTS.names_of(names[course.measure], course.route) if course.route else names[course.measure]

    def amount(course: DriftDocument, value: float | None) -> str:
        return numbers.amount(value, "1/s" if course.measure == "throughput" else "s")

    def change(course: DriftDocument) -> Cell:
        low, high = course.low, course.high
        span = numbers.change_span(low, high) if low is not None and high is not None else ""
        return Cell(numbers.change(course.ratio), note=span)

    return table_of(
        answer.drifted,
        left("course", name),
        right("before", lambda course: amount(course, course.before)),
        right("after", lambda course: amount(course, course.after)),
        right("change", change),
        right("from", lambda course: "throughout" if course.at_s is None else soak.lasting(course.at_s), 1),
        left("", lambda course: "a step" if course.verdict == "step" else "a slope"),
        caption=TEXTS.what_drifted,
        folded=len(answer.drifted) > MOST_DRIFTS,
    )
