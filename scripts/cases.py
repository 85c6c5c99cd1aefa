"""Reruns the five investigations on the labs, and prints for each the question, the old way and the answer.

  python scripts/cases.py [WORD …]        those whose plan's name has one of the words; all by default

Each is one command, into runs/cases/NAME. The table goes to standard output as Markdown, and to
runs/cases/cases.md. Exit code 1 where an answer is another than the one that is known to be right, 0
otherwise; a case whose servers are not installed is named and left out.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from loadrig.base.documents import typed
from loadrig.base.units import show_duration
from loadrig.judgement.experiments.results import show
from loadrig.labs import needs
from loadrig.labs.find import find
from loadrig.plan.node import plain
from loadrig.plan.syntax import parse
from loadrig.recording import documents
from loadrig.study.document import StudyDocument
from loadrig.study.tuning.document import ConfirmedRival

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "examples" / "cases"
RUNS = ROOT / "runs" / "cases"

WITHIN_S = 1_200.0
"""Seconds of one case: a command that takes longer hangs."""

SHOWN = 3
"""Experiments beside the mend; the page has them all."""

HEAD = ("case", "question", "by hand", "loadrig's answer", "time", "evidence")


@dataclass(frozen=True)
class ExampleCase:
    """One row of examples/cases/cases.yaml."""

    case: int
    question: str
    by_hand: str
    lab: str
    plan: str
    prove: bool
    finds: str = ""

    @property
    def command(self) -> list[str]:
        """Words that a person would type."""
        typed = ["loadrig", "lab", "run", f"{self.lab}:{(CASES / self.plan).relative_to(ROOT)}"]
        return [*typed, "--prove"] if self.prove else typed


@dataclass(frozen=True)
class Answered:
    """Answer of a command. cause: named first, "" where the question is another."""

    sentence: str
    evidence: str
    cause: str
    took_s: float


def cases() -> list[ExampleCase]:
    """Return all of them, in order."""
    root, problems = parse((CASES / "cases.yaml").read_text(encoding="utf-8"), "cases.yaml")
    assert not problems, problems
    return [ExampleCase(**row) for row in plain(root)["cases"]]


def carried_out(case: ExampleCase) -> Answered:
    """Run it. Raises RuntimeError with the last lines of one that ended without a result."""
    out = RUNS / Path(case.plan).stem
    shutil.rmtree(out, ignore_errors=True)
    began = time.monotonic()
    argv = [sys.executable, "-m", "loadrig.cli", *case.command[1:], "--out", str(out)]
    done = subprocess.run(
        argv, cwd=ROOT, capture_output=True, text=True, timeout=WITHIN_S, check=False, env=os.environ
    )
    took_s = time.monotonic() - began
    if not (out / "result.json").is_file():
        raise RuntimeError("\n".join(done.stderr.splitlines()[-8:]))
    return answer_of(documents.read(out / "result.json"), out, took_s)


def answer_of(result: Mapping[str, Any], run: Path, took_s: float) -> Answered:
    """Return the sentence, what it rests on, and the cause that came first."""
    proof = run / "proof" / "proof.json"
    if proof.is_file():
        document = json.loads(proof.read_text(encoding="utf-8"))
        return Answered(document["sentence"], evidence_of(document), first_cause(document), took_s)
    if result["schema"] == documents.STUDY:
        study = typed(StudyDocument, result, str(run / "result.json"))
        if (recommended := study.recommended) is not None:
            label = study.setting(recommended.setting_id).label
            return Answered(f"{label}: {recommended.why}", noted(study), "", took_s)
    return Answered(result["diagnosis"]["sentence"], "", first_cause(result), took_s)


def evidence_of(proof: Mapping[str, Any]) -> str:
    """Return what was changed and what moved: the mend, then knobs, then what was changed while load ran."""
    fix = proof["fix"]
    parts = [mended(fix)] if fix is not None else []
    title = fix["title"] if fix is not None else ""
    others = sorted(
        (experiment for experiment in proof["experiments"] if experiment["title"] != title),
        key=lambda experiment: experiment["kind"] != "trials",
    )
    parts += [other["says"] for other in others[:SHOWN]]
    if len(others) > SHOWN:
        parts.append(f"and {len(others) - SHOWN} experiments more")
    return "; ".join(parts)


def mended(fix: Mapping[str, Any]) -> str:
    """Return what the mend brought: before and after of what it takes away, else how many times as much."""
    if fix["measure"] in ("dips", "growth"):
        before, after = (show(max(fix[key], 0.0), fix["measure"]) for key in ("before", "after"))
        brought = f"{fix['measure']} {before} to {after}"
    else:
        gain = fix["gain"]
        brought = f"{gain['value']:.3g} times ({gain['low']:.3g} to {gain['high']:.3g})"
    foretold = f", foretold {fix['predicted']:.3g}" if fix["predicted"] else ""
    return f"{fix['title']}: {brought}{foretold}{', verified' if fix['is_verified'] else ''}"


def first_cause(document: Mapping[str, Any]) -> str:
    """Return the first cause of a result or a proof; "" where nobody is accused."""
    return document["findings"][0]["cause"] if document["findings"] else ""


def noted(study: StudyDocument) -> str:
    """Return what a tuning rests on: the winner beside the base and the runner-up, and how much was tried."""
    if not study.tuning:
        return ""
    rivals = ((study.tuning.against_default, "base"), (study.tuning.against_runner_up, "runner-up"))
    compared = [
        f"{study.question.by} {times(rival)} that of the {which} ({worded(rival.setting)})"
        f" in {rival.blocks} blocks"
        for rival, which in rivals
        if rival is not None
    ]
    trials = sum(len(setting.trials) for setting in study.settings)
    tried = f"{trials} trials of {len(study.settings)} of {study.tuning.space.settings} settings"
    why = study.diagnosis.sentence if study.diagnosis else ""
    return "; ".join([*compared, tried, *([f"of the base: {why}"] if why else [])])


def times(rival: ConfirmedRival) -> str:
    """Return a ratio with its interval."""
    if rival.effect is None or rival.interval is None:
        return "not known how many times"
    low, high = rival.interval
    return f"{rival.effect:.3g} times ({low:.3g} to {high:.3g})"


def worded(setting: Mapping[str, Any]) -> str:
    """Return a setting as it is typed."""
    return " ".join(f"{name}={value}" for name, value in setting.items())


def row(case: ExampleCase, answered: Answered) -> str:
    """Return one line of the table."""
    cells = (
        str(case.case), case.question, case.by_hand, answered.sentence, show_duration(answered.took_s),
        answered.evidence,
    )  # fmt: skip
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def main(words: list[str]) -> int:
    """Run those that are asked for."""
    lines = [f"| {' | '.join(HEAD)} |", f"|{' --- |' * len(HEAD)}"]
    print("\n".join(lines), flush=True)
    is_right = True
    RUNS.mkdir(parents=True, exist_ok=True)
    for case in cases():
        if words and not any(word in case.plan for word in words):
            continue
        if lacking := needs.missing(find(case.lab)):
            named = ", ".join([*lacking.programs, *lacking.modules, *lacking.why])
            print(f"{case.plan}: left out, not here: {named}", file=sys.stderr)
            continue
        print(f"{' '.join(case.command)}", file=sys.stderr)
        try:
            answered = carried_out(case)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            print(f"{case.plan}: no answer: {error}", file=sys.stderr)
            is_right = False
            continue
        if case.finds and answered.cause != case.finds:
            print(
                f"{case.plan}: it is {case.finds}, and {answered.cause or 'nobody'} came first",
                file=sys.stderr,
            )
            is_right = False
        lines.append(row(case, answered))
        print(lines[-1], flush=True)
        (RUNS / "cases.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
