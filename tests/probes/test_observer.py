import threading
from collections import namedtuple
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loadrig.base import members
from loadrig.base.running import Address, RunningTarget
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes import Observer, Unavailable
from loadrig.probes._observer import Attached, next_tick

HERE = RunningTarget(Address("127.0.0.1", 1))
METRICS = {"n": Metric("1", "counter", "Samples taken.")}


class Sink:
    """Keeps what it is given, and counts so that a test can wait for it."""

    def __init__(self) -> None:
        self.taken: list[Sample] = []
        self.happened: list[Event] = []
        self.enough = threading.Event()

    def samples(self, samples: list[Sample]) -> None:
        self.taken += samples
        if len(self.taken) >= 5:
            self.enough.set()

    def event(self, event: Event) -> None:
        self.happened.append(event)


class Counting:
    """A session that counts its samples and fails at the one it is told."""

    def __init__(self, fails_at: int = -1) -> None:
        self.n = 0
        self.detached = 0
        self._fails_at = fails_at

    def sample(self, t_ns: int) -> list[Sample]:
        self.n += 1
        if self.n == self._fails_at:
            raise ValueError("no such line")
        return [Sample(t_ns, "counting", "n", "", self.n)]

    def events(self) -> list[Event]:
        return [Event(1, "note", "counting", "first")] if self.n == 1 else []

    def detach(self) -> None:
        self.detached += 1


def observer(sink: Sink, *sessions: Counting, every_s: float = 1.0) -> Observer:
    return Observer([Attached(f"p{n}", one, METRICS) for n, one in enumerate(sessions)], every_s, sink)


def test_a_tick_hands_on_what_every_probe_read_and_what_happened() -> None:
    sink = Sink()
    watching = observer(sink, Counting(), Counting())
    watching.tick(7)
    watching.tick(8)
    assert [(one.t_ns, one.value) for one in sink.taken] == [(7, 1), (7, 1), (8, 2), (8, 2)]
    assert [event.text for event in sink.happened] == ["first", "first"]


def test_a_probe_that_fails_is_detached_and_said_and_the_others_go_on() -> None:
    sink, good, bad = Sink(), Counting(), Counting(fails_at=2)
    watching = observer(sink, bad, good)
    for t_ns in range(4):
        watching.tick(t_ns)
    assert bad.detached == 1
    assert bad.n == 2
    assert good.n == 4
    failed = [event for event in sink.happened if event.kind == "probe_failed"]
    assert [event.subject for event in failed] == ["p0"]
    assert "ValueError: no such line" in failed[0].text
    assert "no such line" in failed[0].facts["trace"]
    assert watching.cost()["probes"].keys() == {"p0", "p1"}
    assert "p0.n" in watching.metrics()


def test_a_probe_whose_detaching_fails_does_not_stop_the_observer(capsys: pytest.CaptureFixture[str]) -> None:
    class Sticky(Counting):
        def detach(self) -> None:
            raise OSError("stuck")

    good = Counting()
    with observer(Sink(), good, Sticky()):
        pass
    assert good.detached == 1
    assert "stuck" in capsys.readouterr().err


@pytest.mark.integration
def test_the_thread_samples_until_it_is_stopped_and_leaves_nothing() -> None:
    sink, session = Sink(), Counting()
    watching = observer(sink, session, every_s=0.01)
    before = threading.active_count()
    with watching:
        assert sink.enough.wait(timeout=10)
    assert threading.active_count() == before
    assert session.detached == 1
    times = [one.t_ns for one in sink.taken]
    assert times == sorted(times)
    cost = watching.cost()
    assert cost["ticks"] == cost["samples"] == session.n == len(sink.taken)
    assert cost["cpu_s"] > 0
    assert cost["late_ms"]["max"] >= cost["late_ms"]["p50"] >= 0
    watching.stop()
    assert session.detached == 1


@given(st.integers(0, 1000), st.integers(0, 10**12), st.integers(10**6, 10**10))
def test_the_next_tick_comes_after_this_one_and_is_late_by_less_than_a_period(
    n: int, elapsed: int, every: int
) -> None:
    due, missed = next_tick(n, elapsed, every)
    assert due > n
    assert missed == due - n - 1
    assert elapsed - due * every < every


def test_ticks_that_are_late_by_a_period_are_left_out_and_counted() -> None:
    assert next_tick(3, 3_200, 1_000) == (4, 0)
    assert next_tick(3, 4_900, 1_000) == (4, 0)
    assert next_tick(3, 7_100, 1_000) == (7, 3)


Chosen = namedtuple("Chosen", "member options")


@contextmanager
def room(monkeypatch: pytest.MonkeyPatch, **modules: SimpleNamespace) -> Iterator[None]:
    monkeypatch.setattr(members, "load", lambda _, name: modules[name])
    yield


def test_a_probe_that_is_not_available_becomes_a_note_with_its_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(options: object, target: RunningTarget) -> Counting:
        raise Unavailable("there is no such file", "mount it", code="probe.not-readable")

    good = SimpleNamespace(METRICS=METRICS, attach=lambda *_: Counting())
    sink = Sink()
    with room(monkeypatch, absent=SimpleNamespace(METRICS={}, attach=refuse), good=good):
        watching = Observer.attach([Chosen("absent", None), Chosen("good", None)], HERE, 1.0, sink)
    assert watching.notes == ("probe absent is off: there is no such file; mount it",)
    assert sink.happened[0].facts == {"code": "probe.not-readable", "mend": "mount it"}
    assert [one.name for one in watching.attached] == ["good"]
    assert watching.metrics() == {"good.n": {"unit": "1", "kind": "counter", "doc": "Samples taken."}}
