"""A measure over the runs of a plan: a dot a run, the levels between its changes, each change marked."""

from collections.abc import Sequence

from loadrig.comparing.document import CourseDocument, StepDocument
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.run_by_run import RunByRunTexts
from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Figure, Tone

TEXTS = texts_of(RunByRunTexts)

MOST_RUNS = 400
"""Number of runs in a figure, the newest: more dots than that have no room on a screen."""


def draw(course: CourseDocument, names: Sequence[str], change_texts: Sequence[str]) -> Figure | None:
    """Return the course of one measure of a history's document; None for fewer than two values.

    names: of the runs, as the page calls them. change_texts: each change in a few words.
    """
    first = max(0, len(names) - MOST_RUNS)
    measured = [(n, value) for n, value in enumerate(course.values) if n >= first and value is not None]
    if len(measured) < 2:
        return None

    def shown(number: float) -> str:
        return numbers.amount(number, course.unit)

    levels = [level for level in _levels(course, len(names)) if level[1] > first]
    rows = [_intervals.IntervalRow("", value, None, None, "") for _, value in measured]
    rows += [_intervals.IntervalRow("", level, None, None, "") for _, _, level in levels]
    scale = _intervals.scaled(rows, tick=shown)
    places = [row.at for row in scale.rows]
    last = len(names) - 1

    def along(run: float) -> float:
        return round(min(1.0, max(0.0, (run - first) / max(1, last - first))), 4)

    name = words.measure(course.measure)
    return Figure(
        f"history-{course.measure.replace('.', '-')}",
        "history",
        name,
        TEXTS.about,
        {
            "runs": [
                {"x": along(n), "at": place, "text": f"{names[n]}: {shown(value)}"}
                for (n, value), place in zip(measured, places, strict=False)
            ],
            "levels": [
                {"from": along(start), "to": along(end - 1), "at": place}
                for (start, end, _), place in zip(levels, places[len(measured) :], strict=True)
            ],
            "changes": [
                {"at": along(change.run - 0.5), "text": text, "tone": _tone(change)}
                for change, text in zip(course.changes, change_texts, strict=True)
                if change.run > first
            ],
            "ticks": scale.data["ticks"],
            "dates": [names[first], names[last]],
        },
    )


def _levels(course: CourseDocument, runs: int) -> list[tuple[int, int, float]]:
    """Return the runs from and to (not included) which a level held, and the level; [] without a change."""
    changes = course.changes
    if not changes:
        return []
    edges = [0, *(change.run for change in changes), runs]
    values = [changes[0].before, *(change.after for change in changes)]
    return [(edges[i], edges[i + 1], value) for i, value in enumerate(values)]


def _tone(change: StepDocument) -> Tone:
    """Return the tone of a change: grey where it is of another machine or too small to matter."""
    if change.machine_changed or change.verdict == "trivial":
        return "quiet"
    return "bad" if change.verdict == "worse" else "good"
