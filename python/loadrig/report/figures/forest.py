"""Changes with their intervals on a scale of ratios, beside the band in which they do not matter."""

from collections.abc import Sequence
from typing import TypeAlias

from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Figure, Table
from loadrig.report.run import Study
from loadrig.report.tables import left, right, table_of
from loadrig.study.document import SettingsCompared

Compared: TypeAlias = tuple[_intervals.IntervalRow, SettingsCompared | None]
"""Row of the picture, with the comparison that it shows; None of a knob, which has no blocks of its own."""


def of_settings(study: Study) -> Figure | None:
    """Return every setting against the base, and above them the base against itself (A/A)."""
    rows: list[Compared] = [
        (_intervals.judged("base against itself", pair, study.is_ratio, "how far noise alone goes"), pair)
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
        f"Settings against the base, {base.label if base else 'the base'}",
        f"Change of {words.measure(study.measure)} against the base, judged in pairs within the same block.",
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
        "Effect of each knob",
        f"Change of {words.measure(study.measure)} when one knob takes this step and the others stay.",
        rows,
        study,
    )


def to_decide(compared: SettingsCompared) -> str:
    """Return in words the cost of deciding an undecided comparison; "" for any other."""
    cost = compared.to_decide
    if compared.verdict != "undecided" or cost is None:
        return ""
    time = f" ({numbers.amount(cost.seconds, 's')})" if cost.seconds else ""
    return f"{numbers.plural(cost.blocks, 'more block')}{time} would tell"


def _row(study: Study, label: str, compared: SettingsCompared) -> _intervals.IntervalRow:
    return _intervals.judged(label, compared, study.is_ratio, to_decide(compared))


def _figure(name: str, title: str, about: str, rows: Sequence[Compared], study: Study) -> Figure:
    better = "more" if study.higher_is_better else "less"
    return Figure(
        name,
        "intervals",
        title,
        f"{about} Dot: estimate; bar: 95 % interval; {better} is better.",
        _intervals.changes(
            [row for row, _ in rows],
            study.equal_within,
            is_ratio=study.is_ratio,
            tick=lambda number: numbers.effect(number, study.is_ratio),
        ),
        _table(title, rows),
        drawn_in_text=name == "forest-knobs",
    )


def _table(caption: str, rows: Sequence[Compared]) -> Table:
    """Return the comparisons as a table, with what the picture leaves out: blocks and p."""
    return table_of(
        rows,
        left("compared", lambda row: row[0].label),
        right("change and interval", lambda row: row[0].text),
        right("blocks", lambda row: str((row[1] and row[1].blocks) or "–"), 2),
        right(
            "p",
            lambda row: "–" if row[1] is None or row[1].p is None else f"{row[1].p:.2g}",
            1,
            doc="Exact two-sided probability of such a difference without any effect",
        ),
        left(
            "verdict",
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
    return _table("Against the best setting", rows) if rows else None
