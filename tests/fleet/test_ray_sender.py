"""Lines to actors, without Ray: each gets there once and in its order, or its generator is lost."""

import io
import sys
import threading
import types
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from loadrig.fleet import _ray_actor, _ray_carrier, _ray_sender
from loadrig.fleet._ray_actor import GENERATOR, GeneratorActor
from loadrig.fleet._ray_carrier import Carrier

DEADLINE_S = 30.0

ECHO = "import sys; [print(line, end='', flush=True) for line in sys.stdin]"

CALL, ANSWER, NOTHING = "call", "answer", ""
"""Parts of a call that are lost: all of it, its answer alone, none."""


class UnknownFate(Exception):
    """Error that Ray has where it knows nothing of a call: the connection to its actor was reset."""


@pytest.fixture(autouse=True)
def ray(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a made-up Ray in its place, whose references are functions that give the answer."""
    made_up = types.ModuleType("ray")
    exceptions = types.SimpleNamespace(
        RayError=UnknownFate, ActorUnavailableError=UnknownFate, GetTimeoutError=TimeoutError
    )
    monkeypatch.setattr(made_up, "exceptions", exceptions, raising=False)
    monkeypatch.setattr(made_up, "get", lambda reference, **_: reference(), raising=False)
    monkeypatch.setattr(made_up, "wait", lambda pending, **_: (pending[:1], pending[1:]), raising=False)
    monkeypatch.setitem(sys.modules, "ray", made_up)
    monkeypatch.setattr(_ray_sender, "RETRIES_EVERY_S", 0.01)
    monkeypatch.setattr(_ray_sender, "WAIT_S", 0.01)
    monkeypatch.setattr(_ray_carrier, "LOOKS_AGAIN_S", 0.01)


class DistantActor:
    """Actor of which calls of `send` are lost in part, as `losses` says of one after the other."""

    def __init__(self, actor: GeneratorActor, losses: Sequence[str]) -> None:
        self._actor, self._losses = actor, deque(losses)
        self.send = types.SimpleNamespace(remote=self._sent)
        self.clock = types.SimpleNamespace(remote=lambda sent: lambda: actor.clock(sent))

    def _sent(self, *words: Any) -> Callable[[], Any]:
        loss = self._losses.popleft() if self._losses else NOTHING
        answer = None if loss == CALL else self._actor.send(*words)

        def get() -> Any:
            if loss != NOTHING:
                raise UnknownFate
            return answer

        return get


def carried(
    orders: bytes, losses: Sequence[str], monkeypatch: pytest.MonkeyPatch
) -> tuple[list[bytes], bytes]:
    """Return the lines that a generator took of what was ordered, and what was said first."""
    monkeypatch.setattr(_ray_actor, "program", lambda _: [sys.executable, "-c", ECHO])
    monkeypatch.setattr(GeneratorActor, "_look", lambda *_: None)  # threads that do not end
    monkeypatch.setattr(Carrier, "_write", lambda _: None)
    actor = GeneratorActor(GENERATOR, {})
    cluster = types.SimpleNamespace(actors=[DistantActor(actor, losses)], mergers=[], groups=[])
    carrier = Carrier(cast(Any, cluster), io.BytesIO())
    delivery = threading.Thread(target=carrier.deliver)
    delivery.start()
    carrier.obey(io.BytesIO(orders))
    word = carrier._lines.get(timeout=DEADLINE_S)
    carrier._sender.stop()
    delivery.join(DEADLINE_S)
    assert actor._process.stdin is not None
    assert actor._process.stdout is not None
    actor._process.stdin.close()
    lines = actor._process.stdout.read().splitlines()
    actor.end(DEADLINE_S)
    actor._process.stdout.close()
    actor._log.close()
    return lines, word


@pytest.mark.parametrize(
    "losses",
    [
        [],
        [CALL],
        [ANSWER],
        [NOTHING, CALL],
        [NOTHING, ANSWER, CALL],
        [CALL, NOTHING, ANSWER, CALL],
        [CALL, CALL, CALL, ANSWER, CALL],
    ],
)
def test_every_line_comes_once_and_in_its_order_before_the_clock_is_read(
    losses: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines, word = carried(b"S 0 begin\nS 0 level\nC 0\n", losses, monkeypatch)
    assert lines == [b"begin", b"level"]
    assert word.startswith(b"C 0 ")


def test_a_generator_that_no_line_reaches_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ray_sender, "FORGOTTEN_AFTER_S", 0.2)
    lines, word = carried(b"S 0 begin\n", [CALL] * 1_000, monkeypatch)
    assert lines == []
    assert word == b"E 0 UnknownFate"
