"""All settings of a study: what each reached, and how it stands."""

from loadrig.report import numbers, tuning, words
from loadrig.report.figures import forest, settings_dots
from loadrig.report.model import Cell, Column, Paragraph, Section, Table
from loadrig.report.run import Run, Study
from loadrig.study.document import SettingDocument

ORDER = 20
TITLE = "Settings"

# More knobs than this make the table too wide; the setting then stands in one cell.
_MOST_KNOB_COLUMNS = 4


def build(run: Run) -> Section | None:
    """Return the picture and the table of the settings, with the noise floor; None for a single trial."""
    study = run.study
    if study is None or len(study.settings) < 2:
        return None
    # The verdict has the first sentence already.
    noise = study.document.noise.text.partition(". ")[2]
    return Section(
        "settings",
        TITLE,
        (settings_dots.draw(study), _table(study), *([Paragraph(noise, size="note")] if noise else [])),
        lead=f"Sorted by {words.measure(study.measure)}, which decides."
        " A setting marked ~ cannot be told from the best.",
    )


def _table(study: Study) -> Table:
    knobs = study.knobs if len(study.knobs) <= _MOST_KNOB_COLUMNS else ()
    heads = [Column("", "left")]
    heads += [Column(knob, "left") for knob in knobs] or [Column("setting", "left")]
    heads.append(Column(words.measure(study.measure)))
    heads.append(Column("interval", rank=2))
    heads.append(
        Column("v base", rank=1, doc="Change against the base setting; ~ where it cannot be told from noise")
    )
    beside = [
        name
        for name in ("p95", "p99", "errors", "memory")
        if name != study.measure and _measured(study, name)
    ]
    heads += [Column(words.measure(name), rank=3 + i) for i, name in enumerate(beside)]
    heads.append(Column("trials", rank=2, doc="Trials that count, of all that were run"))
    heads.append(Column("standing", "left"))
    rows, marked, notes = [], set(), []
    tuned = tuning.found_in(study)
    for number, setting in enumerate(study.settings):
        symbol, word, tone = (
            words.STANDINGS[setting.standing] if tuned is None else tuning.standing(tuned, setting)
        )
        if setting is study.recommended:
            marked.add(number)
        estimate = setting.measures.get(study.measure)
        cells = [Cell(symbol, tone)]
        cells += [Cell(str(setting.setting.get(knob, "–"))) for knob in knobs] or [Cell(setting.label)]
        cells.append(Cell(numbers.amount(estimate.value, estimate.unit) if estimate else "–", "strong"))
        cells.append(Cell(numbers.interval(estimate), "quiet"))
        cells.append(_against_base(study, setting))
        cells += [_measure_cell(setting, name) for name in beside]
        valid = sum(trial.is_usable for trial in setting.trials)
        cells.append(Cell(f"{valid} of {len(setting.trials)}"))
        cells.append(Cell(_missed(setting) or word, tone, _remark(study, setting)))
        rows.append(tuple(cells))
        if tuned is None:  # a tuning has compared its finalists in all the blocks it wanted
            notes += _undecided(study, setting)
        notes += [f"{setting.label}: {text}" for text in (estimate.warnings if estimate else ())]
    return Table(
        tuple(heads),
        tuple(rows),
        caption="All settings, best first",
        notes=tuple(notes),
        marked=frozenset(marked),
    )


def _measured(study: Study, name: str) -> bool:
    return any(name in setting.measures for setting in study.settings)


def _against_base(study: Study, setting: SettingDocument) -> Cell:
    if setting.is_base:
        return Cell("base", "quiet")
    compared = study.with_base(setting)
    if compared is None or compared.effect is None:
        return Cell("–", "quiet")
    if compared.verdict == "undecided":
        return Cell("~", "quiet")
    symbol, _, tone = words.COMPARED[compared.verdict]
    return Cell(f"{symbol} {numbers.effect(compared.effect, study.is_ratio)}", tone)


def _measure_cell(setting: SettingDocument, name: str) -> Cell:
    estimate = setting.measures.get(name)
    if estimate is None:
        return Cell("–", "quiet")
    return Cell(numbers.amount(estimate.value, estimate.unit), note=numbers.interval(estimate))


def _remark(study: Study, setting: SettingDocument) -> str:
    remarks = (("recommended", setting is study.recommended), ("base", setting.is_base))
    return ", ".join(word for word, true in remarks if true)


def _missed(setting: SettingDocument) -> str:
    """Return why a setting may not be recommended; "" if it may."""
    if setting.standing != "infeasible":
        return ""
    if any(trial.validity == "failed" for trial in setting.trials):
        return "the server failed"
    missed = [goal.text for goal in setting.goals if goal.met is False]
    return f"misses {numbers.listed(missed, 1)}" if missed else ""


def _undecided(study: Study, setting: SettingDocument) -> list[str]:
    """Return what would tell a setting from the best, as sentences to print under the table."""
    costs = [forest.to_decide(c) for c in study.comparisons("with_best") if setting.id in c.between]
    if setting.standing == "best":
        return []
    return [f"~ {setting.label}: {cost} it from the best" for cost in costs if cost]
