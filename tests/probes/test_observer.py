import threading
import types
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from syrupy.assertion import SnapshotAssertion

from loadrig.base import members
from loadrig.base.component import Component
from loadrig.base.series import Event, Metric, Sample
from loadrig.probes import Lost, Observer, Place, Unavailable
from loadrig.probes._observer import next_tick

SERVER = Component("server", "program", pid=11, start=1)
REDIS = Component("redis", "redis", version="7.0", pid=12, start=1)
METRICS = {"n": Metric("1", "counter", "Samples taken.", otel="n.taken")}


class CountingSink:
    """Keeps what it is given, and counts so that a test can wait for it."""

    def __init__(self) -> None:
        self.rows: list[tuple[str, Sample]] = []
        self.happened: list[Event] = []
        self.enough = threading.Event()

    def samples(self, samples: list[Sample], component: str) -> None:
        self.rows += [(component, sample) for sample in samples]
        if len(self.rows) >= 5:
            self.enough.set()

    def event(self, event: Event) -> None:
        self.happened.append(event)

    def of(self, kind: str) -> list[Event]:
        return [event for event in self.happened if event.kind == kind]


class Counting:
    """A session that counts its samples, and raises what it is told to at those that it is told."""

    def __init__(self, raises: dict[int, Exception] | None = None) -> None:
        self.n = 0
        self.detached = 0
        self._raises = raises or {}

    def sample(self, t_ns: int) -> list[Sample]:
        self.n += 1
        if self.n in self._raises:
            raise self._raises[self.n]
        return [Sample(t_ns, "counting", "n", "", self.n)]

    def events(self) -> list[Event]:
        return [Event(1, "hello", "counting", "first")] if self.n == 1 else []

    def detach(self) -> None:
        self.detached += 1


class Chosen(NamedTuple):
    member: str
    options: Any = None


class ProbeRoom:
    """A room of probes made by a test, in the place of the real one."""

    def __init__(self) -> None:
        self.modules: dict[str, Any] = {}
        self.sessions: dict[tuple[str, str], Any] = {}

    def add(self, name: str, make: Any = Counting, kinds: tuple[str, ...] = ("program",)) -> None:
        def attach(options: Any, component: Component, place: Place) -> Any:
            session = make()
            self.sessions[name, component.name] = session
            return session

        self.modules[name] = types.SimpleNamespace(
            METRICS=METRICS,
            Options=lambda: "its own",
            attach=attach,
            fits=lambda component: component.kind in kinds,
        )

    def observer(
        self, sink: CountingSink, *components: Component, every_s: float = 1.0, **more: Any
    ) -> Observer:
        return Observer([Chosen(name) for name in self.modules], components, every_s, sink, **more)


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> ProbeRoom:
    probes = ProbeRoom()
    monkeypatch.setattr(members, "load", lambda _, name: probes.modules[name])
    return probes


class Found:
    """A finder that has a list for each look."""

    def __init__(self, *looks: list[Component]) -> None:
        self.looks = list(looks)
        self.hints: list[tuple[str, str, int]] = []

    def look(self) -> list[Component]:
        return self.looks.pop(0) if self.looks else []

    def hint(self, source: str, host: str, port: int) -> None:
        self.hints.append((source, host, port))


S = 10**9


def test_a_tick_hands_on_what_every_probe_read_and_what_happened(room: ProbeRoom) -> None:
    sink = CountingSink()
    room.add("a")
    room.add("b")
    watching = room.observer(sink, SERVER)
    watching.tick(7)
    watching.tick(8)
    assert [(name, sample.t_ns, sample.value) for name, sample in sink.rows] == [
        ("server", 7, 1), ("server", 7, 1), ("server", 8, 2), ("server", 8, 2),
    ]  # fmt: skip
    assert [(event.text, event.component) for event in sink.of("hello")] == [("first", "server")] * 2
    assert [event.component for event in sink.of("component_found")] == ["host", "server"]
    described = {"unit": "1", "kind": "counter", "doc": "Samples taken.", "otel": "n.taken"}
    assert watching.metrics() == {"a.n": described, "b.n": described}


def test_a_probe_is_attached_to_the_components_that_it_fits(room: ProbeRoom) -> None:
    sink = CountingSink()
    room.add("any", kinds=("host", "program", "redis"))
    room.add("redis", kinds=("redis",))
    watching = room.observer(sink, SERVER, REDIS)
    watching.tick(0)
    assert room.sessions.keys() == {("any", "host"), ("any", "server"), ("any", "redis"), ("redis", "redis")}
    assert [component.name for component in watching.components] == ["host", "server", "redis"]


def test_components_that_are_found_later_are_watched_from_then_on(
    room: ProbeRoom, snapshot: SnapshotAssertion
) -> None:
    sink, changes = CountingSink(), []
    room.add("redis", kinds=("redis",))
    watching = room.observer(sink, SERVER, finder=Found([REDIS]), changed=lambda: changes.append(1))
    watching.tick(0)
    assert (room.sessions, len(changes)) == ({}, 1)
    watching.tick(S)
    watching.tick(S + 1)
    watching.tick(S + 2)
    assert len(changes) == 2
    assert [name for name, _ in sink.rows] == ["redis"] * 3
    # The first is of the look itself.
    assert [sample.t_ns for _, sample in sink.rows[1:]] == [S + 1, S + 2]
    assert sink.rows[0][1].t_ns >= S
    assert sink.of("component_found")[-1].text == snapshot


def test_more_that_is_known_of_a_component_attaches_more_and_keeps_what_is_there(room: ProbeRoom) -> None:
    room.add("any")
    room.add("any_gunicorn", kinds=("program", "gunicorn"))
    room.add("gunicorn", kinds=("gunicorn",))
    recognised = Component("server", "gunicorn", "cpython", pid=11, start=1)
    watching = room.observer(CountingSink(), SERVER, finder=Found([recognised]))
    watching.tick(0)
    before = room.sessions["any_gunicorn", "server"]
    watching.tick(S)
    watching.tick(2 * S)
    assert room.sessions["any_gunicorn", "server"] is before
    assert (before.n, before.detached) == (3, 0)
    assert room.sessions["gunicorn", "server"].n == 2


def test_a_component_that_was_started_anew_is_watched_anew(room: ProbeRoom) -> None:
    room.add("any")
    again = Component("server", "program", pid=13, start=9)
    watching = room.observer(CountingSink(), SERVER, finder=Found([again]))
    watching.tick(0)
    first = room.sessions["any", "server"]
    watching.tick(S)
    watching.tick(2 * S)
    assert (first.n, first.detached) == (2, 1)
    assert room.sessions["any", "server"].n == 2
    assert watching.cost()["probes"].keys() == {"any", "discovery"}


def test_what_is_lost_is_said_once_and_leaves_a_gap_until_it_is_back(room: ProbeRoom) -> None:
    sink = CountingSink()
    gone = Lost("it does not answer", "look whether it runs", "probe.no-answer")
    room.add("any", lambda: Counting({2: gone, 3: gone, 6: gone}))
    watching = room.observer(sink, SERVER)
    for n in range(8):
        watching.tick(n * S)
    assert [(event.t_ns, event.facts["code"]) for event in sink.of("gap")] == [
        (S, "probe.no-answer"), (5 * S, "probe.no-answer"),
    ]  # fmt: skip
    assert [(event.t_ns, event.facts["gap_s"]) for event in sink.of("gap_over")] == [
        (3 * S, 2.0),
        (6 * S, 1.0),
    ]
    note = "probe any sees nothing of server: it does not answer; look whether it runs"
    assert watching.new_notes() == [note, note]
    assert watching.new_notes() == []
    assert [sample.t_ns // S for _, sample in sink.rows] == [0, 3, 4, 6, 7]


def test_a_session_that_gave_up_and_raises_the_same_for_hours_keeps_no_frames_alive(room: ProbeRoom) -> None:
    given_up = Lost("it has no such page", "let it have one", "probe.not-that")
    room.add("any", lambda: Counting(dict.fromkeys(range(1, 101), given_up)))
    watching = room.observer(CountingSink(), SERVER)
    for n in range(100):
        watching.tick(n * S)
    assert room.sessions["any", "server"].n == 100
    # The trace grows with each raise, and each entry holds a frame with all its variables.
    assert given_up.__traceback__ is None


def test_a_probe_that_fails_is_detached_and_said_and_the_others_go_on(room: ProbeRoom) -> None:
    sink = CountingSink()
    room.add("bad", lambda: Counting({2: ValueError("no such line")}))
    room.add("good")
    watching = room.observer(sink, SERVER)
    for t_ns in range(4):
        watching.tick(t_ns)
    bad, good = room.sessions["bad", "server"], room.sessions["good", "server"]
    assert (bad.detached, bad.n, good.n) == (1, 2, 4)
    (failed,) = sink.of("probe_failed")
    assert (failed.subject, failed.component) == ("bad", "server")
    assert "ValueError: no such line" in failed.text
    assert "no such line" in failed.facts["trace"]
    assert watching.cost()["probes"].keys() == {"bad", "good", "discovery"}
    assert "bad.n" in watching.metrics()


def test_a_finder_that_fails_is_said_and_not_asked_again(room: ProbeRoom) -> None:
    class Broken:
        n = 0

        def look(self) -> list[Component]:
            self.n += 1
            raise ValueError("odd")

        def hint(self, source: str, host: str, port: int) -> None:
            """Nothing."""

    sink, broken = CountingSink(), Broken()
    room.add("any")
    watching = room.observer(sink, SERVER, finder=broken)
    for n in range(30):
        watching.tick(n * S)
    assert broken.n == 1
    assert [event.subject for event in sink.of("probe_failed")] == ["discovery"]
    assert len(sink.rows) == 30


def test_a_probe_that_is_not_available_becomes_one_note_with_its_mend(
    room: ProbeRoom, snapshot: SnapshotAssertion
) -> None:
    def refuse() -> Counting:
        raise Unavailable("there is no such file", "mount it", code="probe.not-readable")

    sink = CountingSink()
    room.add("absent", refuse)
    room.add("good")
    watching = room.observer(sink, SERVER, finder=Found([SERVER]))
    watching.tick(0)
    watching.tick(S)
    assert watching.new_notes() == snapshot
    (note,) = sink.of("note")
    assert note.facts == {"code": "probe.not-readable", "mend": "mount it"}
    assert set(watching.metrics()) == {"good.n"}


def test_what_a_server_does_not_offer_is_told_only_to_who_asked(room: ProbeRoom) -> None:
    def refuse() -> Counting:
        raise Unavailable("there is no page", "add one", code="probe.not-that")

    room.add("page", refuse)
    for options, notes in ((None, 0), ("its own", 1)):
        sink = CountingSink()
        watching = Observer([Chosen("page", options)], [SERVER], 1.0, sink)
        watching.tick(0)
        assert len(watching.new_notes()) == notes
        assert len(sink.of("note")) == 1


def test_metrics_that_a_session_finds_are_told_with_those_of_its_probe(room: ProbeRoom) -> None:
    class PageProbe(Counting):
        @property
        def metrics(self) -> dict[str, Metric]:
            return {f"found_{n}": METRICS["n"] for n in range(self.n)}

    room.add("page", PageProbe)
    changes: list[int] = []
    watching = room.observer(CountingSink(), SERVER, changed=lambda: changes.append(1))
    watching.tick(0)
    watching.tick(1)
    assert list(watching.metrics()) == ["page.found_0", "page.found_1", "page.n"]
    assert len(changes) == 2


def test_with_whom_a_component_was_seen_connected_is_told_to_the_finder_once(room: ProbeRoom) -> None:
    class Stages(Counting):
        peers = (("127.0.0.1", 6379),)

    room.add("stages", Stages)
    finder = Found()
    watching = room.observer(CountingSink(), SERVER, finder=finder)
    for n in range(6):
        watching.tick(n * S)
    assert finder.hints == [("server", "127.0.0.1", 6379)]


def test_time_spent_beside_the_thread_is_counted_too(room: ProbeRoom) -> None:
    class AsideProbe(Counting):
        cpu_s = 0.25

    room.add("a", AsideProbe)
    watching = room.observer(CountingSink(), SERVER)
    watching.tick(0)
    assert watching.cost()["cpu_s"] == 0.25
    assert watching.cost()["probes"]["a"] >= 0.25


def test_a_probe_whose_detaching_fails_does_not_stop_the_observer(
    room: ProbeRoom, capsys: pytest.CaptureFixture[str]
) -> None:
    class Sticky(Counting):
        def detach(self) -> None:
            raise OSError("stuck")

    room.add("good")
    room.add("sticky", Sticky)
    with room.observer(CountingSink(), SERVER):
        pass
    assert room.sessions["good", "server"].detached == 1
    assert "stuck" in capsys.readouterr().err


@pytest.mark.integration
def test_the_thread_samples_until_it_is_stopped_and_leaves_nothing(room: ProbeRoom) -> None:
    sink = CountingSink()
    room.add("any")
    watching = room.observer(sink, SERVER, every_s=0.01)
    before = threading.active_count()
    with watching:
        assert sink.enough.wait(timeout=60)
    assert threading.active_count() == before
    session = room.sessions["any", "server"]
    assert session.detached == 1
    times = [sample.t_ns for _, sample in sink.rows]
    assert times == sorted(times)
    cost = watching.cost()
    assert cost["ticks"] == cost["samples"] == session.n == len(sink.rows)
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
