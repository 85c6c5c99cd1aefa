"""A history for a pipeline: a summary in Markdown, and JUnit XML."""

from loadrig.comparing.document import CourseDocument, HistoryDocument, StepDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.comparison import ReportHistoryFilesTexts
from loadrig.report import badge as svg
from loadrig.report import history, numbers, words
from loadrig.report import junit as xml
from loadrig.report import markdown as md
from loadrig.report.comparison_files import MARKS

TEXTS = texts_of(ReportHistoryFilesTexts)

MOST_CHANGES = 10
"""Number of changes in a summary, the newest: older ones were seen before."""


def markdown(document: HistoryDocument) -> str:
    """Return a summary: the verdict, every measure, and the newest changes with what was not the same."""
    runs = document.runs
    courses = [_course(document, course) for course in document.courses]
    parts = [
        f"### {MARKS[document.verdict]} {md.plain(history.sentence(document))}",
        f"Plan: {md.code(document.plan or 'runs')} · {numbers.plural(len(runs), 'run')}",
        md.table(("measure", "first", "now", "newest"), courses, right=frozenset({1, 2})),
    ]
    changes = history.changes_of(document)
    if changes:
        rows = [_change(document, course, change) for course, change in changes[:MOST_CHANGES]]
        heads = ("since", "measure", "change", "verdict", TEXTS.not_same)
        parts.append(TEXTS.changes_newest_first + md.table(heads, rows, right=frozenset({2})))
        if len(changes) > MOST_CHANGES:
            parts.append(TEXTS.and_more(str(len(changes) - MOST_CHANGES)))
    return "\n\n".join(parts) + "\n"


def badge(document: HistoryDocument) -> str:
    """Return an SVG with the verdict on the newest runs."""
    return svg.badge(TEXTS.load(document.plan or "runs"), document.verdict, document.verdict)


def _change(document: HistoryDocument, course: CourseDocument, change: StepDocument) -> list[str]:
    return [
        history.run_of(document, change.run),
        md.plain(words.measure(course.measure)),
        history.effect(course, change),
        f"{words.COMPARED[change.verdict][0]} {history.word(change)}",
        md.plain(history.different(change.differences)),
    ]


def _course(document: HistoryDocument, course: CourseDocument) -> list[str]:
    name = md.plain(words.measure(course.measure))
    newest = " ".join(history.newest_word(document, course))
    ends = (history.end_of(course, place) for place in (0, -1))
    return [f"**{name}**" if course.decides else name, *ends, newest]


def junit(document: HistoryDocument) -> str:
    """Return JUnit XML with a test for each measure. Worse since one of the newest runs is a failure.

    A measure that decides and has too few runs to tell is skipped.
    """
    cases = [_case(document, course) for course in document.courses]
    return xml.write("loadrig history", document.plan or "runs", cases, 0.0)


def _case(document: HistoryDocument, course: CourseDocument) -> xml.JunitCase:
    name, plan = words.measure(course.measure), document.plan
    _, text = history.newest_word(document, course)
    now = TEXTS.now(history.end_of(course, -1))
    if course.verdict == "worse":
        since = [change for change in course.changes if change.verdict == "worse"]
        when = TEXTS.since(history.effect(course, since[-1]), history.run_of(document, since[-1].run))
        return xml.JunitCase(plan, name, "failed", f"{text}: {when}",
                        TEXTS.now_not_same(now, history.different(since[-1].differences)))  # fmt: skip
    if course.verdict == "undecided" and course.decides:
        needed_runs = TEXTS.takes_three_either(numbers.plural(len(course.measured), "run"))
        return xml.JunitCase(plan, name, "skipped", f"{text}: {needed_runs}")
    return xml.JunitCase(plan, name, "passed", text, now)
