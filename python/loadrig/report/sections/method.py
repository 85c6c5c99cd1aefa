"""Section on how it was measured and judged: enough for a reader to disagree."""

from collections.abc import Mapping

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import MethodSectionTexts
from loadrig.report import numbers, words
from loadrig.report.model import Block, Facts, Paragraph, Section
from loadrig.report.run import Run, Study
from loadrig.trial.document import TrialDocument

TEXTS = texts_of(MethodSectionTexts)

ORDER = 90
TITLE = "Method"


def build(run: Run) -> Section:
    """Return load model, windows, design of the study, and what the verdicts mean."""
    blocks: list[Block] = []
    if run.views:
        blocks.append(Facts(_trial(run.trial), title="A trial"))
    if run.study is not None:
        blocks += [
            Facts(_study(run.study), title=TEXTS.title),
            *(Paragraph(text, size="note") for text in _judging(run.study)),
        ]
    blocks.append(
        Paragraph(
            TEXTS.latency_recorded_hdrhistograms,
            size="note",
        )
    )
    return Section("method", TITLE, tuple(blocks), in_text=False)


WARMED_UP: Mapping[str, str] = {
    "steady": TEXTS.warmed_up_steady,
    "not_steady": TEXTS.warmed_up_not_steady,
    "none": "none",
}
"""Words for the end of a warm-up, by its verdict."""


def _trial(trial: TrialDocument) -> tuple[tuple[str, str], ...]:
    asked = TEXTS.by(trial.imported.tool) if trial.imported else words.load(trial.load)
    facts = [("load", f"{asked}; {words.model(trial.load)}")]
    if warm_up := trial.warm_up:
        length = f"{numbers.amount(warm_up.seconds, 's')}, " if warm_up.seconds else ""
        how = WARMED_UP.get(warm_up.verdict, warm_up.verdict)
        facts.append(("warm-up", f"{length}{how}; {warm_up.why}".rstrip("; ")))
    measured = trial.measured
    span = TEXTS.from_text(numbers.amount(measured.seconds, "s"), numbers.amount(measured.from_s, "s"))
    facts.append(("measured", f"{span}; {measured.why}".rstrip("; ")))
    facts += [(TEXTS.not_checked(check), why) for check, why in trial.validity.not_checked.items()]
    if trial.surroundings:
        facts += [(TEXTS.before_load, warning) for warning in trial.surroundings.warnings]
    if trial.target:
        argv = " ".join(trial.target.argv)
        facts.append(("server", argv or TEXTS.ran_already_not))
    return tuple(facts)


def _study(study: Study) -> tuple[tuple[str, str], ...]:
    document = study.document
    blocks = {trial.block for setting in document.settings for trial in setting.trials}
    better = "more" if study.higher_is_better else "less"
    margin = TEXTS.differences_under_do(study.margin)
    design = TEXTS.random_order_every
    facts = [
        ("kind", document.kind.replace("_", " ")),
        ("decides", TEXTS.is_better(words.measure(study.measure), better, margin)),
        ("design", f"{numbers.plural(len(blocks), 'block')} {design}"),
        ("trials", words.counted(document.validity, "valid", "disturbed", "void", "failed")),
        ("took", numbers.amount(document.seconds, "s")),
    ]
    noise = document.noise
    if noise.pairs:
        pairs, alarms = (
            numbers.plural(noise.pairs, "pair"),
            numbers.plural(noise.false_alarms, TEXTS.false_alarm),
        )
        facts.append(("A/A", TEXTS.base_itself(pairs, alarms)))
    return tuple(facts)


def _judging(study: Study) -> list[str]:
    within = study.margin
    return [
        TEXTS.block_unit_each,
        TEXTS.better_or_worse(within),
        TEXTS.recommendation_cheapest_setting,
    ]
