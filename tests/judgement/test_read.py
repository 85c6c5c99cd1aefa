"""A case says of a trial what its recording says."""

import json
from pathlib import Path

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.judgement.facts.case import Case, GoalAnswer, Remark
from loadrig.judgement.facts.read import FEWEST_STEPS_TO_READ, case_of
from loadrig.recording.reader import Recording
from loadrig.testing.synthetic import Route, write_recording

ROUTES = (
    Route("search", outcomes={"http_5xx": 0.1}),
    Route("order", 0.3, median_s=0.05),
    Route("token", 0.05, "login", median_s=0.3),
)


def case(recording: Recording) -> Case:
    read_case = case_of(recording, [Remark("G8", "note", "it grew")], [GoalAnswer("p99 < 1s", True)])
    assert read_case is not None
    return read_case


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Recording:
    return write_recording(tmp_path_factory.mktemp("case") / "0001", (150.0,) * 40, routes=ROUTES)


def test_every_request_of_the_measured_part_is_counted_once(recording: Recording) -> None:
    load = case(recording).load
    counted = {"ok": 0, "failed": 0, "login": 0}
    for frame in recording.inside:
        for row in frame.routes:
            kind = "login" if row.route_class == "login" else "ok" if row.outcome == "ok" else "failed"
            counted[kind] += row.count
    assert load.total(load.ok) == pytest.approx(counted["ok"])
    assert load.total(load.failed) == pytest.approx(counted["failed"])
    assert load.total(load.logins) == pytest.approx(counted["login"])
    assert sum(map(load.total, load.routes.values())) == pytest.approx(counted["ok"])
    assert load.count("http_5xx") == counted["failed"]


def test_the_steps_cover_the_load_and_know_the_measured_part(recording: Recording) -> None:
    read_case = case(recording)
    assert read_case.origin_ns == recording.frames[0].t_ns
    assert read_case.edges_ns[-1] == recording.frames[-1].end_ns
    assert read_case.window_ns == (recording.measured.from_ns, recording.measured.to_ns)


def test_latencies_are_those_of_good_answers(recording: Recording) -> None:
    read_case, window = case(recording), recording.measured
    good = recording.histogram(outcome="ok", from_ns=window.from_ns, to_ns=window.to_ns)
    assert read_case.load.latency(0.99) == pytest.approx(good.quantile_ns(0.99) / 1e9)
    assert read_case.load.latency_by_step is not None
    assert np.isfinite(read_case.load.latency_by_step(0.5)[read_case.is_inside]).all()
    assert read_case.load.latency_of_route is not None
    assert read_case.load.latency_of_route("order", 0.5) == pytest.approx(0.05, rel=0.2)


def test_what_the_server_used_is_on_the_same_steps(recording: Recording) -> None:
    cpu = case(recording).server.cpu
    assert cpu is not None
    assert cpu.mean == pytest.approx(150 * 0.001, rel=0.2)


def test_checks_and_goals_are_handed_on(recording: Recording) -> None:
    read_case = case(recording)
    assert Remark("G8", "note", "it grew") in read_case.remarks
    assert all(remark.check != "G1" for remark in read_case.remarks)
    assert read_case.goals[0].is_met


def test_a_short_trial_has_short_steps(tmp_path: Path) -> None:
    short = write_recording(tmp_path / "0001", (150.0,) * 40, frame_s=0.1, warm_up_frames=0)
    read_case = case(short)
    assert len(read_case.seconds) >= FEWEST_STEPS_TO_READ
    assert read_case.seconds.max() < 0.5


def test_a_server_that_nobody_saw_is_named_as_unseen(tmp_path: Path, snapshot: SnapshotAssertion) -> None:
    alone = write_recording(tmp_path / "0001", (150.0,) * 20, server=None)
    (unseen,) = case(alone).unseen
    assert (unseen.component, unseen.what) == ("server", "process")
    assert unseen.why == snapshot


def test_a_generator_that_made_no_load_has_no_case(tmp_path: Path) -> None:
    folder = write_recording(tmp_path / "0001", (0.0,) * 3, server=None).folder
    folder.frames.write_text("")
    assert case_of(Recording.open(tmp_path / "0001")) is None


@pytest.mark.parametrize(
    ("evidence", "kinds"), [("kernel_log", ["oom_kill", "process_died"]), ("machine", []), (None, [])]
)
def test_a_server_that_the_kernel_killed_is_known_by_its_manifest(
    tmp_path: Path, evidence: str | None, kinds: list[str]
) -> None:
    folder = tmp_path / "0001"
    death = {"kind": "died", "t_ns": 7_000_000_000, "after_s": 2.0, "pid": 17, "out_of_memory": evidence}
    write_recording(folder, (150.0,) * 40)
    manifest = folder / "manifest.json"
    manifest.chmod(0o600)
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "death": death}))
    read_case = case(Recording.open(folder))
    assert [event.kind for event in read_case.events if event.component == "server"] == kinds


def test_what_a_route_took_before_it_was_measured_is_known(recording: Recording) -> None:
    before = case(recording).load.latency_before_of_route
    assert before is not None
    assert 0 < before("order", 0.0) <= before("order", 0.5)
    assert np.isnan(before("no such route", 0.0))
