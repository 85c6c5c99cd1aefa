"""Recordings of frames made by hand, for the tests of this room."""

from pathlib import Path
from typing import Any

from msgspec.structs import replace

from loadrig.recording.frame_document import LiveFrameDocument
from loadrig.recording.layout import TrialFolder
from loadrig.recording.reader import Recording
from loadrig.recording.writer import TrialWriter
from loadrig.testing.engine_frames import engine_frame, row

NS = 1_000_000_000


def recorded(
    folder: Path, frames: list[LiveFrameDocument], window: tuple[int, int] | None = None
) -> Recording:
    """Frames and a window whose times count from the instant at which the recording began."""
    with TrialWriter(TrialFolder(folder), {}) as writer:
        begun_ns = Recording.open(folder).manifest.monotonic_ns
        for frame in frames:
            writer.frame(replace(frame, t_ns=frame.t_ns + begun_ns))
        if window:
            writer.manifest_update(
                measured={"from_ns": begun_ns + window[0], "to_ns": begun_ns + window[1], "why": ""}
            )
        writer.seal()
    return Recording.open(folder)


def frames_of(counts: list[int], **more: Any) -> list[LiveFrameDocument]:
    """Frames of a second, so many good answers in each."""
    rows = [[row("ok", [0.01] * count)] if count else [] for count in counts]
    return [engine_frame(n, n * NS, NS, row, **more) for n, row in enumerate(rows)]
