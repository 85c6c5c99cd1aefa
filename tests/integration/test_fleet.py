"""A fleet of three against a real server: one result, whoever dies, and nothing left."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from loadrig.recording.reader import Recording
from tests import warm
from tests.native.test_process import shop

pytestmark = pytest.mark.integration

DEADLINE_S = 60.0
LONGEST_FRAME_S = 1.0
GENERATORS = 3

Json = dict[str, Any]


@pytest.fixture
def port() -> Iterator[int]:
    """Return the port of a shop that answers."""
    with shop() as (port, _):
        yield port


RATE = ("--rate", "100")
USERS = ("-c", "6")


def started(
    folder: Path, port: int, seconds: int, *more: str, load: Sequence[str] = RATE
) -> subprocess.Popen[bytes]:
    """Return a loadrig whose fleet loads the shop."""
    url = f"http://127.0.0.1:{port}/"
    words = ["attack", url, *load, "-z", f"{seconds}s", "--fleet", str(GENERATORS), "-o", "run"]
    return warm.Popen(
        [*warm.PROGRAM, *words, *more],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "NO_COLOR": "1"},
    )


def generators_of(pid: int) -> list[int]:
    """Return the pids of a loadrig's generators, by age, once all are there."""
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
        engines = [int(child) for child in children if b"engine/__main__.py" in command_of(int(child))]
        if len(engines) == GENERATORS:
            return sorted(engines)
        time.sleep(0.05)
    raise AssertionError(f"no {GENERATORS} generators")


def command_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def wait_for_frames(folder: Path, more: int = 3) -> None:
    """Wait until the load has run for more frames than it had when it was asked."""
    deadline = time.monotonic() + DEADLINE_S
    frames = folder / "run" / "trials" / "0001" / "frames.jsonl"
    before = None
    while time.monotonic() < deadline:
        count = frames.read_bytes().count(b"\n") if frames.exists() else 0
        before = count if before is None else before
        if count > before + more:
            return
        time.sleep(0.05)
    raise AssertionError("no frames")


def all_gone(pids: list[int]) -> bool:
    deadline = time.monotonic() + DEADLINE_S
    while time.monotonic() < deadline:
        if not any(b"engine/__main__.py" in command_of(pid) for pid in pids):
            return True
        time.sleep(0.05)
    return False


def result(folder: Path) -> Json:
    written: Json = json.loads((folder / "run" / "trials" / "0001" / "result.json").read_bytes())
    return written


def test_a_fleet_makes_the_load_of_one_and_each_says_what_it_did(tmp_path: Path, port: int) -> None:
    process = started(tmp_path, port, 3)
    pids = generators_of(process.pid)
    out, error = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, (out, error)
    assert all_gone(pids)
    trial = result(tmp_path)
    generators = trial["fleet"]["generators"]
    assert sum(each["due"] for each in generators) == 300
    assert [each["due"] for each in generators] == [100, 100, 100]
    frames = Recording.open(tmp_path / "run" / "trials" / "0001").frames
    ended = [sum(row.count for row in frame.routes) for frame in frames]
    assert sum(ended) == sum(each["requests"] for each in generators)
    # A last frame that comes late lies behind the measured part, with what ended in it and in the drain.
    assert trial["load"]["requests"] in [sum(ended[:end]) for end in (None, -1, -2)]
    # The shop refuses every tenth, and the times of both kinds come out of the merged histograms.
    times = trial["latency_ms"]
    assert sum(trial["outcomes"].values()) == times["response"]["count"] + times["failed"]["count"]
    assert trial["generator"]["threads"] == GENERATORS
    assert not [each for each in trial["validity"]["reasons"] if each["check"] == "G16"]


def test_a_fleet_of_one_is_a_fleet(tmp_path: Path, port: int) -> None:
    trials = []
    for fleet in ((), ("--fleet", "1")):
        folder = tmp_path / str(len(fleet))
        folder.mkdir()
        words = ["attack", f"http://127.0.0.1:{port}/", *RATE, "-z", "1s", *fleet, "-o", "run"]
        done = warm.run(
            [*warm.PROGRAM, *words], cwd=folder, capture_output=True, timeout=DEADLINE_S, check=False
        )
        assert done.returncode == 0, (done.stdout, done.stderr)
        trials.append(result(folder))
    alone, of_one = trials
    assert of_one.keys() - alone.keys() == {"fleet"}
    (generator,) = of_one["fleet"]["generators"]
    assert (generator["name"], generator["due"]) == ("1", 100)
    assert generator["requests"] == of_one["load"]["requests"] == alone["load"]["requests"]


def test_where_one_of_a_closed_load_is_killed_the_trial_ends_and_says_so(tmp_path: Path, port: int) -> None:
    process = started(tmp_path, port, 40, load=USERS)
    pids = generators_of(process.pid)
    wait_for_frames(tmp_path)
    os.kill(pids[1], signal.SIGKILL)
    out, error = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, (out, error)
    assert all_gone(pids)
    trial = result(tmp_path)
    lost = [each for each in trial["fleet"]["generators"] if each["lost"]]
    assert [each["name"] for each in lost] == ["2"]
    assert lost[0]["requests"] > 0
    assert "G18" in {each["check"] for each in trial["validity"]["reasons"]}
    assert trial["measured"]["to_s"] <= lost[0]["lost_after_s"] + 0.1
    assert lost[0]["lost_after_s"] < 39, "long before the load was over by itself"


def test_where_one_of_an_open_load_is_killed_a_fresh_one_takes_over(tmp_path: Path, port: int) -> None:
    process = started(tmp_path, port, 12)
    pids = generators_of(process.pid)
    wait_for_frames(tmp_path)
    os.kill(pids[1], signal.SIGKILL)
    out, error = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 0, (out, error)
    assert all_gone(pids)
    trial = result(tmp_path)
    generators = trial["fleet"]["generators"]
    # Whatever is due is in the result, and each has its part of it: what was missed is unsent.
    assert sum(each["due"] for each in generators) == pytest.approx(1_200, abs=1)
    second = generators[1]
    assert second["lost"]
    assert second["lost_after_s"] < second["taken_over_after_s"] < 12
    assert 0 < second["missed"] < second["due"], "the fresh one has sent some of its part"
    assert second["due"] - second["sent"] == second["missed"]
    assert "G18" in {each["check"] for each in trial["validity"]["reasons"]}
    assert [each["taken_over_after_s"] for each in generators[::2]] == [None, None]
    # What the fresh one sends is no load of somebody else.
    assert "G16" not in {each["check"] for each in trial["validity"]["reasons"]}


def test_where_the_driver_is_killed_no_generator_is_left(tmp_path: Path, port: int) -> None:
    process = started(tmp_path, port, 40)
    pids = generators_of(process.pid)
    wait_for_frames(tmp_path)
    process.kill()
    process.communicate(timeout=DEADLINE_S)
    assert all_gone(pids)
    # What else it held, such as the folder of a profile, is put back by whoever comes next.
    done = warm.run([*warm.PROGRAM, "doctor", "--clean"], cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def steer(folder: Path, *words: str) -> None:
    """Give the run an order, and want it to be taken."""
    done = warm.run(
        [*warm.PROGRAM, "steer", *words, "--run", "run"],
        cwd=folder,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)


@pytest.mark.nightly
def test_an_order_by_hand_reaches_all(tmp_path: Path, port: int) -> None:
    # Ended by an order, so that the first one comes in time however long its program takes to start.
    process = started(tmp_path, port, 300)
    wait_for_frames(tmp_path)
    steer(tmp_path, "level", "200")
    wait_for_frames(tmp_path, 12)
    steer(tmp_path, "end")
    out, error = process.communicate(timeout=DEADLINE_S)
    assert process.returncode in (0, 111), (out, error)
    trial = result(tmp_path)
    assert trial["fleet"]["orders"] >= 1
    assert trial["fleet"]["order_us"] > 0
    # What is measured is the load since the order, of all three.
    assert trial["load"]["offered_rps"] == pytest.approx(200, rel=0.1)
    due = [each["due"] for each in trial["fleet"]["generators"]]
    # An end by hand comes to each at its own moment, within a frame.
    assert max(due) - min(due) <= 1 + 200 / len(due) * LONGEST_FRAME_S


def test_fewer_connections_than_generators_are_refused_before_any_load(tmp_path: Path, port: int) -> None:
    process = started(tmp_path, port, 3, "-c", "2")
    out, error = process.communicate(timeout=DEADLINE_S)
    assert process.returncode == 104, (out, error)
    assert b"engine.fleet-too-large" in error
    assert not list(tmp_path.glob("run/trials/*/frames.jsonl"))


PLAN = """\
loadrig: 1
target: {{external: "http://127.0.0.1:{port}"}}
workload: {{rate: 100, requests: [{{get: /}}]}}
trial: {{warm_up: 0s, measure: {{at_least: 3s, at_most: 3s}}}}
fleet: {{generators: 3, mergers: 2}}
"""


def test_a_plan_may_ask_for_mergers_and_its_result_is_that_of_the_load(tmp_path: Path, port: int) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN.format(port=port), encoding="utf-8")
    done = warm.run(
        [*warm.PROGRAM, "run", "plan.yaml", "-o", "run"],
        cwd=tmp_path,
        capture_output=True,
        timeout=DEADLINE_S,
        check=False,
    )
    assert done.returncode in (0, 111), (done.stdout, done.stderr)
    trial = result(tmp_path)
    generators = trial["fleet"]["generators"]
    assert [each["name"] for each in generators] == ["1", "2", "3"]
    # At random instants, 300 on average.
    assert sum(each["due"] for each in generators) == pytest.approx(300, rel=0.25)
    assert all(each["requests"] for each in generators)
    assert 0 < trial["load"]["requests"] <= sum(each["requests"] for each in generators)
