"""Frames as they are read: counters that came later, and what a recording without them means."""

import json
from pathlib import Path

from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording
from loadrig.testing.engine_frames import engine_frame, row
from loadrig.testing.synthetic import write_recording

NS = 1_000_000_000
LATER = ("stream_resets", "goaways", "from_cache")


def test_what_http_2_and_caches_count_is_read() -> None:
    counted = engine_frame(0, 0, NS, [row("ok", [0.1])], stream_resets=3, goaways=1, from_cache=4)
    frame = Frame.of(counted)
    assert (frame.stream_resets, frame.goaways, frame.from_cache) == (3, 1, 4)


def test_a_recording_from_before_these_has_none_of_what_they_count(tmp_path: Path) -> None:
    recording = write_recording(tmp_path / "0001", (100.0,) * 3)
    lines = [json.loads(line) for line in recording.folder.frames.read_text(encoding="utf-8").splitlines()]
    older = [{key: value for key, value in line.items() if key not in LATER} for line in lines]
    assert all(len(old) == len(line) - len(LATER) for old, line in zip(older, lines, strict=True))
    recording.folder.frames.write_text("".join(json.dumps(line) + "\n" for line in older), encoding="utf-8")
    read = Recording.open(recording.path)
    assert len(read.frames) == len(recording.frames)
    counts = {(frame.stream_resets, frame.goaways, frame.from_cache) for frame in read.frames}
    assert counts == {(0, 0, 0)}


def test_a_grpc_error_is_an_answer_and_a_reset_stream_is_none() -> None:
    rows = [row("ok", [0.1] * 2), row("grpc_error", [0.1] * 3), row("stream_reset", [0.1] * 4)]
    frame = Frame.of(engine_frame(0, 0, NS, rows))
    assert (frame.answered, frame.failed) == (5, 4)


def test_counts_that_say_the_same_are_one(tmp_path: Path) -> None:
    frames = write_recording(tmp_path / "t", [4.0] * 40, seed=1).frames
    rows = [row for frame in frames for row in frame.routes]
    assert len({id(row) for row in rows}) == len(set(rows)) < len(rows)
    assert [len(frame.route_bytes) for frame in frames] == [len(frame.routes) for frame in frames]
