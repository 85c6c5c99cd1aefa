"""The path of a tuning: what each trial reached, in order, stage by stage."""

from loadrig.base.setting import show_setting
from loadrig.language.choice import texts_of
from loadrig.language.en.report.figures.search_path import SearchPathTexts
from loadrig.report import numbers, words
from loadrig.report.model import Figure
from loadrig.report.tuning import SHORT, STAGES, TuningResult

TEXTS = texts_of(SearchPathTexts)


def draw(tuned: TuningResult) -> Figure | None:
    """Return a mark for each trial; None where no trial gave a figure."""
    steps = [step for step in tuned.document.path if step.value is not None]
    if not steps:
        return None
    default, chosen = tuned.document.default, tuned.document.setting
    points = []
    for step in steps:
        setting = step.setting
        state = (
            "chosen" if setting == chosen and setting != default
            else "base" if setting == default
            else "missed" if step.meets is False
            else "other"
        )  # fmt: skip
        remark = {"chosen": TEXTS.recommended, "base": TEXTS.is_base, "missed": TEXTS.missed_goal}.get(
            state, ""
        )
        points.append(
            {
                "x": step.index,
                "y": numbers.rounded(step.value),
                "state": state,
                "text": TEXTS.reached(
                    step.index, STAGES[step.stage], show_setting(setting), tuned.shown(step.value), remark
                ),
            }
        )
    measure = words.measure(tuned.study.measure)
    bands = []
    for stage in dict.fromkeys(step.stage for step in tuned.document.path):
        inside = [step.index for step in tuned.document.path if step.stage == stage]
        text = SHORT.get(stage, stage)
        bands.append({"from": min(inside) - 0.5, "to": max(inside) + 0.5, "text": text})
    data = {
        "x": {"unit": "", "text": TEXTS.trial},
        "y": {"unit": tuned.study.unit, "text": measure},
        "points": points,
        "line": [],
        "bands": bands,
    }
    return Figure("search-path", "scatter", TEXTS.title, TEXTS.about(measure), data)
