"""Changes with their intervals on a scale of ratios, beside the band in which they do not matter."""

from collections.abc import Sequence
from typing import TypeAlias

from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.forest import ForestTexts
from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.run import Study
from loadrig.report.tables import left, right, table_of
from loadrig.study.document import SettingsCompared

TEXTS = texts_of(ForestTexts)

Compared: TypeAlias = tuple[_intervals.IntervalRow, SettingsCompared | None]
"""Row of the picture, with the comparison that it shows; None of a knob, which has no blocks of its own."""


def of_settings(study: Study) -> Figure | None:
    """Return every setting against the base, and above them the base against itself (A/A)."""
    rows: list[Compared] = [
        (_intervals.judged(TEXTS.base_against_itself, pair, study.is_ratio, TEXTS.noise), pair)
        for pair in study.comparisons("aa")
    ]
    for setting in study.settings:
        compared = study.with_base(setting)
        if compared is not None:
            rows.append((_row(study, setting.label, compared), compared))
    if not rows:
        return None
    base = study.document.base
    return _figure(
        "forest-settings",
        TEXTS.against_base(base.label if base else TEXTS.base),
        TEXTS.about_settings(words.measure(study.measure)),
        rows,
        study,
    )


def of_knobs(study: Study) -> Figure | None:
    """Return what each step of a knob did, all else equal; None if no effects were estimated."""
    rows = [
        (_intervals.judged(f"{effect.knob}: {effect.base} → {effect.value}", effect, study.is_ratio), None)
        for effect in study.document.knob_effects
    ]
    if not rows:
        return None
    return _figure(
        "forest-knobs",
        TEXTS.effect_of_knobs,
        TEXTS.about_knobs(words.measure(study.measure)),
        rows,
        study,
    )


def to_decide(compared: SettingsCompared) -> str:
    """Return in words the cost of deciding an undecided comparison; "" for any other."""
    cost = compared.to_decide
    if compared.verdict != "undecided" or cost is None:
        return ""
    time = f" ({numbers.amount(cost.seconds, 's')})" if cost.seconds else ""
    return TEXTS.would_tell(cost.blocks, time)


def _row(study: Study, label: str, compared: SettingsCompared) -> _intervals.IntervalRow:
    return _intervals.judged(label, compared, study.is_ratio, to_decide(compared))


def _figure(name: str, title: str, about: str, rows: Sequence[Compared], study: Study) -> Figure:
    better = TEXTS.more_is_better if study.higher_is_better else TEXTS.less_is_better
    return Figure(
        name,
        "intervals",
        title,
        TEXTS.about(about, better),
        _intervals.changes(
            [row for row, _ in rows],
            study.equal_within,
            is_ratio=study.is_ratio,
            tick=lambda number: numbers.effect(number, study.is_ratio),
        ).data,
        _table(title, rows),
        drawn_in_text=name == "forest-knobs",
    )


def _table(caption: str, rows: Sequence[Compared]) -> Table:
    """Return the comparisons as a table, with what the picture leaves out: blocks and p."""
    return table_of(
        rows,
        left(TEXTS.compared, lambda row: row[0].label),
        right(TEXTS.change_and_interval, lambda row: row[0].text),
        right(TEXTS.blocks, lambda row: str((row[1] and row[1].blocks) or "–"), 2),
        right(
            "p",
            lambda row: "–" if row[1] is None or row[1].p is None else f"{row[1].p:.2g}",
            1,
            doc=TEXTS.p_meaning,
        ),
        left(
            TEXTS.verdict,
            lambda row: Cell(row[0].verdict, row[0].tone, row[0].note or (row[1].note if row[1] else "")),
        ),
        caption=caption,
        folded=True,
    )


def with_best(study: Study) -> Table | None:
    """Return a table of every setting against the best one; None if there are no such comparisons."""
    best = next((setting.id for setting in study.settings if setting.standing == "best"), None)
    rows: list[Compared] = []
    for compared in study.comparisons("with_best"):
        setting_id = next(number for number in compared.between if number != best)
        label = study.document.setting(setting_id).label
        rows.append((_row(study, label, compared), compared))
    return _table(TEXTS.against_best, rows) if rows else None
