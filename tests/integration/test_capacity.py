"""`loadrig capacity` on real servers whose limit is known by what they are."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

import pytest

from loadrig.plan.load import load
from loadrig.recording.reader import Recording
from loadrig.study.capacity.experiment import replay
from loadrig.study.capacity.goals import split
from loadrig.study.carry_out import planned
from loadrig.study.strategies.capacity import Searches
from tests.integration import servers
from tests.integration.lost import as_killed_after_sealing
from tests.integration.program import loadrig, was_spoilt
from tests.wording import codes

pytestmark = [pytest.mark.integration, pytest.mark.slow]

PLACES, SERVICE_S = 2, 0.01
MOST = PLACES / SERVICE_S
"""Two at a time, ten milliseconds each: no more than 200 a second, whatever is asked."""


STARVED = 1.5
"""Factor of the time that a request holds a place, in the median, to what it should, where this process lacks
CPU: the server's limit is then not the one that is known."""


@dataclass
class TwoPlaces:
    """A server of two places. slept_s: how long each request really held one."""

    port: int
    slept_s: list[float] = field(default_factory=list)

    @property
    def is_starved(self) -> bool:
        return bool(self.slept_s) and median(self.slept_s) > STARVED * SERVICE_S


@contextmanager
def two_places() -> Iterator[TwoPlaces]:
    places = threading.Semaphore(PLACES)
    slept_s: list[float] = []

    def answer(connection: socket.socket) -> None:
        with places:
            began = time.monotonic()
            time.sleep(SERVICE_S)
            slept_s.append(time.monotonic() - began)
        servers.ok(connection)

    with servers.serving(answer, keep_open=True, pause_s=0.0) as port:
        yield TwoPlaces(port, slept_s)


def test_the_capacity_of_two_places_is_found_shown_and_told_again(tmp_path: Path) -> None:
    with two_places() as server:
        words = [
            "capacity",
            f"http://127.0.0.1:{server.port}/",
            "--goal",
            "p95 < 100ms",
            "--budget",
            "40s",
        ]
        ended = loadrig(*words, "--json", "-o", "out", cwd=tmp_path, timeout_s=110.0)
    if was_spoilt(tmp_path / "out") or server.is_starved:
        assert ended.code in (0, 99, 111, 112), ended.err
        return
    assert ended.code in (0, 111), ended.err
    result = json.loads(ended.out)
    search = result["capacity"]
    if search["rps"] is None:
        # Beside others its time or the generator's core did not suffice: it claims no more than what it saw.
        assert search["why_ended"] in ("budget", "generator_limited")
        assert search["interval"] is None
        assert (search["at_least"] or 0.0) < 1.05 * MOST
        return
    # Threads of Python need some of the time themselves.
    assert 0.4 * MOST < search["rps"] < 1.05 * MOST
    low, high = search["interval"]
    assert low <= search["rps"] <= high
    assert search["saturation"]["value"] <= 1.1 * MOST
    # Beside others its time may not suffice to confirm what it found, and to go beyond it.
    later = {"confirm_below", "overload"} if search["why_ended"] != "budget" else set()
    assert {"ramp", *later} <= {probe["kind"] for probe in search["probes"]}
    assert result["settings"][0]["measures"]["capacity"]["value"] == search["rps"]
    # What a run says of itself is a function of its folder.
    plan = load(tmp_path / "out" / "plan.yaml")
    strategy = planned(plan)
    assert isinstance(strategy, Searches)
    recording = Recording.open(tmp_path / "out" / "trials" / "0001")
    again = replay(recording, strategy.experiment(1).search, split(plan.goals), warm_up_s=strategy.warm_up_s)
    capacity = again.search.answer().capacity
    assert capacity is not None
    assert capacity.value == search["rps"]
    # Its figures are of a load that it bears, its causes are looked for where it did not.
    there = recording.at_limit
    assert there is not None
    assert sum(frame.due for frame in there.inside) > sum(frame.answered for frame in there.inside)
    # The report has its section, and the page its curve.
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert '"kind":"curve"' in page.replace(" ", "")
    # A rig that is killed before it could say so has found the same.
    ledger = (tmp_path / "out" / "ledger.jsonl").read_text(encoding="utf-8")
    as_killed_after_sealing(tmp_path / "out")
    assert loadrig("report", "out", cwd=tmp_path).code == 0
    written = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))
    assert written["capacity"] == search
    adopted = (tmp_path / "out" / "ledger.jsonl").read_text(encoding="utf-8")
    assert json.loads(adopted.splitlines()[1])["measures"] == json.loads(ledger.splitlines()[1])["measures"]


def test_a_goal_that_no_load_meets_is_said_with_the_nearest(tmp_path: Path) -> None:
    with two_places() as server:
        words = [
            "capacity",
            f"http://127.0.0.1:{server.port}/",
            "--goal",
            "p95 < 5ms",
            "--budget",
            "20s",
        ]
        ended = loadrig(*words, "-o", "out", cwd=tmp_path, timeout_s=110.0)
    if was_spoilt(tmp_path / "out") or server.is_starved:
        assert ended.code in (99, 111, 112), ended.err
        return
    capacity = json.loads((tmp_path / "out" / "result.json").read_text(encoding="utf-8"))["capacity"]
    assert capacity["interval"] is None
    if capacity["why_ended"] == "budget":
        # Beside others its time did not suffice: then it claims nothing.
        assert (ended.code in (111, 112), capacity["rps"]) == (True, None), ended.err
        return
    assert ended.code == 99, ended.out + ended.err
    assert capacity["why_ended"] == "no_level_meets"
    assert "p95 < 5ms" in ended.out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((), "study.no-goal-to-miss"),
        (("--goal", "throughput > 5/s"), "study.no-goal-to-miss"),
        (("--goal", "p99 < 1s", "--rate", "0"), "study.no-level"),
    ],
)
def test_what_cannot_be_searched_is_refused_before_anything_is_sent(
    words: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    requests: list[bytes] = []
    with servers.recording(requests) as port:
        ended = loadrig("capacity", f"http://127.0.0.1:{port}/", *words, cwd=tmp_path)
    assert ended.code == 104
    assert codes(ended.err) == [code]
    assert not requests


def test_a_flag_of_a_url_beside_a_plan_says_where_it_belongs(tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(
        "loadrig: 1\ntarget: {external: 'http://127.0.0.1:9'}\n"
        "workload: {rate: 10/1s, requests: [{get: /}]}\ngoals: [p99 < 1s]\n",
        encoding="utf-8",
    )
    ended = loadrig("capacity", "plan.yaml", "-c", "5", cwd=tmp_path)
    assert ended.code == 104
    assert codes(ended.err) == ["cli.wrong-argument"]
    assert ended.err.startswith("-c: ")
    ended = loadrig("capacity", "plan.yaml", "--goal", "p95 < 2s", "--print-plan", cwd=tmp_path)
    assert ended.code == 0
    assert "find: capacity" in ended.out
    assert "p95 < 2s" in ended.out
