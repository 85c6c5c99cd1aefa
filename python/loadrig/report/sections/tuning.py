"""The tuning: where the best lies, what it is traded against, how it was found, what does not matter."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import TuningSectionTexts
from loadrig.report import numbers, tuning
from loadrig.report.figures import knob_lines, search_path, tradeoff, two_knobs
from loadrig.report.model import Facts, Paragraph, Section, Table, present
from loadrig.report.run import Run
from loadrig.report.tables import left, right, table_of

TEXTS = texts_of(TuningSectionTexts)

ORDER = 12
TITLE = "Tuning"


def build(run: Run) -> Section | None:
    """Return the figures, what was confirmed, and the stages; None where nothing was tuned."""
    tuned = tuning.tuning_of(run.study)
    if tuned is None:
        return None
    front = tradeoff.draw(tuned)
    figures = present(two_knobs.draw(tuned), front, knob_lines.draw(tuned), search_path.draw(tuned))
    facts = (*tuning.rivals(tuned), *tuning.inert(tuned))
    first = present(
        Facts(facts) if facts else None,
        *(Paragraph(text, size="note") for text in tuning.doubts(tuned)),
    )
    stages = _stages(tuned)
    return Section(
        "tuning",
        TITLE,
        (*first, *figures, stages),
        lead=TEXTS.lead,
        terminal=(*first, *present(stages, front.table if front is not None else None)),
    )


def _stages(tuned: tuning.TuningResult) -> Table:
    return table_of(
        tuned.document.stages,
        left("stage", lambda stage: tuning.STAGES[stage.name]),
        right("trials", lambda stage: f"{stage.trials:,}"),
        right("measured", lambda stage: numbers.amount(stage.measured_s, "s"), 1),
        right("took", lambda stage: numbers.amount(stage.seconds, "s")),
        caption="Stages",
    )
