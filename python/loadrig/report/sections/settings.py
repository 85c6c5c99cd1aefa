"""All settings of a study: what each reached, and how it stands."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import SettingsSectionTexts
from loadrig.report import numbers, tuning, words
from loadrig.report.figures import forest, settings_dots
from loadrig.report.model import Cell, Paragraph, Section, Table, VerdictWords, present
from loadrig.report.run import Run, Study
from loadrig.report.tables import FilledColumn, left, right, table_of
from loadrig.study.document import SettingDocument

TEXTS = texts_of(SettingsSectionTexts)

ORDER = 20
TITLE = "Settings"

_MOST_KNOB_COLUMNS = 4
"""Number of knobs with a column each: more make the table too wide, and the setting stands in one cell."""


def build(run: Run) -> Section | None:
    """Return the picture and the table of the settings, with the noise floor; None for a single trial."""
    study = run.study
    if study is None or len(study.settings) < 2:
        return None
    noise = study.document.noise.text
    recommended = study.document.recommended
    why = f"{numbers.capital(recommended.why).rstrip('.')}." if recommended and recommended.why else ""
    return Section(
        "settings",
        TITLE,
        tuple(
            present(
                Paragraph(why) if why else None,
                settings_dots.draw(study),
                _table(study),
                Paragraph(noise, size="note") if noise else None,
            )
        ),
        lead=TEXTS.lead(words.measure(study.measure)),
    )


def _table(study: Study) -> Table:
    tuned = tuning.tuning_of(study)
    notes: list[str] = []
    for setting in study.settings:
        if tuned is None:  # a tuning has compared its finalists in all the blocks it wanted
            notes += _undecided(study, setting)
        estimate = setting.measures.get(study.measure)
        notes += [f"{setting.label}: {text}" for text in (estimate.warnings if estimate else ())]

    def sign(setting: SettingDocument) -> VerdictWords:
        return words.STANDINGS[setting.standing] if tuned is None else tuning.standing(tuned, setting)

    def standing(setting: SettingDocument) -> Cell:
        _, word, tone = sign(setting)
        return Cell(_missed(setting) or word, tone, study.remark(setting))

    def knob(name: str) -> FilledColumn[SettingDocument]:
        if not name:
            return left("setting", lambda setting: setting.label)
        return left(name, lambda setting: str(setting.setting.get(name, "–")))

    def beside(place: int, name: str) -> FilledColumn[SettingDocument]:
        return right(words.measure(name), lambda setting: _measure_cell(setting, name), 3 + place)

    # More knobs, or none, stand in one column as the whole setting.
    knobs = study.knobs if 0 < len(study.knobs) <= _MOST_KNOB_COLUMNS else ("",)
    names = [name for name in ("p95", "p99", "errors", "memory") if name != study.measure]
    measured = [name for name in names if any(name in setting.measures for setting in study.settings)]
    return table_of(
        study.settings,
        left("", lambda setting: Cell(sign(setting)[0], sign(setting)[2])),
        *map(knob, knobs),
        right(words.measure(study.measure), lambda setting: Cell(study.shown(setting), "strong")),
        right(
            "interval",
            lambda setting: Cell(numbers.interval(setting.measures.get(study.measure)), "quiet"),
            2,
        ),
        right(
            "v base",
            lambda setting: _against_base(study, setting),
            1,
            doc=TEXTS.change_against_base,
        ),
        *(beside(place, name) for place, name in enumerate(measured)),
        right(
            "trials",
            lambda setting: TEXTS.is_usable_of(
                str(sum(trial.is_usable for trial in setting.trials)), str(len(setting.trials))
            ),
            2,
            doc=TEXTS.trials_count_all,
        ),
        left("standing", standing),
        caption=TEXTS.caption,
        notes=tuple(notes),
        marked=lambda setting: setting is study.recommended,
    )


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


def _missed(setting: SettingDocument) -> str:
    """Return why a setting may not be recommended; "" if it may."""
    if setting.standing != "infeasible":
        return ""
    if any(trial.validity == "failed" for trial in setting.trials):
        return TEXTS.server_failed
    missed = [goal.text for goal in setting.goals if goal.met is False]
    return TEXTS.misses(numbers.listed(missed, 1)) if missed else ""


def _undecided(study: Study, setting: SettingDocument) -> list[str]:
    """Return what would tell a setting from the best, as sentences to print under the table."""
    costs = [forest.to_decide(c) for c in study.comparisons("with_best") if setting.id in c.between]
    if setting.standing == "best":
        return []
    return [TEXTS.from_best(setting.label, cost) for cost in costs if cost]
