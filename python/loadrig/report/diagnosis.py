"""The diagnosis alone: what `loadrig diagnose` prints, worked out anew from the recordings."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loadrig.recording.reader import Recording
from loadrig.report.kicker import facts, kicker
from loadrig.report.model import Report
from loadrig.report.run import Run
from loadrig.report.sections import findings
from loadrig.study import proof
from loadrig.trial.result import result_of


def anew(run: Run) -> Run:
    """The same run with its findings made of its recordings, by the causes that are known today."""
    if run.study is None:
        result = result_of(run.views[0].recording).to_json()
        return replace(run, result=result, views=(replace(run.views[0], result=result),))
    trials: dict[int, list[Mapping[str, Any]]] = {}
    for setting in run.study.settings:
        for trial in setting["trials"]:
            folder = run.folder / trial["folder"]
            if trial["validity"] in ("valid", "suspect") and folder.is_dir():
                trials.setdefault(setting["id"], []).append(result_of(Recording.open(folder)).to_json())
    found, diagnosis = proof.findings(run.result, trials, f"loadrig run {run.folder / 'plan.yaml'}")
    return replace(run, result={**run.result, "findings": found, "diagnosis": diagnosis})


def build(run: Run, *, everything: bool = False) -> Report:
    """A report of one section. everything: with all causes that were cleared."""
    section = findings.build(run, everything=everything)
    return Report(run.name, kicker(run), (section,) if section else (), facts=facts(run))


def as_json(run: Run) -> Mapping[str, Any]:
    """Findings and diagnosis as they stand in a result."""
    return {name: run.result.get(name) for name in ("schema", "name", "findings", "diagnosis")}
