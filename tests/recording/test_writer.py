"""The writer of a trial's folder: what it keeps, its seal, and its threads."""

import json
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from loadrig.base.errors import PlanError
from loadrig.base.series import Event, Sample
from loadrig.recording import checking
from loadrig.recording.frame_document import LiveFrameDocument
from loadrig.recording.layout import TrialFolder
from loadrig.recording.manifest_document import TargetDocument
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_frame, row
from tests import strategies
from tests.recording.written import write

NS = 1_000_000_000


@given(frames=strategies.frame_runs())
def test_what_was_written_is_what_is_read(
    tmp_path_factory: pytest.TempPathFactory, frames: list[LiveFrameDocument]
) -> None:
    folder = TrialFolder(tmp_path_factory.mktemp("run") / "0001")
    begun_ns = write(folder, frames)
    recording = Recording.open(folder.path)
    assert recording.is_sealed
    assert len(recording.frames) == len(frames)
    for frame, original in zip(recording.frames, frames, strict=True):
        assert frame.t_ns == original.t_ns + begun_ns
        for key in ("n", "len_ns", "due", "answered", "failed", "unsent", "status", "fds_limit"):
            assert getattr(frame, key) == getattr(original, key)
        assert list(frame.gaps_ns) == original.gaps_ns
        rows = [(route.route, route.route_class, route.outcome, route.count) for route in frame.routes]
        assert rows == [
            (entry.route, entry.route_class, entry.outcome, entry.count) for entry in original.routes
        ]
        for original_row in original.routes:
            merged = recording.histogram(
                route=original_row.route,
                outcome=original_row.outcome,
                from_ns=frame.t_ns,
                to_ns=frame.end_ns,
            )
            assert merged.encode() == original_row.response


def test_facts_are_added_and_replaced(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    with TrialWriter(folder, {"plan_name": "shop", "setting": {"workers": 2}}) as writer:
        writer.manifest_update(target={"pid": 1})
        writer.manifest_update(target={"pid": 2}, ended="time")
    recording = Recording.open(folder.path).manifest
    assert (recording.plan_name, recording.target, recording.ended) == ("shop", TargetDocument(pid=2), "time")


def test_facts_that_were_only_noted_are_written_with_the_next_ones_or_at_the_end(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")

    def noted() -> dict[str, Any]:
        document = json.loads(folder.manifest.read_text(encoding="utf-8"))
        return {key: document.get(key) for key in ("one", "two", "three")}

    with TrialWriter(folder, {}) as writer:
        writer.manifest_note(one=1)
        assert noted() == {"one": None, "two": None, "three": None}
        writer.manifest_update(two=2)
        assert noted() == {"one": 1, "two": 2, "three": None}
        writer.manifest_note(three=3)
    assert noted() == {"one": 1, "two": 2, "three": 3}
    with pytest.raises(RuntimeError, match="after its end"):
        writer.manifest_note(one=2)


def test_events_come_back_in_the_order_of_their_instants(tmp_path: Path) -> None:
    late = Event(20, "worker_died", "pid:7", "process 7 ended\nbadly", {"pid": 7})
    early = Event(10, "note", "", "ü | , \u2028")
    with TrialWriter(TrialFolder(tmp_path / "0001"), {}) as writer:
        writer.event(late)
        writer.event(early)
    assert Recording.open(tmp_path / "0001").events == [early, late]


def test_a_folder_that_is_only_closed_is_not_sealed_and_is_read_all_the_same(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    with TrialWriter(folder, {}) as writer:
        writer.frame(engine_frame(0, 10**18, NS, [row("ok", [0.1])]))
        writer.samples([Sample(1, "p", "m", "", 1.0)])
    recording = Recording.open(folder.path)
    assert not recording.is_sealed
    assert len(recording.frames) == 1
    assert ("server", "p", "m", "") in recording.series()


def test_after_sealing_nothing_writes(tmp_path: Path) -> None:
    """Invariant: after sealing nothing writes to the folder."""
    folder = TrialFolder(tmp_path / "0001")
    with TrialWriter(folder, {}) as writer:
        writer.frame(engine_frame(0, 10**18, NS, [row("ok", [0.1])]))
        writer.seal()
        writer.seal()
        attempts: list[Callable[[], None]] = [
            lambda: writer.frame(engine_frame(1, 10**18 + NS, NS, [])),
            lambda: writer.samples([Sample(1, "p", "m", "", 1.0)]),
            lambda: writer.event(Event(1, "note", "", "")),
            lambda: writer.manifest_update(ended="later"),
        ]
        for attempt in attempts:
            with pytest.raises(RuntimeError, match="nothing writes"):
                attempt()
    folder.result.write_text("{}")
    findings = checking.check_trial(folder)
    assert (findings.troubles, findings.unsealed) == ([], {})


def test_the_seal_tells_what_was_changed_later(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    with TrialWriter(folder, {}) as writer:
        folder.target_log.write_text("hello\n")
        writer.seal()
    folder.events.chmod(0o644)
    folder.events.write_text("{}\n")
    (folder.path / "notes.txt").write_text("mine")
    folder.target_log.unlink()
    troubles = checking.check_trial(folder).troubles
    assert {trouble.file for trouble in troubles} == {"events.jsonl", "notes.txt", "target.log"}


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write to read-only files")
def test_sealed_files_cannot_be_opened_for_writing(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    write(folder, [])
    with pytest.raises(PermissionError):
        folder.frames.open("a")


def test_sealed_files_are_read_only(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    write(folder, [])
    for name in (folder.frames, folder.latency, folder.series, folder.events, folder.manifest):
        assert name.stat().st_mode & 0o222 == 0


def test_a_whole_recording_is_never_written_over(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    write(folder, [])
    with pytest.raises(PlanError) as failed:
        TrialWriter(folder, {})
    assert failed.value.problems[0].code == "recording.already-sealed"
    findings = checking.check_trial(folder)
    assert (findings.troubles, findings.unsealed) == ([], {})


def test_what_a_killed_rig_left_is_set_aside(tmp_path: Path) -> None:
    folder = TrialFolder(tmp_path / "0001")
    with TrialWriter(folder, {"plan_name": "first"}):
        pass
    with TrialWriter(folder, {"plan_name": "second"}):
        pass
    assert Recording.open(folder.path).manifest.plan_name == "second"
    assert Recording.open(tmp_path / "0001-broken-1").manifest.plan_name == "first"


def test_threads_may_write_at_the_same_time(tmp_path: Path) -> None:
    folder, each = TrialFolder(tmp_path / "0001"), 40
    with TrialWriter(folder, {}) as writer:

        def observe(name: str) -> None:
            for t_ns in range(each):
                writer.samples([Sample(t_ns, name, "m", "", 1.0)])
                writer.event(Event(t_ns, "note", name, "x" * 200))

        def drive() -> None:
            for n in range(each):
                writer.frame(engine_frame(n, 10**18 + n * NS, NS, [row("ok", [0.1])]))

        jobs = [threading.Thread(target=observe, args=(name,)) for name in ("a", "b", "c")]
        jobs.append(threading.Thread(target=drive))
        for job in jobs:
            job.start()
        for job in jobs:
            job.join(60)
        writer.seal()
    recording = Recording.open(folder.path)
    assert [frame.n for frame in recording.frames] == list(range(each))
    assert len(recording.events) == 3 * each
    assert {key: series.t_ns.size for key, series in recording.series().items()} == {
        ("server", name, "m", ""): each for name in ("a", "b", "c")
    }
