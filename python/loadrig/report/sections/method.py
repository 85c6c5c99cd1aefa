"""Section on how it was measured and judged: enough for a reader to disagree."""

from collections.abc import Mapping

from loadrig.report import numbers, words
from loadrig.report.model import Block, Facts, Paragraph, Section
from loadrig.report.run import Run, Study
from loadrig.trial.document import TrialDocument

ORDER = 90
TITLE = "Method"


def build(run: Run) -> Section:
    """Return load model, windows, design of the study, and what the verdicts mean."""
    blocks: list[Block] = []
    if run.views:
        blocks.append(Facts(_trial(run.trial), title="A trial"))
    if run.study is not None:
        blocks += [
            Facts(_study(run.study), title="The study"),
            *(Paragraph(text, size="note") for text in _judging(run.study)),
        ]
    blocks.append(
        Paragraph(
            "Latency is recorded in HdrHistograms with three significant digits, by second, route and"
            " outcome, and merged by adding counts; no percentile is ever averaged. Charts of long runs are"
            " merged for display only; every figure in words is of all requests.",
            size="note",
        )
    )
    return Section("method", TITLE, tuple(blocks), in_text=False)


WARMED_UP: Mapping[str, str] = {
    "steady": "until steady (MSER-5)",
    "not_steady": "ended without being steady",
    "none": "none",
}
"""Words for the end of a warm-up, by its verdict."""


def _trial(trial: TrialDocument) -> tuple[tuple[str, str], ...]:
    asked = f"made by {trial.imported.tool}" if trial.imported else words.load(trial.load)
    facts = [("load", f"{asked}; {words.model(trial.load)}")]
    if warm_up := trial.warm_up:
        length = f"{numbers.amount(warm_up.seconds, 's')}, " if warm_up.seconds else ""
        how = WARMED_UP.get(warm_up.verdict, warm_up.verdict)
        facts.append(("warm-up", f"{length}{how}; {warm_up.why}".rstrip("; ")))
    measured = trial.measured
    span = f"{numbers.amount(measured.seconds, 's')}, from {numbers.amount(measured.from_s, 's')}"
    facts.append(("measured", f"{span}; {measured.why}".rstrip("; ")))
    facts += [(f"{check} not checked", why) for check, why in trial.validity.not_checked.items()]
    if trial.surroundings:
        facts += [("before the load", warning) for warning in trial.surroundings.warnings]
    if trial.target:
        argv = " ".join(trial.target.argv)
        facts.append(("server", argv or "ran already, was not started by the rig"))
    return tuple(facts)


def _study(study: Study) -> tuple[tuple[str, str], ...]:
    document = study.document
    blocks = {trial.block for setting in document.settings for trial in setting.trials}
    better = "more" if study.higher_is_better else "less"
    margin = f"differences under {study.margin} do not matter"
    design = "in random order, every setting once in each and the base twice"
    facts = [
        ("kind", document.kind.replace("_", " ")),
        ("decides", f"{words.measure(study.measure)}, {better} is better; {margin}"),
        ("design", f"{numbers.plural(len(blocks), 'block')} {design}"),
        ("trials", words.counted(document.validity, "valid", "disturbed", "void", "failed")),
        ("took", numbers.amount(document.seconds, "s")),
    ]
    noise = document.noise
    if noise.pairs:
        pairs, alarms = numbers.plural(noise.pairs, "pair"), numbers.plural(noise.false_alarms, "false alarm")
        facts.append(("A/A", f"{pairs} of the base with itself, {alarms}"))
    return tuple(facts)


def _judging(study: Study) -> list[str]:
    within = study.margin
    return [
        "The block is the unit: each setting is compared with the base by the ratio within the same block, so"
        " that what drifts from block to block cancels. Every trial starts the server anew.",
        f"Better or worse: the 95 % interval leaves out no change, and the change is beyond {within}. Equal:"
        f" the 90 % interval lies within {within}. Too little to matter: not zero, but within {within}."
        " Undecided (~): the trials do not tell.",
        "The recommendation is the cheapest setting (fewest processes, then threads, then memory) of those"
        " that cannot be told from the best and meet every goal.",
    ]
