"""A trial as the study remembers it: what the ledger holds, strategies are told and the judge reads."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from loadrig.base.errors import RigError
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyTrialsTexts
from loadrig.trial.spec import TrialSpec

if TYPE_CHECKING:  # with what judges a trial it takes a while to import, and the first request does not wait
    from loadrig.trial.result import TrialResult

TEXTS = texts_of(StudyTrialsTexts)

Verdict = Literal["valid", "disturbed", "void", "failed"]
"""Verdict on a trial, as in its validity, with two cases more.
"void" also where a study can compare nothing by it: the load was not the one asked for, or rates are unknown.
"failed": the target did not start, died, or answered nothing."""


@dataclass(frozen=True, slots=True)
class GoalRow:
    """Goal in one trial, or over all trials of a setting: as in the plan, whether it was met, and the figure.

    met, value: None where it could not be told.
    """

    text: str
    met: bool | None
    value: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DoneTrial:
    """Trial that is over. Made by the runner; its fields are those of a line of the ledger, in their order.

    index: from 1; block: from 0; repeat: how often this setting was run before in the same block.
    seconds: of wall time, start and stop of the server included. folder: relative to the run's folder.
    node: name of the node that it ran on; empty, and in no line, where a study has only one.
    """

    index: int
    block: int
    repeat: int
    is_base: bool
    seed: int
    setting: Setting
    validity: Verdict
    reasons: tuple[str, ...]
    measures: Mapping[str, Estimate]
    goals: tuple[GoalRow, ...]
    folder: str
    seconds: float
    node: str = ""

    @property
    def is_usable(self) -> bool:
        """Return whether the trial's figures say something about its setting."""
        return self.validity in ("valid", "disturbed")


def done(spec: TrialSpec, outcome: "TrialResult", seconds: float, run_folder: Path) -> DoneTrial:
    """Return a trial that came to its end."""
    verdict: Verdict = outcome.validity.verdict if outcome.validity.is_comparable else "void"
    reasons = [reason.text for reason in outcome.validity.reasons if reason.level != "note"]
    if verdict != "void" and not outcome.was_answered:
        verdict, reasons = "failed", [TEXTS.no_request_got, *reasons]
    return _done_trial(
        spec,
        verdict,
        reasons,
        seconds,
        measures={
            name: _finite(value) for name, value in outcome.measures.items() if math.isfinite(value.value)
        },
        goals=tuple(GoalRow(goal.text, goal.is_met, goal.value) for goal in outcome.goals),
        folder=_relative(outcome.folder, run_folder),
    )


def failed(spec: TrialSpec, error: RigError, seconds: float) -> DoneTrial:
    """Return a trial whose target did not start, did not become ready, or died."""
    return _done_trial(spec, "failed", [problem.what for problem in error.problems], seconds)


def _done_trial(
    spec: TrialSpec,
    verdict: Verdict,
    reasons: list[str],
    seconds: float,
    *,
    measures: Mapping[str, Estimate] | None = None,
    goals: tuple[GoalRow, ...] = (),
    folder: str = "",
) -> DoneTrial:
    return DoneTrial(
        index=spec.index,
        block=spec.block,
        repeat=spec.repeat,
        setting=dict(spec.setting),
        is_base=spec.is_base,
        seed=spec.seed,
        validity=verdict,
        reasons=tuple(reasons),
        measures=measures or {},
        goals=goals,
        folder=folder,
        seconds=round(seconds, 3),
        node=spec.node,
    )


def line_of(trial: DoneTrial) -> dict[str, Any]:
    """Return a trial as its line in the ledger has it."""
    # Imported once a trial is over: the first request does not wait for msgspec.
    from loadrig.base.documents import plain

    line: dict[str, Any] = plain(trial)
    if not trial.node:
        del line["node"]
    return line


def _finite(estimate: Estimate) -> Estimate:
    """Return an estimate without bounds that JSON cannot say: a bound at infinity is no bound."""
    bounds = (estimate.low, estimate.high)
    if all(bound is not None and math.isfinite(bound) for bound in bounds):
        return estimate
    return replace(estimate, low=None, high=None)


def _relative(folder: Path, run_folder: Path) -> str:
    try:
        return str(folder.resolve().relative_to(run_folder.resolve()))
    except ValueError:
        return str(folder)
