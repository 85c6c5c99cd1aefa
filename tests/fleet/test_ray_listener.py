"""Listener to actors, without Ray: answers lost on their way are given again, and none comes twice."""

import sys
import threading
import time
import types
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from loadrig.fleet import _ray_actor, _ray_listener, _ray_merger
from loadrig.fleet._ray_actor import GENERATOR, GeneratorActor
from loadrig.fleet._ray_listener import SILENT, ActorListener
from loadrig.fleet._ray_merger import MergerActor
from loadrig.fleet._ray_stalls import STALLED_AFTER_S

DEADLINE_S = 30.0

PROGRAM = "import sys; [print(n, flush=True) for n in range(3)]; sys.stdin.read()"


class LostAnswer(Exception):
    """Error that Ray has where the connection to an actor was reset."""


@pytest.fixture(autouse=True)
def ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a made-up Ray in its place, whose references are functions that give the answer."""
    made_up = types.ModuleType("ray")
    exceptions = types.SimpleNamespace(RayError=LostAnswer, ActorUnavailableError=LostAnswer)
    monkeypatch.setattr(made_up, "exceptions", exceptions, raising=False)
    monkeypatch.setattr(made_up, "get", lambda reference: reference(), raising=False)
    monkeypatch.setattr(made_up, "wait", lambda pending, **_: (pending[:1], pending[1:]), raising=False)
    monkeypatch.setitem(sys.modules, "ray", made_up)
    monkeypatch.setattr(_ray_listener, "RETRIES_EVERY_S", 0.01)


class FarActor:
    """Actor whose answers are lost on their way, where the next of `losses` says so."""

    def __init__(self, lines: Callable[..., Any], losses: Sequence[bool]) -> None:
        self._lines, self._losses = lines, deque(losses)
        self.lines = types.SimpleNamespace(remote=self._asked)

    def _asked(self, line_count: int, *times_s: float) -> Callable[[], Any]:
        answer = self._lines(line_count, *times_s)
        is_lost = bool(self._losses) and self._losses.popleft()

        def get() -> Any:
            if is_lost:
                raise LostAnswer
            return answer

        return get


def heard_of(actor: FarActor) -> tuple[list[bytes], str]:
    """Return what a listener takes of an actor until its end, and how that was."""
    lines: list[bytes] = []
    ends: list[str] = []

    def take(_: int, more: list[bytes], end: str | None) -> None:
        lines.extend(more)
        if end is not None:
            ends.append(end)
            listener.stop()

    listener = ActorListener({0: actor}, take)
    thread = threading.Thread(target=listener.listen)
    thread.start()
    thread.join(DEADLINE_S)
    return lines, ends[0]


@pytest.mark.parametrize("losses", [[], [True], [False, True, True, False, True], [True] * 6])
def test_an_answer_that_is_lost_on_its_way_is_given_again(
    losses: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ray_actor, "program", lambda _: [sys.executable, "-c", PROGRAM])
    monkeypatch.setattr(_ray_actor, "BEAT_S", 0.2)
    monkeypatch.setattr(GeneratorActor, "_look", lambda *_: None)  # a thread that ends with its process
    actor = GeneratorActor(GENERATOR, {})
    threading.Timer(1.0, actor.end, [DEADLINE_S]).start()
    assert heard_of(FarActor(actor.lines, losses)) == ([b"0", b"1", b"2"], "")
    assert actor._process.stdout is not None
    actor._process.stdout.close()
    actor._log.close()


@pytest.mark.parametrize("losses", [[True], [False, True, True, False, True]])
def test_what_a_merger_passes_on_and_is_lost_is_given_again(
    losses: list[bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ray_merger, "BEAT_S", 0.01)
    monkeypatch.setattr(MergerActor, "_look", lambda _: None)  # threads that end with its process
    monkeypatch.setattr(ActorListener, "listen", lambda _: None)
    merger = MergerActor(0, {})
    news: list[bytes] = []
    for number, is_lost in enumerate([*losses, False]):
        merger._passed.put((0, str(number).encode(), ""))
        passed, _ = merger.lines(len(news), time.monotonic(), 0.0)
        if not is_lost:
            news += [line for _, line, _ in passed if line is not None]
    passed, _ = merger.lines(len(news), time.monotonic(), 0.0)
    news += [line for _, line, _ in passed if line is not None]
    assert news == [str(number).encode() for number in range(len(losses) + 1)]


def test_answers_that_are_lost_together_are_waited_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    def wait(pending: list[Any], num_returns: int, timeout: float) -> tuple[list[Any], list[Any]]:
        del timeout
        return pending[:num_returns], pending[num_returns:]

    pauses_s: list[float] = []
    monkeypatch.setattr(sys.modules["ray"], "wait", wait)
    monkeypatch.setattr("loadrig.fleet._ray_listener.time.sleep", pauses_s.append)
    ended: list[int] = []

    def take(index: int, _: list[bytes], end: str | None) -> None:
        if end is not None:
            ended.append(index)

    actors = {index: FarActor(lambda *_: ([], True), [True]) for index in range(5)}
    listener = ActorListener(actors, take)
    listener._listen_once()
    assert (ended, len(pauses_s)) == ([], 1)
    listener._listen_once()
    assert sorted(ended) == list(actors)


def test_an_actor_that_stays_away_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ray_listener, "FORGOTTEN_AFTER_S", 0.2)
    monkeypatch.setattr(_ray_listener, "WAIT_S", 0.01)
    actor = FarActor(
        lambda line_count, *_: ([b"0"] if not line_count else [], False), [False] + [True] * 1_000
    )
    assert heard_of(actor) == ([b"0"], SILENT)


def test_the_silent_are_those_that_were_asked_and_are_late_and_may_be_anywhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    places = {"a": {"Address": {"IPAddress": "10.0.0.1", "Port": 7}}, "b": {}}
    private = types.ModuleType("ray._private")
    monkeypatch.setattr(private, "state", types.SimpleNamespace(actors=places.__getitem__), raising=False)
    monkeypatch.setitem(sys.modules, "ray._private", private)

    def actor(name: str) -> types.SimpleNamespace:
        return types.SimpleNamespace(_actor_id=types.SimpleNamespace(hex=lambda: name))

    # The place of one of them is not to be had, and the last was never asked.
    actors = {0: actor("a"), 1: actor("b"), 2: actor("a")}
    listener = ActorListener(actors, lambda *_: None)
    listener._asked = {"first": (0, actors[0]), "second": (1, actors[1])}
    assert list(listener._silent_addresses()) == []
    for index in actors:
        listener._heard_s[index] -= STALLED_AFTER_S
    assert list(listener._silent_addresses()) == [("10.0.0.1", 7)]
    listener.leave(0)
    assert list(listener._silent_addresses()) == []
