"""Documents that the rooms below really hand over: a trial's and a study's own documents can be told."""

import json
import random
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from loadrig import report
from loadrig.base.documents import plain
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.report import html, text, words
from loadrig.study.answer import Question
from loadrig.study.judge import judge
from loadrig.study.result import document
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick
from loadrig.testing.synthetic import Route, write_recording
from loadrig.trial.result import result_of

from .folders import CREATED

PLAN = """\
loadrig: 1
name: made up
target:
  external: {url: "http://127.0.0.1:8000"}
workload:
  users: 10
  requests:
    - {name: search, get: /}
"""
SETTINGS: tuple[Setting, ...] = tuple({"workers": workers} for workers in (1, 2, 4))
REACHED = {1: 200.0, 2: 390.0, 4: 392.0}


@pytest.mark.parametrize("model", ["rate", "users"])
@pytest.mark.parametrize("bad", [0.0, 0.05, 1.0])
def test_a_result_of_the_trial_room_is_told(tmp_path: Path, model: str, bad: float) -> None:
    run = RunFolder(tmp_path / "run")
    run.create(PLAN)
    routes = (Route(outcomes={"http_5xx": bad} if bad else {}), Route("login", 0.05, "login"))
    recording = write_recording(
        run.trial(1).path, (80.0,) * 20, routes=routes, model=model, is_sealed=False, session_s=0.5
    )
    result = json.dumps(result_of(recording).to_json())
    run.result.write_text(result, encoding="utf-8")
    run.trial(1).result.write_text(result, encoding="utf-8")
    built = report.build(run.path)
    summary = text.render(built, 100)
    assert "Latency" in summary
    assert ("http_5xx" in summary) == (bad > 0)
    assert "</html>" in html.render(built)


def test_what_only_http_2_knows_is_told(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    run.create(PLAN)
    facts = {"load": {"model": "rate", "keep_alive": True, "http": "2", "streams": 8}}
    ends = {"grpc_error": 0.1, "stream_reset": 0.1, "go_away": 0.1}
    recording = write_recording(
        run.trial(1).path, (80.0,) * 20, routes=(Route(outcomes=ends),), facts=facts, is_sealed=False
    )
    lines = [json.loads(line) for line in recording.folder.frames.read_text(encoding="utf-8").splitlines()]
    counted = [{**line, "stream_resets": 3, "goaways": 1} for line in lines]
    recording.folder.frames.write_text("".join(json.dumps(line) + "\n" for line in counted), encoding="utf-8")
    result = result_of(Recording.open(recording.path))
    inside = len(Recording.open(recording.path).inside)
    connections = result.document.connections
    assert connections is not None
    assert (connections.http, connections.goaways) == ("2", inside)
    for folder in (run.result, run.trial(1).result):
        folder.write_text(json.dumps(result.to_json()), encoding="utf-8")
    summary = text.render(report.build(run.path), 120)
    assert ", HTTP/2" in summary
    assert f"{3 * inside:,} streams reset, {inside:,} GOAWAY" in summary
    for outcome in ends:
        assert words.OUTCOMES[outcome] in summary


def trials(blocks: int, noise: float) -> list[DoneTrial]:
    draw = random.Random(1)
    done_trials: list[DoneTrial] = []
    for block in range(blocks):
        for number, setting in enumerate((SETTINGS[0], *SETTINGS)):
            reached = REACHED[int(setting["workers"])] * draw.gauss(1, noise)
            measures: Mapping[str, Estimate] = {
                "throughput": Estimate(reached, "1/s", reached * 0.98, reached * 1.02, 20, "seconds"),
                "errors": Estimate(0.001, "1", 0.0, 0.004, 4_000),
            }
            done_trials.append(
                DoneTrial(
                    index=len(done_trials) + 1,
                    block=block,
                    repeat=1 if number == 1 else 0,
                    setting=setting,
                    is_base=number < 2,
                    seed=1,
                    validity="valid",
                    reasons=(),
                    measures=measures,
                    goals=(),
                    folder=f"trials/{len(done_trials) + 1:04d}",
                    seconds=20.0,
                )
            )
    return done_trials


@pytest.mark.parametrize(("blocks", "noise"), [(1, 0.01), (3, 0.01), (6, 0.05)])
def test_a_result_of_the_study_room_is_told(tmp_path: Path, blocks: int, noise: float) -> None:
    run = RunFolder(tmp_path / "run")
    run.create(PLAN)
    question = Question(SETTINGS, Yardstick("throughput", "1/s", "higher", 0.03))
    done = trials(blocks, noise)
    # All that the document asks of a plan.
    plan = cast(Plan, SimpleNamespace(name="made up", study=SimpleNamespace(strategy="grid")))
    result = document(
        plan, question, judge(question, done), tuple(done),
        created=CREATED, machine={"cpus": 2}, is_finished=True,
    )  # fmt: skip
    run.result.write_text(json.dumps(plain(result)), encoding="utf-8")
    built = report.build(run.path)
    assert built.views == ()
    summary = text.render(built, 120)
    assert "Settings" in summary
    assert "</html>" in html.render(built)
    if blocks > 1:
        assert recommends_a_fast_one(summary)


def recommends_a_fast_one(summary: str) -> bool:
    """Return whether the verdict recommends one of the two fast settings."""
    return "Use workers=2" in summary or "Use workers=4" in summary
