"""Changes with their intervals on a scale of ratios, beside the band in which they do not matter."""

from collections.abc import Sequence
from typing import TypeAlias

from loadrig.report import numbers, words
from loadrig.report.figures import _intervals
from loadrig.report.model import Cell, Column, Figure, Table
from loadrig.report.run import Study
from loadrig.study.document import KnobEffectDocument, SettingsCompared

Compared: TypeAlias = tuple[_intervals.IntervalRow, SettingsCompared | None]
"""Row of the picture, with the comparison that it shows; None of a knob, which has no blocks of its own."""


def of_settings(study: Study) -> Figure | None:
    """Return every setting against the base, and above them the base against itself (A/A)."""
    rows: list[Compared] = [
        (_row("base against itself", pair, "how far noise alone goes", study.is_ratio), pair)
        for pair in study.comparisons("aa")
    ]
    for setting in study.settings:
        compared = study.with_base(setting)
        if compared is not None:
            rows.append((_row(setting.label, compared, to_decide(compared), study.is_ratio), compared))
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
        (_row(f"{effect.knob}: {effect.base} → {effect.value}", effect, "", study.is_ratio), None)
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


def _row(
    label: str, compared: SettingsCompared | KnobEffectDocument, note: str, is_ratio: bool
) -> _intervals.IntervalRow:
    symbol, word, tone = words.COMPARED[compared.verdict]
    effect, interval = compared.effect, compared.interval
    low, high = interval or (None, None)
    text = "–" if effect is None else numbers.effect(effect, is_ratio)
    if effect is not None and interval is not None:
        text += f" ({numbers.effect_span(*interval, is_ratio)})"
    return _intervals.IntervalRow(label, effect, low, high, text, f"{symbol} {word}", tone, note)


def _figure(name: str, title: str, about: str, rows: Sequence[Compared], study: Study) -> Figure:
    within, is_ratio = study.equal_within, study.is_ratio
    # On logarithms the band is as wide to either side: ±ln(1.03) for 3 %.
    low, high, middle = (1 / (1 + within), 1 + within, 1.0) if is_ratio else (-within, within, 0.0)
    better = "more" if study.higher_is_better else "less"
    return Figure(
        name,
        "intervals",
        title,
        f"{about} Dot: estimate; bar: 95 % interval; {better} is better.",
        _intervals.scaled(
            [row for row, _ in rows],
            tick=lambda number: numbers.effect(number, is_ratio),
            band=(low, high, f"within {study.margin}: does not matter"),
            line=(middle, "no change"),
            is_ratio=is_ratio,
        ),
        table_of(title, rows),
        drawn_in_text=name == "forest-knobs",
    )


def table_of(caption: str, rows: Sequence[Compared]) -> Table:
    """Return the comparisons as a table, with what the picture leaves out: blocks and p."""
    heads = (
        Column("compared", "left"),
        Column("change and interval"),
        Column("blocks", rank=2),
        Column("p", rank=1, doc="Exact two-sided probability of such a difference without any effect"),
        Column("verdict", "left"),
    )
    cells = tuple(
        (
            Cell(row.label),
            Cell(row.text),
            Cell(str(compared.blocks or "–") if compared else "–"),
            Cell("–" if compared is None or compared.p is None else f"{compared.p:.2g}"),
            Cell(row.verdict, row.tone, row.note or (compared.note if compared else "")),
        )
        for row, compared in rows
    )
    return Table(heads, cells, caption=caption, folded=True)


def with_best(study: Study) -> Table | None:
    """Return a table of every setting against the best one; None if there are no such comparisons."""
    best = next((setting.id for setting in study.settings if setting.standing == "best"), None)
    rows: list[Compared] = []
    for compared in study.comparisons("with_best"):
        setting_id = next(number for number in compared.between if number != best)
        label = study.document.setting(setting_id).label
        rows.append((_row(label, compared, to_decide(compared), study.is_ratio), compared))
    return table_of("Against the best setting", rows) if rows else None
