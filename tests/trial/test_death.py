"""Failure of a server, told from what was seen of it."""

import json
from collections import Counter
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from loadrig.base.clock import NS
from loadrig.base.exits import Exit
from loadrig.cli._finish import exit_of_study
from loadrig.recording.frame import Frame, RouteCount
from loadrig.recording.layout import RunFolder
from loadrig.recording.manifest_document import DeathDocument
from loadrig.study.failures import headed, target_failed
from loadrig.study.trials import DoneTrial, Verdict
from loadrig.trial.death import REFUSED_UNTIL_GONE_S, LifeWatch, sentence
from loadrig.trial.out_of_memory import KillCounts, killed_pids
from tests.study.documents import setting_row, study_document


def frame(number: int, *, answered: int = 0, **outcomes: int) -> Frame:
    routes = tuple(RouteCount("a", "service", name, count) for name, count in outcomes.items())
    return cast("Frame", SimpleNamespace(end_ns=(number + 1) * NS, answered=answered, routes=routes))


def watching(*, is_alive: bool = True) -> LifeWatch:
    running = SimpleNamespace(
        alive=lambda: is_alive, last_lines=lambda _: ["bye"], exit_status=None if is_alive else -9,
        target=SimpleNamespace(pid=None),
    )  # fmt: skip
    life = LifeWatch(running)
    life.start_ns = 0
    return life


def test_a_server_that_refuses_for_long_is_gone_since_its_last_answer() -> None:
    life = watching()
    life.see(frame(0, answered=5, ok=5))
    last = int(REFUSED_UNTIL_GONE_S)
    for second in range(1, last):
        life.see(frame(second, connect_refused=10))
        assert life.death((second + 1) * NS) is None
    life.see(frame(last, connect_refused=10))
    death = life.death((last + 1) * NS)
    assert death is not None
    assert (death.kind, death.after_s, death.refused) == ("gone", 1.0, 10 * last)


@pytest.mark.parametrize(
    "frames",
    [
        [frame(0, answered=5, ok=5), frame(1), frame(2)],
        [frame(0, answered=5, ok=5), frame(1, timeout=5), frame(2, timeout=5)],
        [frame(0, connect_refused=9), frame(1, connect_refused=9), frame(2, answered=1, ok=1)],
        [frame(0, answered=5), frame(1, no_ports=50), frame(2, no_ports=50)],
        [frame(0, connect_refused=9), frame(1, connect_refused=9), frame(2, connect_refused=9)],
    ],
    ids=["drained", "slow", "came back", "our own ports", "never was there"],
)
def test_a_server_that_lives_is_not_gone_at_the_end_of_a_load(frames: list[Frame]) -> None:
    life = watching()
    for frame in frames:
        life.see(frame)
    assert life.death_at_end(3 * NS) is None


def test_a_server_that_ends_when_all_is_answered_has_not_died_under_load() -> None:
    life = watching(is_alive=False)
    life.see(frame(0, answered=5, ok=5))
    assert life.death_at_end(NS) is None
    life.see(frame(1, reset=1))
    death = life.death_at_end(2 * NS)
    assert death is not None
    assert (death.signal, death.last_lines) == ("SIGKILL", ("bye",))


@pytest.mark.parametrize(
    ("facts", "how"),
    [
        ({"exit_status": 3}, "it exited with status 3"),
        ({"exit_status": 137}, "(as a shell does whose program was ended by SIGKILL)"),
        ({"signal": "SIGSEGV"}, "it was ended by SIGSEGV"),
        ({}, "its process 7 is gone, and only its parent process knows how it ended"),
        ({"signal": "SIGKILL", "out_of_memory": "control_group"}, "its control group counted the kill"),
    ],
)
def test_how_it_died_is_in_the_sentence(facts: dict[str, Any], how: str) -> None:
    assert how in sentence(DeathDocument("died", 0, 2.0, **{"pid": 7, **facts}))


def test_kills_for_lack_of_memory_are_told_by_the_surest_source(tmp_path: Path) -> None:
    kmsg, vmstat, events = tmp_path / "kmsg", tmp_path / "vmstat", tmp_path / "memory.events"
    kmsg.write_text("6,1,2,-;Out of memory: Killed process 41 (python) total-vm:9kB\n", encoding="ascii")
    vmstat.write_text("pgfault 3\noom_kill 2\n", encoding="ascii")
    events.write_text("oom 1\noom_kill 1\n", encoding="ascii")
    assert killed_pids(kmsg) == {41}
    assert KillCounts(tmp_path, 0, 1).evidence(41, vmstat, kmsg) == "kernel_log"
    assert KillCounts(tmp_path, 0, 1).evidence(42, vmstat, kmsg) == "control_group"
    assert KillCounts(tmp_path, 1, 1).evidence(42, vmstat, kmsg) == "machine"
    assert KillCounts(tmp_path, 1, 2).evidence(42, vmstat, tmp_path / "none") is None


def done(index: int, verdict: Verdict) -> DoneTrial:
    return DoneTrial(
        index=index, block=0, repeat=0, is_base=index == 1, seed=1, setting={"workers": index},
        validity=verdict, reasons=(), measures={}, goals=(), folder="", seconds=1.0,
    )  # fmt: skip


def test_a_study_says_of_which_trials_the_server_failed_and_ends_with_120(tmp_path: Path) -> None:
    run = RunFolder(tmp_path)
    verdicts: list[Verdict] = ["valid", "failed", "void", "failed"]
    for number in (1, 2, 3):  # the fourth did not come up, and left no folder with a result
        folder = run.trial(number).path
        folder.mkdir(parents=True)
        failed = {"kind": "never_answered", "sentence": "The server gave no answer.", "last_lines": []}
        result = {"index": number, "setting": {"workers": number}, "target_failed": failed}
        run.trial(number).result.write_text(json.dumps(result), encoding="utf-8")
    run.trial(4).path.mkdir()
    trials = [done(number, verdict) for number, verdict in enumerate(verdicts, start=1)]
    failure = target_failed(run, trials)
    assert failure is not None
    assert [failed.trial for failed in failure.trials] == [2, 3]
    assert target_failed(run, [done(number, "valid") for number in (1, 2, 3)]) is None
    chosen = {"setting_id": 0, "setting": {"workers": 1}, "why": "", "indistinguishable": []}
    study = study_document([setting_row(0, {"workers": 1})], recommended=chosen, validity=Counter(verdicts))
    assert exit_of_study(headed(study, failure)) is Exit.TARGET_FAILED
    assert exit_of_study(study) is Exit.FINE
