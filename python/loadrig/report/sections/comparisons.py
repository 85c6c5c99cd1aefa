"""Settings against the base and knobs one by one: change, interval, verdict, and what would decide."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import ComparisonsSectionTexts
from loadrig.report import tuning
from loadrig.report.figures import forest
from loadrig.report.model import Section, present
from loadrig.report.run import Run

TEXTS = texts_of(ComparisonsSectionTexts)

ORDER = 30
TITLE = "Comparisons"


def build(run: Run) -> Section | None:
    """Return forest plots of settings and knobs, and the comparisons with the best; None without any."""
    study = run.study
    if study is None:
        return None
    # A tuning goes where much is to be gained, so pairs of settings that differ in one knob are where chance
    # left them: their mean is not the knob's effect.
    knobs = None if tuning.tuning_of(study) else forest.of_knobs(study)
    blocks = tuple(present(knobs, forest.of_settings(study), forest.with_best(study)))
    if not blocks:
        return None
    return Section(
        "comparisons",
        TITLE,
        blocks,
        lead=TEXTS.lead(study.margin),
    )
