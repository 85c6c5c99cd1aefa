"""The diagnosis alone: what `loadrig diagnose` prints, worked out anew from the recordings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loadrig.base.documents import plain
from loadrig.base.errors import RigError
from loadrig.language.choice import language, written_in
from loadrig.recording.reader import Recording
from loadrig.report.kicker import facts, kicker
from loadrig.report.model import Report, sections_of
from loadrig.report.run import Run, proved
from loadrig.report.sections import account as account_section
from loadrig.report.sections import findings as findings_section
from loadrig.report.sections import proof as proof_section
from loadrig.report.sections import verdict
from loadrig.study import proof
from loadrig.trial.result import result_of


def anew(run: Run) -> Run:
    """Return the run with findings made anew of its recordings, by the causes that are known today.

    Where there is a proof its findings stand: watching cannot tell what experiments showed.
    """
    return proved(_anew(run))


def spoken(run: Run) -> Run:
    """Return a run whose findings are in the language of this process.

    What a run has recorded is in the language in which it was made; findings follow from the recordings
    alone, so they are made anew. Where these are no longer whole it stays as it is.
    """
    sentence = run.diagnosis.sentence if run.diagnosis else ""
    if not sentence or written_in(sentence) == language():
        return run
    try:
        return anew(run)
    except (RigError, OSError):
        return run


def _anew(run: Run) -> Run:
    if run.study is None:
        result = result_of(run.views[0].recording).to_json()
        return replace(run, result=result, views=(replace(run.views[0], result=result),))
    trials: dict[int, list[proof.DiagnosedTrial]] = {}
    document = run.study.document
    for setting in document.settings:
        for trial in setting.trials:
            folder = run.folder / trial.folder
            if trial.is_usable and folder.is_dir():
                judged = result_of(Recording.open(folder)).document
                diagnosed = proof.DiagnosedTrial(judged.findings, judged.diagnosis)
                trials.setdefault(setting.id, []).append(diagnosed)
    findings, diagnosis = proof.findings(document, trials, f"loadrig run {run.folder / 'plan.yaml'}")
    return replace(run, result={**run.result, "findings": plain(findings), "diagnosis": plain(diagnosis)})


def build(run: Run, *, everything: bool = False) -> Report:
    """Return the report of where the time goes, the findings, and the proof where there is one.

    everything: with all causes that were cleared.
    """
    sections = sections_of(
        verdict.failure(run),
        account_section.build(run),
        findings_section.build(run, everything=everything),
        proof_section.build(run),
    )
    return Report(run.name, kicker(run), sections, facts=facts(run))


def as_json(run: Run) -> Mapping[str, Any]:
    """Return findings, diagnosis and account as a result has them, and the proof's document if there is one.

    The account of a void trial says nothing of its server, and is left out.
    """
    failed = {name: run.result[name] for name in ("headline", "target_failed") if name in run.result}
    document = failed | {name: run.result.get(name) for name in ("schema", "name", "findings", "diagnosis")}
    account = run.views[0].account if run.study is None and run.views else None
    if account is not None:
        document["account"] = plain(account)
    return {**document, **run.proof_json}
