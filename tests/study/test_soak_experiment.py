"""A soak while it runs: over early when it is sure, in constant memory; and the plans it takes."""

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import Component
from loadrig.base.errors import PlanError
from loadrig.base.running import Address, RunningTarget
from loadrig.base.series import Event, Sample
from loadrig.plan.load import load
from loadrig.recording.frame import Frame, RouteCount
from loadrig.soaking.stop import Stopping
from loadrig.study.carry_out import planned
from loadrig.study.soak.experiment import SoakExperiment
from loadrig.study.strategies.soak import SoakStudy
from loadrig.trial.spec import Stage
from tests.wording import shape

NS = 1_000_000_000
START_NS = 7 * NS
RATE = 200
SERVER = Component("server", "gunicorn", runtime="cpython", pid=100, limits={"memory_bytes": 1e9})


def stage(events: list[Event], components: tuple[Component, ...] = (SERVER,)) -> Stage:
    target = RunningTarget(Address("127.0.0.1", 8000), 100)
    return Stage(target, lambda: components, events.append, (), START_NS, lambda _: 0)


def frames(seconds: int) -> Iterator[Frame]:
    for second in range(seconds):
        t_ns, routes = START_NS + second * NS, (RouteCount("/", "service", "ok", RATE),)
        yield cast("Frame", SimpleNamespace(t_ns=t_ns, end_ns=t_ns + NS, routes=routes))


def memory(t_ns: int, requests: float, leak: float, noise: float) -> list[Sample]:
    return [
        Sample(t_ns, "process", "pss_bytes", f"pid:{pid}", 60e6 + leak / 2 * requests + noise)
        for pid in (101, 102)
    ]


def run(experiment: SoakExperiment, leak: float, seconds: int, component: str = "server") -> int:
    """Until it is over; returns after how many seconds that was."""
    noise = np.random.default_rng(1).normal(0, 0.05e6, seconds)
    for second, frame in enumerate(frames(seconds)):
        experiment.hear(memory(frame.t_ns, second * RATE, leak, float(noise[second])), component)
        experiment.see(frame)
        if experiment.why_over():
            return second
    return seconds


def soak(*, ends_early: bool = True, needs_all: bool = False) -> SoakExperiment:
    return SoakExperiment(Stopping(), warm_up_s=5.0, ends_early=ends_early, needs_all=needs_all)


def test_a_leak_that_is_known_well_ends_it_and_the_look_is_kept(snapshot: SnapshotAssertion) -> None:
    events: list[Event] = []
    experiment = soak()
    experiment.begin(stage(events))
    took = run(experiment, 2_000.0, 3_600)
    assert 600 < took < 3_600
    assert experiment.why_over().startswith("server memory: ")
    assert "10 %" in experiment.why_over()
    assert experiment.why_over() == snapshot
    assert [event.kind for event in events] == ["look"] * len(experiment.decisions)
    size = experiment.decisions[-1].levels["server memory"].size
    assert size is not None
    assert size.low <= 2_000 <= size.high


def test_a_server_that_holds_what_it_has_ends_it_too(snapshot: SnapshotAssertion) -> None:
    experiment = soak()
    experiment.begin(stage([]))
    assert run(experiment, 0.0, 3_600) < 3_600
    assert shape(experiment.why_over()) == snapshot
    assert all(level.word == "harmless" for level in experiment.decisions[-1].levels.values())


@pytest.mark.parametrize(("ends_early", "needs_all", "leak"), [(False, False, 2_000.0), (True, True, 0.0)])
def test_it_goes_on_where_all_of_it_is_asked_for(ends_early: bool, needs_all: bool, leak: float) -> None:
    experiment = soak(ends_early=ends_early, needs_all=needs_all)
    experiment.begin(stage([]))
    assert run(experiment, leak, 3_600) == 3_600


def test_a_leak_ends_it_also_where_a_goal_is_to_hold_throughout() -> None:
    experiment = soak(needs_all=True)
    experiment.begin(stage([]))
    assert run(experiment, 2_000.0, 3_600) < 3_600


def test_heaps_and_databases_are_not_judged_while_it_runs() -> None:
    heap = Component("server", "tomcat", runtime="jvm", pid=100)
    experiment = soak()
    experiment.begin(stage([], (heap,)))
    assert run(experiment, 0.0, 2_000) == 2_000
    experiment = soak()
    experiment.begin(stage([], (Component("redis", "redis", pid=9),)))
    assert run(experiment, 5_000.0, 2_000, "redis") == 2_000
    assert all(not decision.levels for decision in experiment.decisions)


def _size(value: object, ids: set[int]) -> int:
    """Bytes of all that hangs on an object."""
    if id(value) in ids or isinstance(value, type):
        return 0
    ids.add(id(value))
    size = sys.getsizeof(value)
    inner: list[object] = []
    if isinstance(value, dict):
        inner = [*value.keys(), *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        inner = list(value)
    inner += [getattr(value, name) for name in getattr(type(value), "__slots__", ()) if hasattr(value, name)]
    inner += list(getattr(value, "__dict__", {}).values())
    return size + sum(_size(part, ids) for part in inner)


def test_hours_take_no_more_memory_than_minutes() -> None:
    sizes = []
    experiment = soak(ends_early=False)
    experiment.begin(stage([]))
    for second, frame in enumerate(frames(6_000)):
        experiment.hear(memory(frame.t_ns, second * RATE, 500.0, float(second % 7)), "server")
        experiment.see(frame)
        if second in (1_500, 5_999):
            sizes.append(_size(experiment._following, set()))
    assert sizes[1] <= 1.2 * sizes[0]


PLAN = """
loadrig: 1
name: soaked
target: {external: http://127.0.0.1:8000}
workload: {%s, requests: [{get: /}]}
%s
study: {find: soak, for: 4h}
"""


def written(folder: Path, load_text: str, more: str = "") -> Path:
    path = folder / "plan.yaml"
    path.write_text(PLAN % (load_text, more), encoding="utf-8")
    return path


def test_the_trial_is_as_long_as_the_plan_says(tmp_path: Path) -> None:
    strategy = planned(load(written(tmp_path, "rate: 100/1s", 'goals: ["p95 < 1s for 30s"]')))
    assert isinstance(strategy, SoakStudy)
    (spec,) = strategy.ask()
    assert float(spec.plan.trial.measure.at_least) == 14_400
    assert float(spec.plan.trial.measure.at_most) == 14_400
    assert isinstance(spec.experiment, SoakExperiment)
    assert spec.experiment.frame_s == 1.0


@pytest.mark.parametrize("find", ["soak", "spike"])
@pytest.mark.parametrize(
    "load_text", ["rate: {stages: [{to: 100/1s, hold: 10s}]}", "users: 5, limit: {requests: 100}"]
)
def test_a_load_that_ends_by_itself_is_refused(tmp_path: Path, load_text: str, find: str) -> None:
    path = written(tmp_path, load_text)
    path.write_text(path.read_text(encoding="utf-8").replace("find: soak, for: 4h", f"find: {find}"))
    with pytest.raises(PlanError) as caught:
        planned(load(path))
    assert [problem.code for problem in caught.value.problems] == ["study.no-constant-load"]


def test_a_spike_needs_a_load_that_can_be_raised(tmp_path: Path) -> None:
    path = written(tmp_path, "rate: 0")
    path.write_text(path.read_text(encoding="utf-8").replace("find: soak, for: 4h", "find: spike"))
    with pytest.raises(PlanError) as caught:
        planned(load(path))
    assert [problem.code for problem in caught.value.problems] == ["study.no-constant-load"]
