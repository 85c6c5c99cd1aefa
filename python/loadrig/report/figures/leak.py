"""Chart of what grows with every request: its course, the line through it, and where its limit stands."""

import math

import numpy as np

from loadrig.base.units import show_duration, show_number
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.courses import Course
from loadrig.judgement.facts.readings import requests_at
from loadrig.judgement.harms import leaks
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.leak import LeakFigureTexts
from loadrig.recording.steps import Floats
from loadrig.report import numbers
from loadrig.report.figures import _time
from loadrig.report.model import Cell, Figure, Spark, Table
from loadrig.report.tables import left, right, table_of
from loadrig.report.timeline import Timeline

TEXTS = texts_of(LeakFigureTexts)

MOST_PANELS = 3

NEAR = 4.0
"""Multiple of the greatest value within which a limit is drawn: one further away would flatten the course."""


def draw(view: str, case: Case, time: Timeline) -> Figure | None:
    """Return a panel for each level that leaks, the most urgent on top; None where nothing leaks."""
    leaking = [course for course in leaks.of(case) if course.is_leak][:MOST_PANELS]
    if not leaking:
        return None
    first = leaking[0]
    low, high = (first.shown(value) for value in first.interval)
    grows = TEXTS.grows(TEXTS.what_of(first.what, first.component), first.shown(first.a_request), low, high)
    has_slope = any(not course.slopes.lives for course in leaking)
    about = f"{grows} {_forecast(case, first)}{TEXTS.dashed_line if has_slope else ''}".rstrip()
    return _time.figure(
        "leak",
        view,
        time,
        TEXTS.title,
        about,
        [_panel(case, course, time) for course in leaking],
        _table(case, leaking),
        (
            Spark(
                first.what,
                tuple(_on_columns(*first.together, time)),
                TEXTS.growth_a_request(first.shown(first.a_request)),
            ),
        ),
        is_banded=False,  # the pale band is the interval of the slope
    )


def _forecast(case: Case, course: Course) -> str:
    left_s = course.to_limit_s(case.load.ended_rps)
    if course.slopes.lives:
        return TEXTS.restarts_hide(course.slopes.lives)
    if not math.isfinite(left_s):
        return ""
    rate, limit = show_number(case.load.ended_rps), course.shown(course.limit)
    return TEXTS.reached_in(rate, course.limit_text, limit, show_duration(left_s))


def _panel(case: Case, course: Course, time: Timeline) -> _time.ChartPanel:
    unit = "B" if course.kind == "memory" else ""
    lines = [_time.ChartLine(course.what, unit, _on_columns(*course.together, time), "blue")]
    if not course.slopes.lives:
        middle, low, high = _fitted(case, course, time)
        lines.append(
            _time.ChartLine(TEXTS.at_its_slope, unit, middle, "red", dash=(6, 4), low=low, high=high)
        )
    more: dict[str, object] = {}
    if course.limit <= NEAR * float(course.together[1].max()):
        more = {"limits": [[course.limit, course.limit_text]], "top": course.limit}
    left_s = course.to_limit_s(case.load.ended_rps)
    about = TEXTS.growth_a_request(course.shown(course.a_request))
    if math.isfinite(left_s) and not course.slopes.lives:
        about += TEXTS.time_to_limit(show_duration(left_s), course.limit_text)
    title = numbers.capital(TEXTS.what_of(course.what, course.component))
    return _time.panel(lines, title=title, about=about, height=180, **more)


def _fitted(
    case: Case, course: Course, time: Timeline
) -> tuple[list[float | None], list[float | None], list[float | None]]:
    """Return the line through the course and its interval, from the first reading to the load's end."""
    shape, line = course.slopes.shape, course.slopes.a_request
    assert shape is not None
    assert line is not None
    middles_s = np.asarray(time.columns).mean(axis=1)
    at = requests_at(case, (case.origin_ns + middles_s * 1e9).astype(np.int64))
    centre = float(np.median(shape.x))
    height = float(np.median(shape.y - line.value * (shape.x - centre)))
    is_after = middles_s >= float(course.together[0][0])
    fits = []
    for slope in (line.value, line.low, line.high):
        values: Floats = height + slope * (at - centre)
        fits.append(
            [float(value) if is_drawn else None for value, is_drawn in zip(values, is_after, strict=True)]
        )
    middle, at_low, at_high = fits
    low = [None if a is None or b is None else min(a, b) for a, b in zip(at_low, at_high, strict=True)]
    high = [None if a is None or b is None else max(a, b) for a, b in zip(at_low, at_high, strict=True)]
    return middle, low, high


def _on_columns(t_s: Floats, values: Floats, time: Timeline) -> list[float | None]:
    """Return readings on the columns of the time axis: their mean, or else the value before."""
    columns: list[float | None] = []
    before: float | None = None
    for start, end in time.columns:
        inside = values[(t_s >= start) & (t_s < end)]
        if inside.size:
            before = float(inside.mean())
        columns.append(before if start <= float(t_s[-1]) else None)
    return columns


def _table(case: Case, leaking: list[Course]) -> Table:
    def slope(course: Course) -> Cell:
        return Cell(course.shown(course.a_request), note=" – ".join(map(course.shown, course.interval)))

    def time_left(course: Course) -> str:
        left_s = course.to_limit_s(case.load.ended_rps)
        return show_duration(left_s) if math.isfinite(left_s) and not course.slopes.lives else "–"

    return table_of(
        leaking,
        left(TEXTS.what, lambda course: TEXTS.what_of(course.what, course.component)),
        right(TEXTS.request, slope),
        right(TEXTS.in_all, lambda course: course.shown(course.slopes.grown)),
        right(TEXTS.now, lambda course: course.shown(course.slopes.level)),
        right(TEXTS.limit, lambda course: course.shown(course.limit) if math.isfinite(course.limit) else "–"),
        right(TEXTS.time_left, time_left),
        caption=TEXTS.title,
        folded=True,
    )
