"""Loss of what a carrier has over Ray, with a Ray that is made up: who waits for whom, and for how long."""

import io
import sys
import types
from collections.abc import Callable
from typing import Any, cast

import pytest

from loadrig.fleet import _ray_carrier
from loadrig.fleet._ray_actor import STOPPED_AFTER_S
from loadrig.fleet._ray_carrier import Carrier
from loadrig.fleet._ray_listener import SILENT, WAIT_S
from loadrig.fleet._ray_merger import MERGER_LOST

ASKED_BEFORE_S = 8.0
"""Time since which a lost merger was asked nothing, in seconds."""

TOLERANCE_S = 1.0
"""Longest time that a step of a test takes, in seconds."""


class NoAnswer(Exception):
    """Error of the made-up Ray for whatever has no answer."""


class ActorDiedError(NoAnswer):
    """Error of the made-up Ray where an actor has died."""


class SilentRay(types.ModuleType):
    """Ray whose references are functions that answer, and that keeps how long was waited for each."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.exceptions = types.SimpleNamespace(RayError=NoAnswer, ActorDiedError=ActorDiedError)
        self.waits_s: list[float] = []

    def get(self, reference: Callable[[], Any], timeout: float) -> Any:
        self.waits_s.append(timeout)
        return reference()


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> SilentRay:
    made_up = SilentRay()
    monkeypatch.setitem(sys.modules, "ray", made_up)
    monkeypatch.setattr(Carrier, "_write", lambda _: None)  # a thread that does not end
    monkeypatch.setattr(_ray_carrier, "LOOKS_AGAIN_S", 0.0)
    return made_up


class AbsentActor:
    """Actor whose calls are kept, and have no answer unless one is given."""

    def __init__(self, **answers: Any) -> None:
        self.calls: list[str] = []
        self._answers = answers

    def __getattr__(self, name: str) -> Any:
        return types.SimpleNamespace(remote=lambda *_: self._called(name))

    def _called(self, name: str) -> Callable[[], Any]:
        self.calls.append(name)

        def answer() -> Any:
            if name not in self._answers:
                raise NoAnswer
            return self._answers[name]

        return answer


def carrier_of(actors: list[AbsentActor], mergers: list[AbsentActor]) -> Carrier:
    groups = [range(number, number + 1) for number in range(len(mergers))]
    cluster = types.SimpleNamespace(actors=actors, mergers=mergers, groups=groups)
    cluster.replace_merger = lambda number: mergers[number]
    return Carrier(cast(Any, cluster), io.BytesIO())


def said_by(carrier: Carrier) -> list[bytes]:
    lines = []
    while not carrier._lines.empty():
        lines.append(carrier._lines.get())
    return lines


def test_nobody_waits_for_the_end_of_one_that_is_lost_before_a_fresh_one_is_asked_for(
    ray: SilentRay,
) -> None:
    carrier = carrier_of([AbsentActor(), AbsentActor()], [])
    carrier._take(0, [], SILENT)
    assert carrier._answer(b"X", 0, b"") == b"X 0"
    assert ray.waits_s == []
    assert carrier._actors[0].calls == ["end"]
    # One that lives is waited for.
    assert carrier._answer(b"X", 1, b"") == b"U 1"
    assert len(ray.waits_s) == 1


def test_a_generator_has_surely_ended_by_when_its_lost_merger_was_last_asked(ray: SilentRay) -> None:
    carrier = carrier_of([AbsentActor(), AbsentActor()], [AbsentActor(), AbsentActor()])
    listener = carrier._listener
    listener._asked_s[1] -= ASKED_BEFORE_S
    carrier._take_passed(1, [], SILENT)
    assert said_by(carrier)[-1] == f"E 1 {MERGER_LOST} 1 {SILENT}".encode()
    assert carrier._unasked_s(1) == pytest.approx(ASKED_BEFORE_S, abs=TOLERANCE_S)
    carrier._wait_for_end(1)
    # No wait is longer than what is left, however long an answer may take.
    assert max(ray.waits_s) <= STOPPED_AFTER_S - ASKED_BEFORE_S
    assert carrier._unasked_s(1) == pytest.approx(STOPPED_AFTER_S, abs=TOLERANCE_S + WAIT_S)


def test_a_lost_generator_waits_for_its_merger_to_answer_or_to_be_lost(
    ray: SilentRay, monkeypatch: pytest.MonkeyPatch
) -> None:
    actors, mergers = [AbsentActor(), AbsentActor()], [AbsentActor(leave=None), AbsentActor()]
    carrier = carrier_of(actors, mergers)
    carrier._leave(0)
    assert mergers[0].calls == ["leave"]

    def lose(_: float) -> None:
        if len(mergers[1].calls) == 3:
            carrier._take_passed(1, [], SILENT)

    monkeypatch.setattr("loadrig.fleet._ray_carrier.time.sleep", lose)
    carrier._leave(1)
    assert mergers[1].calls == ["leave"] * 3


def test_a_fresh_merger_is_started_once_for_all_that_a_lost_one_had(ray: SilentRay) -> None:
    carrier = carrier_of([AbsentActor(), AbsentActor()], [AbsentActor(), AbsentActor()])
    started: list[int] = []

    def start(number: int) -> AbsentActor:
        started.append(number)
        if number:
            raise NoAnswer
        return AbsentActor()

    vars(carrier._cluster)["replace_merger"] = start
    carrier._mend_merger(0)
    assert started == []
    for number in range(2):
        carrier._take_passed(number, [], SILENT)
    for _ in range(2):
        carrier._mend_merger(0)
        with pytest.raises(NoAnswer):
            carrier._mend_merger(1)
    assert started == [0, 1]
