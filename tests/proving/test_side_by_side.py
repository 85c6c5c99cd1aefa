"""Blocks of a proof on several places: who runs what, what a lost place costs, what ends all of them."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from loadrig.base.errors import Interrupted, Problem, RigError, TargetError, VoidError
from loadrig.interventions import Lever, Variant
from loadrig.judgement.experiments.results import Gain, Measurement, Result
from loadrig.plan.load import read
from loadrig.proving.live_order import LiveFindings, LiveOrder
from loadrig.proving.pairs import TrialTimes
from loadrig.proving.side_by_side import BlockTask, DealtPairs, LiveTask, LostPlace, ProofPlaces
from loadrig.proving.trials import TrialLog, TrialRunner
from loadrig.recording.layout import RunFolder
from loadrig.trial.spec import TrialSpec

from .test_trials import PLAN, TRIAL_S, FakeProofTrials, base_of

PATCHING = threading.Lock()
"""Lock of what is patched while a trial is made up."""

SLOW, FAST = {"rates": (100.0,) * 8}, {"rates": (200.0,) * 8}


@dataclass
class FakePlace:
    """Place whose trials are made up. spoil: what happens in place of a trial."""

    name: str
    folder: RunFolder
    trials: FakeProofTrials = field(default_factory=lambda: FakeProofTrials(SLOW, FAST))
    spoil: Callable[[TrialSpec], None] = lambda _: None
    ran: list[TrialSpec] = field(default_factory=list)
    is_stopped: threading.Event = field(default_factory=threading.Event)

    def run(self, spec: TrialSpec, rest_s: float) -> None:
        assert rest_s >= 0
        self.ran.append(spec)
        self.spoil(spec)
        with PATCHING:
            self.trials(spec, self.folder)
        if self.is_stopped.wait(0.01):
            raise Interrupted(())

    def prove(self, spec: TrialSpec, order: LiveOrder, findings: LiveFindings, rest_s: float) -> None:
        assert (order.number, rest_s) == (spec.index, 1.0)
        self.ran.append(spec)
        self.spoil(spec)
        findings.results.append(result_of_trial(spec.index))

    def stop(self) -> None:
        self.is_stopped.set()


def result_of_trial(trial: int) -> Result:
    parts = (Measurement(trial, 0.0, 2.0, 0, 0, 100.0), Measurement(trial, 2.0, 2.0, 0, 1, 80.0))
    return Result(
        Lever("cpu", "server"), "less CPU", "throughput", 0.8, None, Gain(0.8, 0.7, 0.9), "limits", "", parts
    )


def places_of(folder: Path, count: int) -> list[FakePlace]:
    return [FakePlace(f"node{number}", RunFolder(folder)) for number in range(1, count + 1)]


@dataclass
class DealtProof:
    """Base and two changes on places. notes: what a person was told."""

    folder: Path
    places: Sequence[FakePlace]
    notes: list[str] = field(default_factory=list)
    began: list[TrialSpec] = field(default_factory=list)

    def __post_init__(self) -> None:
        plan = read(PLAN, str(self.folder / "plan.yaml"))
        changes = [
            Variant(Lever("knob", "server", name), name, plan, {"change": name}) for name in ("a", "b")
        ]
        self.runner = TrialRunner(RunFolder(self.folder), lambda *_: None, seed=1, begins=self.began.append)
        self.pairs = DealtPairs(
            [base_of(plan), *changes], self.runner, TrialLog("throughput"),
            TrialTimes(time.monotonic() + 3600, TRIAL_S),
        )  # fmt: skip
        self.pairs.nodes = ProofPlaces(self.places, self.notes.append)

    @property
    def blocks(self) -> Counter[tuple[int, str]]:
        """Return how many trials of each block ran on each place."""
        return Counter((spec.block, place.name) for place in self.places for spec in place.ran)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_blocks_run_side_by_side_and_each_stays_on_its_place(tmp_path: Path, count: int) -> None:
    proof = DealtProof(tmp_path, places_of(tmp_path, count))
    results = proof.pairs.run()
    assert {(result.title, result.standing) for result in results} == {("a", "limits"), ("b", "limits")}
    assert all(runs == 3 for runs in proof.blocks.values())
    assert len({block for block, _ in proof.blocks}) == len(proof.blocks) >= count
    assert all(place.ran for place in proof.places)
    for place in proof.places:
        assert {spec.node for spec in place.ran} == {place.name}
        for block in {spec.block for spec in place.ran}:
            rows = [spec for spec in place.ran if spec.block == block]
            assert sum(spec.is_base for spec in rows) == 1
            assert {spec.seed for spec in rows} == {1 + block}
    ran = sorted(spec.index for place in proof.places for spec in place.ran)
    assert ran == list(range(1, len(ran) + 1)) == [spec.index for spec in proof.began]


def test_a_change_gets_no_more_blocks_at_once_than_it_may_have(tmp_path: Path) -> None:
    proof = DealtProof(tmp_path, places_of(tmp_path, 9))
    proof.pairs.run()
    assert len({block for block, _ in proof.blocks}) == 6


@pytest.mark.parametrize("at", [1, 2, 3])
def test_a_lost_place_costs_what_it_had_not_compared_and_the_rest_runs_elsewhere(
    tmp_path: Path, at: int
) -> None:
    places = places_of(tmp_path, 2)

    def dies(spec: TrialSpec) -> None:
        if len(places[1].ran) == at:
            raise LostPlace("it is gone")

    places[1].spoil = dies
    proof = DealtProof(tmp_path, places)
    results = proof.pairs.run()
    assert {(result.title, result.standing) for result in results} == {("a", "limits"), ("b", "limits")}
    assert len(proof.notes) == 1
    assert "node2" in proof.notes[0]
    lost = places[1].ran[0].block
    # No trial is compared with the base of another place.
    assert all(spec.block != lost for spec in places[0].ran)
    for result in results:
        own = {part.block for part in result.measurements(True)}
        assert len(own & {part.block for part in result.measurements(False)}) >= 2
    # Where its base had run, what was compared with it is not run again.
    had_base = any(spec.is_base for spec in places[1].ran[: at - 1])
    again = [spec for spec in places[0].ran if spec.block > lost]
    assert len(again) == (5 - at if had_base else 3)


def test_without_any_place_the_proof_fails(tmp_path: Path) -> None:
    def dies(spec: TrialSpec) -> None:
        raise LostPlace("it is gone")

    places = places_of(tmp_path, 2)
    for place in places:
        place.spoil = dies
    with pytest.raises(VoidError) as lost:
        DealtProof(tmp_path, places).pairs.run()
    assert lost.value.problems[0].code == "nodes.all-lost"


def test_a_base_that_fails_ends_the_proof_on_all_places(tmp_path: Path) -> None:
    places = places_of(tmp_path, 2)

    def fails(spec: TrialSpec) -> None:
        if spec.is_base:
            raise TargetError(Problem(what="the server exited", mend="see its log", code="target.exited"))

    places[0].spoil = fails
    with pytest.raises(TargetError):
        DealtProof(tmp_path, places).pairs.run()
    assert places[1].is_stopped.is_set() or len(places[1].ran) == 3


def test_a_change_whose_server_fails_is_skipped_and_the_others_go_on(tmp_path: Path) -> None:
    places = places_of(tmp_path, 2)

    def fails(spec: TrialSpec) -> None:
        if spec.setting == {"change": "a"}:
            raise TargetError(Problem(what="the server exited", mend="see its log", code="target.exited"))

    for place in places:
        place.spoil = fails
    proof = DealtProof(tmp_path, places)
    assert [result.title for result in proof.pairs.run()] == ["b"]
    assert {(skip.lever.what, skip.code) for skip in proof.pairs.skipped} == {("a", "target.exited")}


@pytest.mark.parametrize("is_lost", [False, True])
def test_an_experiment_under_load_runs_on_one_place_and_begins_anew_where_that_is_lost(
    tmp_path: Path, is_lost: bool
) -> None:
    places = places_of(tmp_path, 2)

    def dies(spec: TrialSpec) -> None:
        raise LostPlace("it is gone")

    if is_lost:
        places[0].spoil = dies
    proof, findings = DealtProof(tmp_path, places), LiveFindings()
    plan = read(PLAN, str(tmp_path / "plan.yaml"))
    order = LiveOrder(
        plan=plan, levers=(Lever("cpu", "server"),), most=1, measure="throughput", warm_up_s=1.0, most_s=20.0,
        number=4, places={},
    )  # fmt: skip
    proof.pairs.nodes.work([LiveTask(proof.runner, order, findings, 1.0)])
    (result,) = findings.results
    assert result.trial == 4
    assert [len(place.ran) for place in places] == ([1, 1] if is_lost else [1, 0])
    assert proof.runner.number == 5


def test_what_one_place_raises_first_is_raised_though_others_say_that_they_were_stopped(
    tmp_path: Path,
) -> None:
    places = places_of(tmp_path, 3)
    error = VoidError(Problem(what="no space left", mend="free some", code="recording.disk-full"))

    def fails(spec: TrialSpec) -> None:
        time.sleep(0.05)
        raise error

    places[2].spoil = fails
    proof = DealtProof(tmp_path, places)
    tasks = [proof.pairs.block_of([1, 2]) for _ in range(3)]
    tasks[2].row.sort()  # a base that fails is raised
    with pytest.raises(RigError) as raised:
        proof.pairs.nodes.work(tasks)
    assert raised.value is error
    assert all(isinstance(task, BlockTask) for task in tasks)
