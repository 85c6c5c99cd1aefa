"""Tests of when a trial is profiled, by which profiler, and what is kept; on real programs."""

import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from loadrig.base.component import SERVER, THIS_HOST, Component
from loadrig.base.documents import typed
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.profilers import Own, decoded, py_spy, summary
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.trial import profiling, taking
from loadrig.trial.profiling import ProfiledPart, Profiling
from loadrig.trial.spec import Watcher
from tests.conftest import Deadline
from tests.profilers import programs
from tests.wording import holding

PLAN = """\
loadrig: 1
target: {external: http://127.0.0.1:1}
"""


def plan(load: str, profile: str = "at saturation", measure: str = "30s") -> Plan:
    work = f"workload: {{{load}, requests: [{{get: /}}]}}\n"
    rest = f"trial: {{warm_up: 0s, measure: {measure}}}\nprofile: {profile}\n"
    return read(PLAN + work + rest, "plan.yaml")


@dataclass
class DrivenPace:
    """A pace in the hand of the test."""

    phase: str = "warm_up"
    from_ns: int | None = None


@dataclass
class Notes(Watcher):
    """A watcher that keeps what it is told."""

    notes: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        self.notes.append(text)


# --- when -----------------------------------------------------------------------------------------

LOW_TOO = "at low and saturation"


@pytest.mark.parametrize(
    ("load", "profile", "expected"),
    [
        ("users: 5", "at saturation", [ProfiledPart("high", 10 / 3, 10, is_measured=True)]),
        ("users: 5", LOW_TOO, [ProfiledPart("high", 10 / 3, 10, is_measured=True)]),
        ("users: {start: 1, add: 2, every: 10s, until: 5}", "at saturation", [ProfiledPart("high", 20, 30)]),
        (
            "users: {start: 1, add: 2, every: 10s, until: 5}",
            LOW_TOO,
            [ProfiledPart("low", 0, 10), ProfiledPart("high", 20, 30)],
        ),
        (
            "rate: {stages: [{to: 10, hold: 5s}, {to: 90, over: 10s, hold: 20s}, {to: 10, hold: 5s}]}",
            LOW_TOO,
            [ProfiledPart("low", 0, 5), ProfiledPart("high", 15, 35)],
        ),
        ("users: {stages: [{to: 100, over: 60s}]}", "at saturation", [ProfiledPart("high", 48, 60)]),
        (
            "users: 5, limit: {requests: 100}",
            "at saturation",
            [ProfiledPart("high", 1, None, is_measured=True)],
        ),
    ],
)
def test_the_top_of_a_load_is_its_last_step_or_a_third_of_the_measured_part_on(
    load: str, profile: str, expected: list[ProfiledPart]
) -> None:
    assert profiling.parts(plan(load, profile)) == expected


def test_the_server_comes_first_and_then_what_has_a_runtime_here() -> None:
    server = Component(SERVER, "gunicorn", runtime="cpython", pid=1)
    redis = Component("redis", "redis", runtime="native", pid=2)
    far = Component("mariadb", "mariadb", runtime="native")
    unknown = Component("other", "program", pid=3)
    components = [THIS_HOST, redis, far, server, unknown]
    rules = plan("users: 1").profile
    assert rules is not None
    assert profiling.chosen(rules, components) == ([server, redis], [])
    rules = plan("users: 1", "{components: [redis, mysql]}").profile
    assert rules is not None
    assert profiling.chosen(rules, components) == ([redis], ["mysql"])


def test_the_profiler_of_its_runtime_fits_before_perf() -> None:
    for runtime, name in (
        ("cpython", "py_spy"), ("jvm", "async_profiler"), ("go", "go_pprof"), ("node", "node_inspector"),
    ):  # fmt: skip
        component = Component(SERVER, "program", runtime=runtime, pid=1)
        assert [name for name, _ in taking.fitting(component)] == [name, "perf"]
    assert [name for name, _ in taking.fitting(Component("redis", "redis", "native", pid=1))] == ["perf"]
    assert taking.fitting(THIS_HOST) == []


# --- in a trial -----------------------------------------------------------------------------------


def until(condition: Callable[[], object]) -> None:
    Deadline().wait_for(condition, "the profile")


def record(
    folder: Path, rules: Plan, components: list[Component], drive: Callable[[DrivenPace, Profiling], None]
) -> Any:
    """Profile under a pace that the test drives; returns the recording and the notes."""
    trial, watch, pace = TrialFolder(folder / "trial"), Notes(), DrivenPace()
    with TrialWriter(trial, {}) as writer:
        with Profiling(rules, lambda: components, writer, trial, watch) as profiler:
            profiler.begin(pace, time.monotonic_ns())
            drive(pace, profiler)
        writer.seal()
    return SimpleNamespace(recording=Recording.open(trial.path), notes=watch.notes)


def measuring(pace: DrivenPace, profiler: Profiling) -> None:
    """Measure until what is to be profiled has been."""
    pace.from_ns, pace.phase = time.monotonic_ns(), "measuring"
    assert profiler._thread is not None
    profiler._thread.join(60)


@pytest.mark.integration
def test_a_profile_of_a_python_is_kept_in_the_recording_with_its_event(tmp_path: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        profiled = record(
            tmp_path, plan("users: 1", "{for: 1s}", "4500ms"), [THIS_HOST, component], measuring
        )
    (event,) = [event for event in profiled.recording.events if event.kind == "profile"]
    assert (event.component, event.facts["profiler"], event.facts["load"]) == ("server", "py-spy", "high")
    path = profiled.recording.path / event.facts["path"]
    assert path == profiled.recording.folder.profile("server", "high", "py-spy")
    top = summary(decoded(path.read_bytes()), typed(Own, event.facts["own"], "events.jsonl")).own(1)[0]
    assert top.name == "hot"
    assert event.facts["cpu_s"] > 0
    (marked,) = profiled.recording.manifest.profiled
    assert (marked.from_ns, marked.component) == (event.t_ns, "server")
    # A third of four and a half seconds on, and settled.
    assert marked.from_ns - profiled.recording.manifest.monotonic_ns > 1.9e9
    assert profiled.notes == []
    assert profiled.recording.is_sealed


@pytest.mark.nightly
@pytest.mark.integration
def test_a_server_that_is_looked_at_meanwhile_gets_the_profiler_of_its_runtime(tmp_path: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        components = [replace(component, runtime="")]

        def drive(pace: DrivenPace, profiler: Profiling) -> None:
            threading.Timer(1.0, lambda: components.__setitem__(0, component)).start()
            measuring(pace, profiler)

        rules = plan("users: 5, limit: {requests: 100}", "{for: 1s}")
        profiled = record(tmp_path, rules, components, drive)
    (event,) = [event for event in profiled.recording.events if event.kind == "profile"]
    assert event.facts["profiler"] == "py-spy"


@pytest.mark.integration
def test_a_component_without_its_profiler_is_profiled_by_perf_and_the_reason_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASYNC_PROFILER", str(tmp_path / "nowhere.jar"))
    with programs.busy_native(tmp_path) as native:
        jvm = Component(SERVER, "program", runtime="jvm", pid=native.pid, start=native.start)
        rules = replace(plan("users: 1", "{for: 1s}", "4500ms"), permit=("jvm-agent",))
        profiled = record(tmp_path, rules, [jvm], measuring)
    (event,) = [event for event in profiled.recording.events if event.kind == "profile"]
    assert event.facts["profiler"] == "perf"
    (note,) = profiled.notes
    assert note.startswith("async-profiler ")
    assert str(tmp_path / "nowhere.jar") in note
    assert "mvn dependency:copy" in note
    (note_event,) = [event for event in profiled.recording.events if event.kind == "note"]
    assert note_event.facts["code"] == "probe.no-tool"


@pytest.mark.integration
def test_a_load_that_ends_cuts_the_profile_and_the_trial_goes_on(
    tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    def drive(pace: DrivenPace, profiler: Profiling) -> None:
        pace.from_ns, pace.phase = time.monotonic_ns(), "measuring"
        until(lambda: b"py-spy" in b"".join(_argv(pid) for pid in _children()))
        pace.phase = "draining"
        assert profiler._thread is not None
        profiler._thread.join(60)
        assert not profiler._thread.is_alive()

    rules = plan("users: 5, limit: {requests: 100}", "{for: 30s}")
    with programs.busy_python(tmp_path) as component:
        profiled = record(tmp_path, rules, [component], drive)
        assert not any(b"py-spy" in _argv(pid) for pid in _children())
    assert [event for event in profiled.recording.events if event.kind == "profile"] == []
    (note,) = profiled.notes
    assert note == snapshot
    assert not profiled.recording.folder.profiles.exists()


def _children() -> list[int]:
    return [int(word) for word in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()] + [
        int(word)
        for task in os.listdir("/proc/self/task")
        for word in Path(f"/proc/self/task/{task}/children").read_text().split()
    ]


def _argv(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


@pytest.mark.integration
def test_nothing_is_profiled_in_the_warm_up_and_a_dead_server_is_a_note(tmp_path: Path) -> None:
    def drive(pace: DrivenPace, profiler: Profiling) -> None:
        never = threading.Event()
        assert not never.wait(1.0)  # long enough for a profile that would not wait
        assert profiler._notes == []
        measuring(pace, profiler)

    with programs.busy_python(tmp_path) as component:
        pass
    profiled = record(tmp_path, plan("users: 1", "{for: 1s}", "4500ms"), [component], drive)
    assert profiled.notes
    assert all(f"process {component.pid} " in note for note in profiled.notes)
    assert profiled.recording.manifest.profiled == ()


@pytest.mark.nightly
@pytest.mark.integration
def test_a_profiler_that_breaks_ends_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = "a fault of ours"

    def broken(*_: object) -> None:
        raise KeyError(fault)

    monkeypatch.setattr(py_spy, "take", broken)
    with programs.busy_python(tmp_path) as component:
        profiled = record(tmp_path, plan("users: 1", "{for: 1s}", "4500ms"), [component], measuring)
    assert len(holding(profiled.notes, "py-spy", "KeyError")) == 1
    note_event = next(
        event for event in profiled.recording.events if event.facts.get("code") == "profile.failed"
    )
    assert fault in note_event.facts["trace"]
