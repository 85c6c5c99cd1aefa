"""Dips of throughput: what was lost, what happened then, and the course of one period laid on itself."""

from collections.abc import Sequence

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.judgement.facts.case import Case
from loadrig.judgement.harms import dips
from loadrig.judgement.harms.dips import Aligned, Dips
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.dips import DipFigureTexts
from loadrig.recording.steps import Floats
from loadrig.report import numbers
from loadrig.report.figures import _intervals, _time
from loadrig.report.figures.what_happened import ticked
from loadrig.report.model import Figure, Spark, Table
from loadrig.report.tables import left, right, table_of
from loadrig.report.timeline import Timeline
from loadrig.stats.coincidence import TRACE
from loadrig.stats.dips import bursts
from loadrig.stats.periods import Period

TEXTS = texts_of(DipFigureTexts)

MOST_STREAMS = 4
"""Number of streams beside the dips: those that explain the dips best, and the next to be suspected."""

MOST_PHASES = 16
"""Rows of the folded course at most."""

AROUND = 6
"""Number of steps before and after a burst that are shown."""

_HEIGHT = 92
_COLOURS: tuple[_time.Colour, ...] = ("purple", "orange", "green", "sky")


def draw(view: str, case: Case, time: Timeline) -> Figure | None:
    """Return throughput with its level, the loss, and the best streams on the same axis; None if no dips."""
    all_dips = _harmful(case)
    if all_dips is None:
        return None
    served = _on_columns(case, all_dips.falls.level + all_dips.falls.residual, time)
    level = _on_columns(case, all_dips.falls.level, time)
    lost = _on_columns(case, np.maximum(-all_dips.falls.residual, 0.0), time)
    panels = [
        _time.panel(
            [
                _time.ChartLine(TEXTS.good_answers, "1/s", served, "blue"),
                _time.ChartLine(TEXTS.level_without_dips, "1/s", level, "grey", dash=(6, 4)),
            ],
            title=TEXTS.throughput,
            about=TEXTS.good_answers_a_second,
            height=160,
        ),
        _panel(TEXTS.lost_title, TEXTS.lacks_to_level, (TEXTS.below_level, "1/s", lost, "red")),
    ]
    for aligned, colour in zip(_shown(all_dips), _COLOURS, strict=False):
        values = _on_columns(case, aligned.stream.amounts[case.is_inside], time)
        unit = "s" if aligned.stream.is_time else ""
        line = (aligned.stream.text, unit, values, colour)
        panels.append(_panel(numbers.capital(aligned.stream.text), _stands_words(aligned), line))
    about = TEXTS.about(all_dips.lasted, show_share(all_dips.depth))
    if all_dips.timer:
        about += TEXTS.same_period_as(all_dips.timer)
    return _time.figure(
        "dips",
        view,
        time,
        TEXTS.title,
        about,
        panels,
        _table(all_dips),
        (Spark(TEXTS.lost, tuple(lost), TEXTS.of_throughput(show_share(all_dips.lost_share))),),
    )


def _panel(
    title: str, about: str, line: tuple[str, str, Sequence[float | None], _time.Colour]
) -> _time.ChartPanel:
    drawn = _time.ChartLine(*line, fill=0.4, steps=True)
    return _time.panel([drawn], title=title, about=about, height=_HEIGHT)


def lanes(view: str, case: Case) -> Figure | None:
    """Return the dips and the bursts of each stream as lanes under each other; None without dips."""
    all_dips = _harmful(case)
    if all_dips is None:
        return None
    first = int(np.flatnonzero(case.is_inside)[0])
    starts_s = (case.edges_ns[first:] - case.origin_ns) / 1e9
    places = [(dip.first, dip.last) for dip in all_dips.dips]
    depths = [dip.depth for dip in all_dips.dips]
    texts = [TEXTS.below_level_by(show_share(dip.depth)) for dip in all_dips.dips]
    rows = [_lane("load", TEXTS.dips_lane, "red", starts_s, places, depths, texts)]
    for aligned, colour in zip(_shown(all_dips), _COLOURS, strict=False):
        amounts = aligned.stream.amounts[case.is_inside]
        rises = bursts(amounts)
        heights = [float(amounts[low : high + 1].max()) for low, high in rises]
        shown = [numbers.amount(height, "s" if aligned.stream.is_time else "") for height in heights]
        texts = [f"{aligned.stream.text}: {text}" for text in shown]
        rows.append(
            _lane(aligned.stream.component, aligned.stream.text, colour, starts_s, rises, heights, texts)
        )
    return Figure(
        f"dip-lanes-{view}",
        "lanes",
        TEXTS.lanes_title,
        TEXTS.about_lanes,
        {"lanes": rows},
        _table(all_dips),
    )


def folded(view: str, case: Case) -> Figure | None:
    """Return throughput over one period, all cycles laid on each other, or else around what made the dips.

    None where there is neither a period nor such a stream.
    """
    all_dips = _harmful(case)
    if all_dips is None:
        return None
    return (
        _around(view, all_dips) if all_dips.period is None else _one_period(view, all_dips, all_dips.period)
    )


def _one_period(view: str, all_dips: Dips, period: Period) -> Figure:
    values = all_dips.falls.level + all_dips.falls.residual
    count = int(min(MOST_PHASES, max(3, round(period.steps))))
    phase = (np.arange(values.size) % period.steps) / period.steps
    place = np.minimum((phase * count).astype(int), count - 1)
    rows = []
    for n in range(count):
        part = values[place == n]
        if part.size:
            low, middle, high = (float(np.quantile(part, q)) for q in (0.25, 0.5, 0.75))
            from_s = show_duration(round(n / count * period.steps * all_dips.step_s, 1))
            span = numbers.span(middle, low, high, "1/s")
            text = f"{numbers.amount(middle, '1/s')} ({span}, n = {part.size})"
            rows.append(_intervals.IntervalRow(TEXTS.from_on(from_s), middle, low, high, text))
    length = show_duration(round(period.steps * all_dips.step_s, 1))
    about = TEXTS.about_period(length, numbers.amount(period.cycles, ""))
    return _rows(view, all_dips, TEXTS.period_title(length), about, rows)


def _around(view: str, all_dips: Dips) -> Figure | None:
    """Return throughput before and after the bursts of the stream that explains the dips best."""
    best = all_dips.best
    if best is None:
        return None
    level = float(np.median(all_dips.falls.level))
    rows = []
    for lag, loss in zip(range(TRACE[0], TRACE[1] + 1), best.coincidence.trace, strict=True):
        if abs(lag) <= AROUND:
            away = show_duration(abs(lag) * all_dips.step_s)
            when = TEXTS.before(away) if lag < 0 else TEXTS.after(away) if lag else TEXTS.then
            mean = level - loss
            rows.append(_intervals.IntervalRow(when, mean, None, None, f"{show_number(mean)}/s"))
    about = TEXTS.about_around(best.stream.text)
    return _rows(view, all_dips, TEXTS.around_title(best.stream.text), about, rows)


def _rows(
    view: str, all_dips: Dips, title: str, about: str, rows: Sequence[_intervals.IntervalRow]
) -> Figure:
    level = float(np.median(all_dips.falls.level))
    scale = _intervals.scaled(
        rows, tick=lambda value: numbers.amount(value, "1/s"), line=(level, TEXTS.level)
    )
    return Figure(f"dips-folded-{view}", "intervals", title, about, scale.data)


def _harmful(case: Case) -> Dips | None:
    all_dips = dips.of(case)
    return all_dips if all_dips is not None and all_dips.is_harm else None


def _shown(all_dips: Dips) -> Sequence[Aligned]:
    return all_dips.aligned[:MOST_STREAMS]


def _stands_words(aligned: Aligned) -> str:
    """Return in a few words how a stream stands to the dips."""
    text = TEXTS.with_dips(show_share(aligned.coincidence.recall))
    return text if aligned.bound is None else f"{text}; {TEXTS.most_of_loss(show_share(aligned.bound))}"


def _on_columns(case: Case, values: Floats, time: Timeline) -> list[float | None]:
    """Return values of the measured steps on the columns of the time axis; None outside of them."""
    middles = case.t_s[case.is_inside]
    columns: list[float | None] = []
    for start, end in time.columns:
        inside = values[(middles >= start) & (middles < end)]
        if inside.size:
            columns.append(float(inside.mean()))
        else:
            nearest = int(np.argmin(np.abs(middles - (start + end) / 2)))
            is_near = abs(middles[nearest] - (start + end) / 2) <= 0.75 * float(np.median(case.seconds))
            columns.append(float(values[nearest]) if is_near else None)
    return columns


def _lane(
    component: str,
    name: str,
    colour: _time.Colour,
    starts_s: Floats,
    places: Sequence[tuple[int, int]],
    heights: Sequence[float],
    texts: Sequence[str],
) -> dict[str, object]:
    ticks = [(float(starts_s[low]), float(starts_s[high + 1] - starts_s[low])) for low, high in places]
    return ticked(component, name, colour, f"{len(places):,}", ticks, heights, texts)


def _table(all_dips: Dips) -> Table:
    return table_of(
        all_dips.aligned,
        left(TEXTS.what_happened, lambda aligned: aligned.stream.text),
        right(
            TEXTS.dips_with_it,
            lambda aligned: show_share(aligned.coincidence.recall),
            doc=TEXTS.dips_with_it_meaning,
        ),
        right(
            TEXTS.it_with_dips,
            lambda aligned: show_share(aligned.coincidence.precision),
            doc=TEXTS.it_with_dips_meaning,
        ),
        right(
            TEXTS.alone,
            lambda aligned: show_share(aligned.unique),
            doc=TEXTS.alone_meaning,
        ),
        right(
            TEXTS.at_most,
            lambda aligned: "–" if aligned.bound is None else show_share(aligned.bound),
            doc=TEXTS.at_most_meaning,
        ),
        right(
            "p",
            lambda aligned: f"{aligned.q:.3f}",
            doc=TEXTS.p_meaning,
        ),
        caption=TEXTS.caption,
        folded=True,
    )
