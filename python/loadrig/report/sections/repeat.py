"""Commands that repeat the run, and its plan."""

from loadrig.language.choice import texts_of
from loadrig.language.en.report.sections import RepeatSectionTexts
from loadrig.report.model import Block, Code, Section
from loadrig.report.run import Run

TEXTS = texts_of(RepeatSectionTexts)

ORDER = 110
TITLE = TEXTS.title


def build(run: Run) -> Section | None:
    """Return the commands, and the plan as it was written; None if the plan is not known."""
    if not run.plan_text:
        return None
    blocks: list[Block] = [
        Code(
            "loadrig run plan.yaml\nloadrig run plan.yaml --dry    # say what would run, and for how long",
            caption="Commands",
        ),
        Code(run.plan_text, caption="plan.yaml"),
    ]
    return Section("repeat", TITLE, tuple(blocks), in_text=False)
