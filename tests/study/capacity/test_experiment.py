"""The search while load runs: what the generator is told, and when."""

from typing import Any, cast

from loadrig.base.clock import NS
from loadrig.base.documents import typed
from loadrig.base.running import Address, RunningTarget
from loadrig.base.series import Event
from loadrig.recording.frame import Frame
from loadrig.recording.level_look import LOOK_KIND, LevelLook
from loadrig.study.capacity.answer import sides
from loadrig.study.capacity.experiment import CapacityExperiment
from loadrig.study.capacity.goals import Goals, ShareGoal
from loadrig.study.capacity.search import Search
from loadrig.study.capacity.tick import Tick
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.trial.spec import Stage

GOALS = Goals((ShareGoal("p99 < 200ms", 0.01, 0.2),))


class Script:
    """In the place of a search: does one thing after the other, a frame each, whatever it sees."""

    is_over = False
    looks: tuple[()] = ()

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


def test_each_look_that_is_over_is_told_once_with_the_levels_between_which_the_limit_lies() -> None:
    events: list[Event] = []
    search = Search(GOALS, first=10.0, most=40.0, budget_s=60.0)
    experiment = CapacityExperiment(search, GOALS, warm_up_s=0.0, level_most=1_000.0)
    target = RunningTarget(Address("127.0.0.1", 8000))
    experiment.begin(Stage(target, tuple, events.append, (), 0, lambda _: 0))
    n = 0
    while not search.is_over:
        # At 40 a second every answer is late.
        times = [0.01 if search.level < 40.0 else 0.5] * max(1, int(search.level / 4))
        frame = engine_frame(n, n * NS // 4, NS // 4, [row("ok", times)], in_flight=1)
        experiment.see(Frame.live(frame))
        n += 1
    looks = [typed(LevelLook, event.facts, "a look") for event in events]
    assert {event.kind for event in events} == {LOOK_KIND}
    assert [look.level for look in looks] == [probe.level for probe in search.probes]
    assert [look.level for look in looks[:3]] == [10.0, 20.0, 40.0]
    assert [look.leans for look in looks[:3]] == ["meets", "meets", "fails"]
    assert (looks[2].verdict, looks[2].at_most) == ("fails", 40.0)
    assert (looks[-1].at_least, looks[-1].at_most) == sides(search.probes)
