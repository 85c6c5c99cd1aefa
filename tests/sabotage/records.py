"""Sabotage of the recording: answers that were counted and are lost."""

from dataclasses import replace
from pathlib import Path

from loadrig.base.documents import plain
from loadrig.recording.reader import Recording
from loadrig.trial.validity import judge
from tests.sabotage.harness import Sabotage, SabotageOutcome, plan, run, serving


def _lost_answers(folder: Path) -> SabotageOutcome:
    with serving() as port:
        outcome = run(plan(port, "rate: 300/1s"), folder)
    assert outcome.result is not None
    trial = folder / "run" / "trials" / "0001"
    log = trial / "latency.hlog"
    lines = log.read_text(encoding="utf-8").splitlines(keepends=True)
    responses = [number for number, line in enumerate(lines) if "response" in line.partition(",")[0]]
    lost = set(responses[::3])
    log.chmod(0o644)
    log.write_text("".join(line for n, line in enumerate(lines) if n not in lost), encoding="utf-8")
    judged = plain(judge(Recording.open(trial)))
    return replace(outcome, result={**outcome.result, "validity": judged})


SABOTAGES = (Sabotage("a third of the answers' times lost", "G9", "disagree", _lost_answers, ("void",)),)
