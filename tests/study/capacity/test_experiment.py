"""The search while load runs: what the generator is told, and when."""

from typing import Any, cast

from loadrig.base.running import Address, RunningTarget
from loadrig.recording.frame import Frame
from loadrig.study.capacity.experiment import CapacityExperiment
from loadrig.study.capacity.goals import Goals, ShareGoal
from loadrig.study.capacity.tick import Tick
from loadrig.testing.engine_frames import NS, engine_frame, row
from loadrig.trial.spec import Stage

GOALS = Goals((ShareGoal("p99 < 200ms", 0.01, 0.2),))


class Script:
    """In the place of a search: does one thing after the other, a frame each, whatever it sees."""

    is_over = False

    def __init__(self, *steps: tuple[str, float]) -> None:
        self._steps = list(steps)

    @property
    def doing(self) -> str:
        return self._steps[0][0]

    @property
    def level(self) -> float:
        return self._steps[0][1]

    def see(self, tick: Tick) -> float:
        assert tick.done
        if len(self._steps) > 1:
            self._steps.pop(0)
        return self.level


def levels_set(*steps: tuple[str, float]) -> list[float | str]:
    """Return what the generator is told, in order."""
    calls: list[float | str] = []

    def level(to: float) -> int:
        calls.append(to)
        return 0

    experiment = CapacityExperiment(cast(Any, Script(*steps)), GOALS, warm_up_s=0.0, level_most=1_000.0)
    target = RunningTarget(Address("127.0.0.1", 8000))
    experiment.begin(Stage(target, tuple, lambda _: None, (), 0, level, calls.append))
    for n in range(len(steps)):
        experiment.see(Frame.live(engine_frame(n, n * NS, NS, [row("ok", [0.01])])))
    return calls


def test_what_follows_a_drain_begins_on_new_connections() -> None:
    why = "what had piled up is worked off"
    steps = (("search", 900.0), ("drain", 10.0), ("drain", 10.0), ("search", 800.0), ("search", 820.0))
    assert levels_set(*steps) == [10.0, why, 800.0, 820.0]
