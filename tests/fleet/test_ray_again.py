"""Fresh actors in place of lost ones, with a Ray that is made up: which of several tries is kept."""

import socket
import sys
import types
from collections.abc import Callable
from contextlib import ExitStack
from typing import Any

import pytest

from loadrig.fleet import _ray_again
from loadrig.fleet._ray_again import first_that_answers, first_to_answer


class RayError(Exception):
    """Error of the made-up Ray."""


class GetTimeoutError(RayError):
    """Error where nothing came in time."""


class MadeUpRay(types.ModuleType):
    """Ray whose actors are names, and whose references are functions that answer, or None for never."""

    def __init__(self) -> None:
        super().__init__("ray")
        self.killed: list[str] = []
        self.exceptions = types.SimpleNamespace(RayError=RayError, GetTimeoutError=GetTimeoutError)

    def kill(self, actor: str) -> None:
        self.killed.append(actor)

    def wait(self, pending: list[Any], **_: Any) -> tuple[list[Any], list[Any]]:
        ready = [each for each in pending if each.answer is not None][:1]
        return ready, [each for each in pending if each not in ready]

    def get(self, reference: Any) -> Any:
        return reference.answer()


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> MadeUpRay:
    made_up = MadeUpRay()
    monkeypatch.setitem(sys.modules, "ray", made_up)
    monkeypatch.setattr(_ray_again, "PAUSE_S", 0.0)
    return made_up


class Reference:
    """Reference of an answer; None for one that never comes."""

    def __init__(self, answer: Callable[[], str] | None) -> None:
        self.answer = answer


def fails() -> str:
    raise RayError


def started(answers: dict[str, Callable[[], str] | None], names: list[str]) -> Callable[[str | None], Any]:
    """Return what starts an actor at a place, whose name is that of the place and its number."""

    def start(node: str | None) -> tuple[str, Reference]:
        names.append(f"{node} {len(names)}")
        return names[-1], Reference(answers[str(node)])

    return start


def test_no_wait_for_one_place_keeps_another_one_from_being_tried(ray: MadeUpRay) -> None:
    # Ray has moved what it keeps for the part onto the core that was found free.
    places: list[str | None] = ["spare", "spare", None]
    names: list[str] = []
    start = started({"spare": None, "None": lambda: "there"}, names)
    actor, answer = first_to_answer(lambda: places.pop(0), start, 60.0)
    assert (actor, answer) == ("None 1", "there")
    assert names == ["spare 0", "None 1"]
    assert ray.killed == ["spare 0"]


def test_a_place_where_an_actor_dies_is_tried_again(ray: MadeUpRay) -> None:
    results: list[Callable[[], str]] = [fails, fails, lambda: "there"]
    names: list[str] = []

    def start(node: str | None) -> tuple[str, Reference]:
        names.append(f"{node} {len(names)}")
        return names[-1], Reference(results[len(names) - 1])

    assert first_to_answer(lambda: None, start, 60.0) == ("None 2", "there")
    assert ray.killed == ["None 0", "None 1"]


@pytest.mark.parametrize(("answer", "error"), [(None, GetTimeoutError), (fails, RayError)])
def test_where_none_answers_in_time_the_last_failure_is_said_and_none_is_left(
    ray: MadeUpRay, answer: Callable[[], str] | None, error: type[Exception]
) -> None:
    names: list[str] = []
    with pytest.raises(error):
        first_to_answer(lambda: "spare", started({"spare": answer}, names), 0.05)
    assert names
    assert ray.killed == names


def test_the_first_node_in_their_order_that_takes_connections_is_chosen() -> None:
    with ExitStack() as stack:
        servers = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        raylets = {str(number): f"127.0.0.1:{each.getsockname()[1]}" for number, each in enumerate(servers)}
        assert first_that_answers({"gone": "127.0.0.1:1", **raylets}) == "0"
    assert first_that_answers(raylets) is None
    assert first_that_answers({}) is None
