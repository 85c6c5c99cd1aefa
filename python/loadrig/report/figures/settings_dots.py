"""All settings on the scale of the measure that decides: mean, interval, and each trial as a tick."""

from loadrig.base.setting import show_setting
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.settings_dots import SettingsDotTexts
from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Figure
from loadrig.report.run import Study
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(SettingsDotTexts)


def draw(study: Study) -> Figure:
    """Return a row for each setting, best first; the band holds what matters no more than the best does."""
    rows = []
    values = (study.value(setting) for setting in study.settings if setting.standing == "best")
    best = next((value for value in values if value is not None), None)
    for setting in study.settings:
        estimate = setting.measures.get(study.measure)
        symbol, word, tone = words.STANDINGS[setting.standing]
        rows.append(
            _intervals.IntervalRow(
                label=show_setting(setting.setting),
                value=estimate.value if estimate else None,
                low=estimate.low if estimate else None,
                high=estimate.high if estimate else None,
                text=study.shown(setting) if estimate else TEXTS.no_valid_trial,
                verdict=f"{symbol} {word}",
                tone=tone,
                note=study.remark(setting),
                marked=setting is study.recommended,
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
        band = (best - away, best + away, TEXTS.within_best(study.margin))
    table = table_of(
        rows,
        left(TEXTS.setting, lambda row: Cell(row.label, note=row.note)),
        right(words.measure(study.measure), lambda row: row.text),
        right(
            TEXTS.interval, lambda row: numbers.known_span(row.value, row.low, row.high, study.unit) or "–"
        ),
        left(TEXTS.standing, lambda row: Cell(row.verdict, row.tone)),
        caption=TEXTS.caption,
        folded=True,
    )
    better = TEXTS.more_is_better if study.higher_is_better else TEXTS.less_is_better
    return Figure(
        "settings-dots",
        "intervals",
        TEXTS.title(words.measure(study.measure).capitalize()),
        TEXTS.about(better),
        _intervals.scaled(rows, tick=lambda n: numbers.amount(n, study.unit), band=band).data,
        table,
    )
