"""A spike while it runs: the load is raised and lowered when it is time, and watched until it is calm."""

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import cast

from syrupy.assertion import SnapshotAssertion

from loadrig.base.running import Address, RunningTarget
from loadrig.base.series import Event
from loadrig.recording.frame import Frame
from loadrig.study.spike.experiment import LONGER, SpikeExperiment
from loadrig.trial.spec import Stage

NS = 1_000_000_000
START_NS = 3 * NS
BEFORE_S, LENGTH_S, AFTER_S, WARM_UP_S = 10.0, 5.0, 20.0, 2.0


@dataclass
class SpikeRig:
    """Says what was asked of it."""

    now_ns: int = START_NS
    levels: list[tuple[float, float]] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def level(self, to: float) -> int:
        self.levels.append(((self.now_ns - START_NS) / NS, to))
        return self.now_ns

    def stage(self) -> Stage:
        target = RunningTarget(Address("127.0.0.1", 8000))
        return Stage(target, tuple, self.events.append, (), START_NS, self.level)


def run(drains_s: float) -> tuple[SpikeRig, SpikeExperiment, float]:
    """Return a server that has 5 in flight, in the spike 500, and after it takes so long to be calm again."""
    rig = SpikeRig()
    experiment = SpikeExperiment(
        100.0, 4.0, warm_up_s=WARM_UP_S, before_s=BEFORE_S, length_s=LENGTH_S, after_s=AFTER_S
    )
    experiment.begin(rig.stage())
    down_s = WARM_UP_S + BEFORE_S + LENGTH_S
    step = 0
    while not experiment.why_over() and step < 1_000:
        t_ns = START_NS + step * NS // 4
        rig.now_ns = t_ns + NS // 4
        s = (rig.now_ns - START_NS) / NS
        busy = down_s - LENGTH_S < s <= down_s + drains_s
        frame = SimpleNamespace(end_ns=rig.now_ns, in_flight=500 if busy else 5)
        experiment.see(cast("Frame", frame))
        step += 1
    return rig, experiment, (rig.now_ns - START_NS) / NS


def test_the_load_is_raised_after_the_base_line_and_lowered_after_the_spike() -> None:
    rig, experiment, over_s = run(drains_s=3.0)
    assert rig.levels == [(12.0, 400.0), (17.0, 100.0)]
    assert over_s == 17.0 + AFTER_S
    assert experiment.level_most == 400.0
    assert experiment.measured() is None
    assert [event.text for event in rig.events] == ["calm"]


def test_what_is_not_calm_yet_is_watched_longer() -> None:
    _, _, over_s = run(drains_s=30.0)
    assert 17.0 + 30.0 <= over_s <= 17.0 + 31.0


def test_it_is_not_watched_for_ever(snapshot: SnapshotAssertion) -> None:
    rig, _, over_s = run(drains_s=1e9)
    assert over_s == 17.0 + LONGER * AFTER_S
    (event,) = rig.events
    assert event.text.startswith("500 ")
    assert event.text == snapshot
