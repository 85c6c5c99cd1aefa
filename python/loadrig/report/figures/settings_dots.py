"""All settings on the scale of the measure that decides: mean, interval, and each trial as a tick."""

from loadrig.base.setting import show_setting
from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.run import Study


def draw(study: Study) -> Figure:
    """Return a row for each setting, best first; the band holds what matters no more than the best does."""
    rows = []
    chosen = study.recommended
    best = next(
        (
            value
            for setting in study.settings
            if setting.standing == "best" and (value := study.value(setting)) is not None
        ),
        None,
    )
    for setting in study.settings:
        estimate = setting.measures.get(study.measure)
        symbol, word, tone = words.STANDINGS[setting.standing]
        notes = [
            text for text, true in (("recommended", setting is chosen), ("base", setting.is_base)) if true
        ]
        rows.append(
            _intervals.IntervalRow(
                label=show_setting(setting.setting),
                value=None if estimate is None else estimate.value,
                low=None if estimate is None else estimate.low,
                high=None if estimate is None else estimate.high,
                text="no valid trial" if estimate is None else numbers.amount(estimate.value, estimate.unit),
                verdict=f"{symbol} {word}",
                tone=tone,
                note=", ".join(notes),
                marked=setting is chosen,
                points=tuple(
                    trial.values[study.measure]
                    for trial in setting.trials
                    if trial.is_usable and study.measure in trial.values
                ),
            )
        )
    within = study.equal_within
    band = None
    if best is not None:
        away = best * within if study.is_ratio else within
        band = (best - away, best + away, f"within {study.margin} of the best")
    table = Table(
        (
            Column("setting", "left"),
            Column(words.measure(study.measure)),
            Column("interval"),
            Column("standing", "left"),
        ),
        tuple(
            (
                Cell(row.label, note=row.note),
                Cell(row.text),
                Cell(
                    numbers.span(row.value, row.low, row.high, study.unit)
                    if row.value is not None and row.low is not None and row.high is not None
                    else "–"
                ),
                Cell(row.verdict, row.tone),
            )
            for row in rows
        ),
        caption="Settings on the measure that decides",
        folded=True,
    )
    better = "more is better" if study.higher_is_better else "less is better"
    return Figure(
        "settings-dots",
        "intervals",
        f"{words.measure(study.measure).capitalize()} of each setting",
        f"Dot: estimate of the setting; bar: its 95 % interval; ticks: single trials ({better}).",
        _intervals.scaled(rows, tick=lambda n: numbers.amount(n, study.unit), band=band),
        table,
    )
