"""Trials of their own in blocks: which of them count. Trials are made up, recordings are real ones."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import msgspec
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.errors import Problem, VoidError
from loadrig.interventions import Lever, Step, Variant
from loadrig.judgement.experiments.credence import OPEN, Doubt
from loadrig.judgement.experiments.outcome import FrameCounts, Measure
from loadrig.judgement.experiments.results import Measurement, Result
from loadrig.judgement.experiments.trial_gains import FEWEST_PAIRED_BLOCKS, gain_of
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.proving.pairs import Pairs, TrialTimes
from loadrig.proving.trials import TrialLog, TrialRunner, scatter_within
from loadrig.recording.layout import RunFolder
from loadrig.recording.proof_blocks import BlockOutcome
from loadrig.testing import synthetic
from loadrig.testing.engine_frames import engine_frame, histogram_of
from loadrig.testing.synthetic import SyntheticServer, write_recording
from loadrig.trial.spec import TrialSpec

PLAN = """\
loadrig: 1
target: {external: "http://127.0.0.1:1"}
workload: {rate: 200/1s, requests: [{get: /}]}
"""
TRIAL_S = 34.0
"""Seconds that a trial is thought to take: 30 of load, and what is around it."""
LATE: Mapping[str, Any] = {"late_s": 0.05}
"""The generator was that late each time, beside answers that take less: check G2."""


class FakeProofTrials:
    """Stands in for the trial room: leaves what is given for the base and for the change. Counts them."""

    def __init__(self, base: Mapping[str, Any], changed: Mapping[str, Any]) -> None:
        self._base, self._changed = base, changed
        self.made = {True: 0, False: 0}

    def __call__(self, spec: TrialSpec, folder: RunFolder) -> None:
        self.made[spec.is_base] += 1
        more = dict(self._base if spec.is_base else self._changed)
        late = histogram_of([more.pop("late_s", 20e-6)] * 100)
        with patch.object(synthetic, "engine_frame", partial(engine_frame, lag=late)):
            write_recording(folder.trial(spec.index).path, seed=spec.index, **more)


def pairs_of(
    tmp_path: Path,
    trials: FakeProofTrials,
    measure: Measure,
    lever: Lever,
    ratio: float | None,
    is_decided: Callable[[Sequence[Result]], bool] = lambda _: False,
) -> Pairs:
    """Trials of a base and of one change."""
    plan = read(PLAN, str(tmp_path / "plan.yaml"))
    variants = [base_of(plan), Variant(lever, "a change", plan, {}, ratio, is_mend=False)]
    return pairs_in(tmp_path, variants, trials, measure, doubt=replace(OPEN, is_decided=is_decided))


def base_of(plan: Plan) -> Variant:
    return Variant(Lever("load"), "", plan, {})


def pairs_in(
    folder: Path, variants: Sequence[Variant], run_trial: Callable[[TrialSpec, RunFolder], None],
    measure: Measure = "throughput", *, ends: float | None = None, wanted: Sequence[str] = (),
    doubt: Doubt = OPEN,
) -> Pairs:  # fmt: skip
    """Trials of a base and of some changes."""
    times = TrialTimes(ends or time.monotonic() + 3600, TRIAL_S)
    runner = TrialRunner(RunFolder(folder), run_trial, seed=1)
    return Pairs(variants, runner, TrialLog(measure), times, wanted=wanted, doubt=doubt)


def result(
    tmp_path: Path, trials: FakeProofTrials, measure: Measure, lever: Lever, ratio: float | None
) -> Result | None:
    """Return what came of the one change."""
    return next(iter(pairs_of(tmp_path, trials, measure, lever, ratio).run()), None)


def leaking(mb: float, rate: float = 200.0, **more: Any) -> dict[str, Any]:
    return {
        "rates": (rate,) * 30,
        "server": SyntheticServer(pss_bytes=50e6, grows_to_bytes=50e6 + mb * 1e6),
        **more,
    }


HALF_RATE = Lever("load", "", "half_rate")


def test_half_the_load_that_leaks_half_as_much_is_a_limit_within_three_blocks(tmp_path: Path) -> None:
    trials = FakeProofTrials(leaking(60), leaking(30, rate=100.0))
    outcome = result(tmp_path, trials, "growth", HALF_RATE, 0.5)
    assert outcome is not None
    assert outcome.standing == "limits"
    assert outcome.blocks <= 3
    assert outcome.elasticity is not None
    assert outcome.elasticity.low < 1 < outcome.elasticity.high


def test_growth_that_stops_is_surely_gone_although_memory_goes_up_and_down(tmp_path: Path) -> None:
    trials = FakeProofTrials(leaking(60), leaking(0))
    outcome = result(tmp_path, trials, "growth", Lever("knob", "server", "restarts"), None)
    assert outcome is not None
    assert (outcome.standing, outcome.blocks) == ("limits", 2)
    teeth = [Measurement(n, 0.0, 20.0, n, True, 0.1, scatter=30.0) for n in range(2)]
    plain = [Measurement(n, 0.0, 20.0, n, False, 177.0, scatter=3.0) for n in range(2)]
    gain = gain_of("growth", plain, teeth)
    assert gain.value < 0.01
    assert 0.1 < gain.high < 0.4
    # Where the teeth are as large as the growth nothing is known.
    wild = [Measurement(n, 0.0, 20.0, n, True, 0.1, scatter=200.0) for n in range(2)]
    assert gain_of("growth", plain, wild).high > 1


def test_growth_that_comes_with_time_alone_clears_the_requests(tmp_path: Path) -> None:
    outcome = result(
        tmp_path, FakeProofTrials(leaking(60), leaking(60, rate=100.0)), "growth", HALF_RATE, 0.5
    )
    assert outcome is not None
    assert outcome.elasticity is not None
    assert outcome.standing != "limits"
    assert outcome.elasticity.high < 0.5


def test_growth_is_told_although_the_generator_was_hindered(tmp_path: Path) -> None:
    outcome = result(
        tmp_path, FakeProofTrials(leaking(60, **LATE), leaking(30, **LATE)), "growth", HALF_RATE, 0.5
    )
    assert outcome is not None
    assert not outcome.is_at_least


@pytest.mark.parametrize(("rate", "is_told"), [(1600.0, True), (200.0, False)])
def test_a_hindered_generator_can_show_more_and_not_less(tmp_path: Path, rate: float, is_told: bool) -> None:
    changed = {"rates": (rate,) * 30, **LATE}
    trials = FakeProofTrials({"rates": (400.0,) * 30}, changed)
    outcome = result(tmp_path, trials, "throughput", Lever("knob", "server", "threads"), None)
    assert (outcome is not None) == is_told
    if outcome is not None:
        assert outcome.is_at_least
        assert outcome.gain.value > 1.5


def test_a_spoilt_trial_of_the_base_is_made_once_more_and_says_nothing(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    trials = FakeProofTrials({**LATE}, {})
    pairs = pairs_of(tmp_path, trials, "throughput", Lever("knob", "server", "threads"), None)
    assert pairs.run() == []
    assert trials.made[True] > trials.made[False]
    (skipped,) = pairs.skipped
    assert skipped.code == "prove.spoilt"
    assert skipped.why == snapshot


def test_a_change_that_one_suspect_is_decided_by_needs_no_more_trials_of_others(tmp_path: Path) -> None:
    trials = FakeProofTrials({"rates": (400.0,) * 30}, {"rates": (430.0,) * 30})
    outcome = result(tmp_path, trials, "throughput", Lever("knob", "server", "threads"), None)
    assert outcome is not None
    again = FakeProofTrials({"rates": (400.0,) * 30}, {"rates": (430.0,) * 30})
    other = tmp_path / "decided"
    pairs_of(other, again, "throughput", Lever("knob", "server", "threads"), None, bool).run()
    assert again.made == {True: FEWEST_PAIRED_BLOCKS, False: FEWEST_PAIRED_BLOCKS}
    assert trials.made[False] > FEWEST_PAIRED_BLOCKS


def test_what_tells_most_is_tried_and_what_the_plan_names_all_the_same(
    tmp_path: Path,
) -> None:
    plan = read(PLAN, str(tmp_path / "plan.yaml"))
    order: list[str] = []

    def trial(spec: TrialSpec, folder: RunFolder) -> None:
        name = str(spec.setting.get("name", "base"))
        order.append(name)
        rate = 800.0 if name == "own" else 400.0
        write_recording(folder.trial(spec.index).path, rates=(rate,) * 30, seed=spec.index)

    def tells(changes: Sequence[Step | Variant], _: Sequence[Result]) -> list[float]:
        return [1.0 if change.title == "own" else 0.1 for change in changes]

    names = ("other", "asked", "own")
    changes = [Variant(Lever("knob", "server", name), name, plan, {"name": name}) for name in names]

    def is_settled(results: Sequence[Result]) -> bool:
        return ("own", "limits") in {(result.title, result.standing) for result in results}

    doubt = Doubt(tells, is_settled)
    pairs = pairs_in(tmp_path, [base_of(plan), *changes], trial, wanted=["asked"], doubt=doubt)
    standings = {each.title: each.standing for each in pairs.run()}
    assert "other" not in order
    assert sorted(order[:3]) == ["asked", "base", "own"]
    assert order.count("own") == order.count("asked") == FEWEST_PAIRED_BLOCKS
    assert standings == {"own": "limits", "asked": "cleared"}


def test_what_tells_hardly_anything_gets_no_trial(tmp_path: Path) -> None:
    trials = FakeProofTrials({}, {})
    plan = read(PLAN, str(tmp_path / "plan.yaml"))
    variants = [base_of(plan), Variant(Lever("knob", "server", "threads"), "threads", plan, {})]
    pairs = pairs_in(tmp_path, variants, trials, doubt=Doubt(lambda changes, _: [0.01] * len(changes)))
    assert pairs.run() == []
    assert pairs.skipped == []
    assert trials.made == {True: 0, False: 0}


class ProofClock:
    """Stands in for the module `time`: what a trial takes is passed by the trial."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic(self) -> float:
        return self.now_s


def test_what_there_is_no_time_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = ProofClock()
    monkeypatch.setattr("loadrig.proving.pairs.time", clock)
    monkeypatch.setattr("loadrig.proving.trials.time", clock)
    monkeypatch.setattr("loadrig.proving.rest.is_needed", lambda: False)
    plan = read(PLAN, str(tmp_path / "plan.yaml"))
    names = ("first", "second", "third")
    changes = [Variant(Lever("knob", "server", name), name, plan, {"name": name}) for name in names]
    trials = FakeProofTrials({}, {})

    def trial(spec: TrialSpec, folder: RunFolder) -> None:
        clock.now_s += 30.0
        trials(spec, folder)

    pairs = pairs_in(tmp_path, [base_of(plan), *changes], trial, ends=270.0)
    results = pairs.run()
    # Two blocks of the base and of one change take four times 34 s, so it is thought; then four times 30.
    assert [each.lever.what for each in results] == ["first", "second"]
    assert [(skip.lever.what, skip.code) for skip in pairs.skipped] == [("third", "prove.budget")]
    assert clock.now_s <= 270.0


def test_what_load_has_decided_already_needs_no_trials_but_of_what_is_wanted(tmp_path: Path) -> None:
    trials = FakeProofTrials({}, {})
    lever = Lever("knob", "server", "threads")
    assert pairs_of(tmp_path, trials, "throughput", lever, None, lambda _: True).run() == []
    assert trials.made == {True: 0, False: 0}


@pytest.mark.parametrize(("rate", "standing"), [(1600.0, "limits"), (800.0, "unsure")])
def test_one_block_is_enough_for_many_times_as_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rate: float, standing: str
) -> None:
    clock = ProofClock()
    monkeypatch.setattr("loadrig.proving.pairs.time", clock)
    trials = FakeProofTrials({"rates": (400.0,) * 30}, {"rates": (rate,) * 30})
    plan = read(PLAN, str(tmp_path / "plan.yaml"))
    variant = Variant(Lever("knob", "server", "pool"), "pool", plan, {})

    def trial(spec: TrialSpec, folder: RunFolder) -> None:
        clock.now_s += 34.0
        trials(spec, folder)

    (pair,) = pairs_in(tmp_path, [base_of(plan), variant], trial, ends=70.0).run()
    assert (pair.blocks, pair.standing) == (1, standing)


def test_whoever_watches_is_told_each_trial_that_counts(tmp_path: Path) -> None:
    pairs = pairs_of(tmp_path, FakeProofTrials({}, {}), "throughput", HALF_RATE, 0.5)
    with patch("loadrig.proving.rest.wait"):
        pairs.run()
    lines = RunFolder(tmp_path).blocks.read_bytes().splitlines()
    outcomes = [msgspec.json.decode(line, type=BlockOutcome) for line in lines]
    assert not any(outcome.is_live for outcome in outcomes)
    parts = pairs._log.outcomes
    assert [(outcome.trial, outcome.block, bool(outcome.title), outcome.value) for outcome in outcomes] == [
        (part.trial, part.block, part.is_changed, part.outcome) for part in parts
    ]


def test_a_failure_of_the_rig_in_the_trial_of_a_change_is_kept(tmp_path: Path) -> None:
    full = VoidError(Problem(what="no space left", mend="free some", code="recording.disk-full"))
    trials = FakeProofTrials({}, {})

    def run_trial(spec: TrialSpec, folder: RunFolder) -> None:
        if not spec.is_base:
            raise full
        trials(spec, folder)

    pairs = pairs_of(tmp_path, trials, "throughput", HALF_RATE, 0.5)
    pairs._runner.run_trial = run_trial
    with patch("loadrig.proving.rest.wait"):
        pairs.run()
    assert pairs._runner.failure is full
    assert [skip.code for skip in pairs.skipped] == ["recording.disk-full"]


def ticks_of(rates: Sequence[int]) -> list[FrameCounts]:
    """Return the frames of a load, two a second, with some good answers each second."""
    half_ns = 500_000_000
    return [
        FrameCounts((place + 1) * half_ns, half_ns, rates[place // 2] // 2, rates[place // 2] // 2, 1.0, 0)
        for place in range(2 * len(rates))
    ]


def test_a_trial_shows_by_its_seconds_how_sure_it_is() -> None:
    assert scatter_within("throughput", ticks_of([200] * 6)) == 0.0
    shaken = scatter_within("throughput", ticks_of([200, 100, 200, 100, 200, 100]))
    assert shaken == pytest.approx(0.38 / 6**0.5, rel=0.05)
    assert scatter_within("latency", ticks_of([200, 100, 200, 100])) > 0
    assert scatter_within("throughput", ticks_of([200, 100, 200])) == 0.0
    assert scatter_within("dips", ticks_of([200, 100] * 6)) == 0.0
