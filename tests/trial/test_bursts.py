"""Tests of when bursts are taken, of whom, and what is told where none can be; on real programs."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from loadrig.base.component import SERVER, Component
from loadrig.base.series import Sample
from loadrig.base.unavailable import Unavailable
from loadrig.plan.load import read
from loadrig.plan.model import Plan
from loadrig.profilers import Capture, Profile, Shot, Stack, StackFrame, perf, profiles_of, py_spy
from loadrig.profilers._cpu_document import CpuTimeDocument
from loadrig.profilers._cpu_time import cpu_time_of
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.trial.bursts import LEAST_APART_S, Bursts
from tests.conftest import Deadline
from tests.profilers import programs
from tests.trial.test_profiling import DrivenPace

NS = 1_000_000_000


def plan(measure: str = "30s", profile: str = "", study: str = "") -> Plan:
    return read(
        "loadrig: 1\n"
        "target: {external: http://127.0.0.1:1}\n"
        "workload: {users: 5, requests: [{get: /}]}\n"
        f"trial: {{warm_up: 0s, measure: {{at_least: {measure}, at_most: {measure}}}}}\n" + profile + study,
        "plan.yaml",
    )


@contextmanager
def read_by_probes(writer: TrialWriter, component: Component, cores: float) -> Iterator[None]:
    """CPU time of a component as the probe `process` would bring it, so many cores, until the block ends."""
    done = threading.Event()
    began = time.monotonic_ns()

    def follow() -> None:
        while not done.wait(0.1):
            t_ns = time.monotonic_ns()
            used = cores * (t_ns - began) / NS
            rows = [Sample(t_ns, "process", "cpu_s", subject, used) for subject in ("tree", "pid:1")]
            writer.samples(rows, component.name)

    thread = threading.Thread(target=follow)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def with_bursts(
    folder: Path,
    rules: Plan,
    component: Component,
    until: Callable[[Bursts, DrivenPace], Any],
    cores: float = 1.0,
) -> Recording:
    """Return the recording of a trial in which a component used so many cores until enough was seen."""
    trial, pace = TrialFolder(folder / "trial"), DrivenPace()
    with TrialWriter(trial, {"start_ns": time.monotonic_ns()}) as writer:
        with Bursts(rules, lambda: [component], writer, trial) as bursts:
            with read_by_probes(writer, component, cores):
                pace.from_ns, pace.phase = time.monotonic_ns(), "measuring"
                bursts.begin(pace, pace.from_ns)
                until(bursts, pace)
            pace.phase = "draining"
        writer.seal()
    return Recording.open(trial.path)


def document_of(recording: Recording) -> CpuTimeDocument:
    document = cpu_time_of(recording)
    assert document is not None
    return document


def both(bursts: Bursts, pace: DrivenPace) -> None:
    del pace
    Deadline().wait_for(lambda: bursts._counts.get(SERVER) == 2, "two bursts")


def given_up(bursts: Bursts, pace: DrivenPace) -> None:
    del pace
    Deadline().wait_for(lambda: SERVER in bursts._given_up, "an end of the tries")


def notes(recording: Recording) -> list[Any]:
    return [event for event in recording.events if event.kind == "note" and event.subject == "burst"]


@pytest.mark.integration
def test_two_bursts_apart_become_one_profile_of_the_component(tmp_path: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        recording = with_bursts(tmp_path, plan("15s"), component, both)
    (profile,) = profiles_of(recording)
    first, second = profile.bursts
    assert second.window.from_ns - first.window.to_ns >= LEAST_APART_S * NS
    assert len({burst.path for burst in profile.bursts}) == 2
    assert profile.summary is not None
    assert profile.summary.samples == sum(
        burst.own_profile.count for burst in profile.bursts if burst.own_profile is not None
    )
    component_document = document_of(recording).components[SERVER]
    assert component_document.classes[0].work == "own"
    assert sum(each.share for each in component_document.classes) == pytest.approx(1, abs=0.001)
    for each in component_document.classes:
        assert each.interval[0] <= each.share <= each.interval[1]
    assert [len(component_document.bursts), component_document.profiler] == [2, "py-spy"]
    assert component_document.why
    assert notes(recording) == []
    assert not list(recording.path.glob("*profile-*"))


@pytest.mark.integration
def test_nothing_is_profiled_where_nothing_is_nearly_full(tmp_path: Path) -> None:
    def some_time(bursts: Bursts, pace: DrivenPace) -> None:
        del bursts, pace
        time.sleep(2.5)  # readings enough for a burst of who is full

    with programs.busy_python(tmp_path) as component:
        recording = with_bursts(tmp_path, plan(), component, some_time, cores=0.5)
    assert cpu_time_of(recording) is None


@pytest.mark.integration
def test_a_window_that_is_too_short_is_told(tmp_path: Path) -> None:
    with programs.busy_python(tmp_path) as component:
        recording = with_bursts(tmp_path, plan("2s"), component, given_up)
    (note,) = notes(recording)
    assert note.facts["code"] == "profile.too-short"
    assert document_of(recording).gaps[0].component == SERVER
    assert profiles_of(recording) == ()


@pytest.mark.integration
def test_what_its_own_profiler_lacks_is_the_gap_and_no_note_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(*_: object) -> None:
        raise Unavailable("no right to trace it", "run loadrig as root", "probe.no-right")

    def no_tool(*_: object) -> None:
        raise Unavailable("perf is not here", "apt-get install linux-perf", "probe.no-tool")

    monkeypatch.setattr(py_spy, "take", none)
    monkeypatch.setattr(perf, "record", no_tool)
    with programs.busy_python(tmp_path) as component:
        recording = with_bursts(tmp_path, plan(), component, given_up)
    (gap,) = document_of(recording).gaps
    assert gap.code == "probe.no-right"
    assert gap.mend in gap.text


@pytest.mark.nightly
@pytest.mark.integration
def test_what_can_be_read_later_is_read_when_the_load_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders: list[Path] = []

    def refused(*_: object) -> None:
        raise Unavailable("no right to trace it", "run loadrig as root", "probe.no-right")

    def record(_: object, component: Component, shot: Shot) -> Callable[[Shot], Capture]:
        began_ns = time.monotonic_ns()
        stacks = shot.folder / "stacks"
        stacks.write_text("main")

        def read(later: Shot) -> Capture:
            assert not later.stop.is_set(), "nothing ends it before its time any more"
            folders.append(later.folder)
            profile = Profile("cpu", 10_000_000, began_ns, NS)
            profile.add(Stack((StackFrame((later.folder / stacks.name).read_text()),)), 5, 50_000_000)
            return Capture(profile, component.pid or 0, began_ns, began_ns + NS, 0.1)

        return read

    def both_and_none_read(bursts: Bursts, pace: DrivenPace) -> None:
        both(bursts, pace)
        assert folders == []

    monkeypatch.setattr(py_spy, "take", refused)
    monkeypatch.setattr(perf, "record", record)
    with programs.busy_python(tmp_path) as component:
        recording = with_bursts(tmp_path, plan("15s"), component, both_and_none_read)
    (profile,) = profiles_of(recording)
    assert [burst.own_profile is not None for burst in profile.bursts] == [True, True]
    assert not any(folder.exists() for folder in folders)


@pytest.mark.integration
def test_a_program_whose_cpu_time_nobody_reads_is_a_gap(tmp_path: Path) -> None:
    trial, pace = TrialFolder(tmp_path / "trial"), SimpleNamespace(phase="measuring", from_ns=1)
    component = Component(SERVER, "program", runtime="cpython", pid=1)
    with TrialWriter(trial, {}) as writer:
        with Bursts(plan(), lambda: [component], writer, trial) as bursts:
            bursts.begin(pace, 1)
        writer.seal()
    (gap,) = document_of(Recording.open(trial.path)).gaps
    assert gap.component == SERVER


def test_a_plan_says_by_itself_never_or_more() -> None:
    by_itself = plan().profile
    assert by_itself is not None
    assert by_itself.when == "when nearly full"
    assert plan(profile="profile: never\n").profile is None
    more = plan(profile="profile: at saturation\n").profile
    assert more is not None
    assert more.when == "at saturation"
    options = plan(profile="profile: {when: when nearly full, components: [redis]}\n").profile
    assert options == replace(by_itself, components=("redis",))
    assert plan(study="study: {find: soak}\n").profile == by_itself
