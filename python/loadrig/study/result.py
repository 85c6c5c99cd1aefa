"""From a judgement to a study's result: the input of the report and of other programs."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from loadrig import __version__
from loadrig.base.documents import ABSENT, typed
from loadrig.plan.model import Plan
from loadrig.recording.manifest_document import MachineDocument
from loadrig.study.answer import Question, StudyJudgement
from loadrig.study.document import QuestionDocument, StudyDocument
from loadrig.study.trials import DoneTrial


def document(
    plan: Plan,
    question: Question,
    judgement: StudyJudgement,
    trials: tuple[DoneTrial, ...],
    *,
    created: str,
    machine: Mapping[str, Any],
    is_finished: bool,
) -> StudyDocument:
    """Return the whole result as a document, but for what strategy and diagnosis say."""
    by = question.by
    return StudyDocument(
        loadrig=__version__,
        name=plan.name,
        kind=plan.study.strategy,
        created=created,
        seconds=sum(trial.seconds for trial in trials),
        finished=is_finished,
        question=QuestionDocument(
            by=by.name, unit=by.unit, better=by.better, equal_within=by.equal_within, scale=by.scale
        ),
        noise=judgement.noise,
        settings=judgement.settings,
        comparisons=judgement.comparisons,
        knob_effects=judgement.knob_effects,
        recommended=judgement.recommended,
        capacity=None,
        findings=(),
        machine=typed(MachineDocument, machine, "ledger.jsonl"),
        validity=_validity(trials),
        warnings=judgement.warnings,
        nodes=judgement.nodes or ABSENT,
    )


def _validity(trials: tuple[DoneTrial, ...]) -> dict[str, int]:
    counts = Counter(trial.validity for trial in trials)
    counted: dict[str, int] = {name: counts[name] for name in ("valid", "disturbed", "void")}
    return counted | ({"failed": counts["failed"]} if counts["failed"] else {})
