"""Proofs carried out for a person: `diagnose --prove`, `prove:` of a plan, `lab run --prove`."""

import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from loadrig.base.effects import PERMITS, Permit
from loadrig.base.errors import Interrupted, PlanError, Span
from loadrig.base.units import show_duration
from loadrig.cli._live import LiveRun
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.cli_run import CliProveErrors
from loadrig.language.en.terminal import TerminalTexts
from loadrig.plan.model import Plan
from loadrig.recording import documents
from loadrig.recording.layout import RunFolder
from loadrig.study.yardstick import deciding

if TYPE_CHECKING:
    from loadrig.proving.document import ProofDocument

ERRORS = texts_of(CliProveErrors)

BUDGET_S = 180.0
"""Default time for a whole proof, in seconds."""


def prove_run(
    run: RunFolder,
    plan: Plan,
    *,
    index: int = 1,
    budget_s: float | None = None,
    pids: Iterable[int] = (),
    quiet: bool = False,
) -> "ProofDocument":
    """Prove what the diagnosis of one trial left open; return its document, which is in the run then.

    budget_s: by default the plan's, else three minutes. pids: processes that the rig started beside the
    server. Raises what a trial raises, after the results are written.
    """
    # Not at the top: with scipy it takes a second to import.
    from loadrig.cli import _cut_proof
    from loadrig.proving.carry_out import Wish, carry_out
    from loadrig.study.proving_nodes import nodes_of

    texts = texts_of(TerminalTexts)
    budget_s = budget_s or (float(plan.prove.budget) if plan.prove else BUDGET_S)
    anew = _cut_proof.command_to_prove(run)
    wish = Wish(run, index, plan, budget_s, frozenset(pids), anew, nodes_of(plan))
    title = texts.proving(plan.name, show_duration(budget_s))
    with LiveRun(title, deciding(plan), run, quiet=quiet, at_once=False) as live:
        if earlier := _cut_proof.begun_anew(run):
            live.note(earlier)
        try:
            proof = carry_out(wish, live.proof_trial_begins)
        except Interrupted as stop:
            mend = ERRORS.prove_again(anew, shlex.quote(str(run.path)))
            raise Interrupted([replace(problem, mend=mend) for problem in stop.problems]) from None
        if proof.ended == "nothing_to_prove":
            live.note(texts.nothing_to_prove)
    return proof


def plan_of(run: RunFolder, chosen: str | None) -> Plan:
    """Return the plan that a run was made of: its own text, or the file that is named.

    Paths in it count from where it lay when it was run, which the first trial's manifest says.
    Raises PlanError.
    """
    from loadrig.cli import _resume
    from loadrig.plan.load import load

    if chosen is not None:
        return load(chosen)
    return _resume.plan_of(run)


def permitted(plan: Plan, names: Sequence[str]) -> Plan:
    """Return the plan with more permits. Raises PlanError for a name that is no permit."""
    permits: list[Permit] = list(plan.permit)
    for name in names:
        chosen = next((permit for permit in PERMITS if permit == name), None)
        if chosen is None:
            raise PlanError.of(
                ERRORS.no_permit(repr(name), ", ".join(PERMITS)),
                code="cli.wrong-argument",
                where=Span("--permit"),
            )
        permits.append(chosen)
    return replace(plan, permit=tuple(dict.fromkeys(permits)))


def run_of(path: Path) -> tuple[RunFolder, int]:
    """Return a run's folder and the number of the trial that is meant.

    For a trial's folder it is that trial. For a run with several, it is the first whose recording may be
    believed.
    """
    if path.parent.name == "trials" and path.name.isdecimal():
        return RunFolder(path.parent.parent), int(path.name)
    from loadrig.trial.document import trial_of

    run = RunFolder(path)
    for trial in run.trial_folders():
        if trial.result.is_file():
            result = trial_of(documents.read(trial.result), str(trial.result))
            if result.validity.verdict != "void" and result.findings:
                return run, int(trial.path.name)
    return run, 1


def is_quiet(*, as_json: bool) -> bool:
    """Return whether nothing is to be shown while it goes on."""
    return as_json and not sys.stderr.isatty()
