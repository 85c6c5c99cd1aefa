"""Frames written as a trial writes them, for the tests of this room."""

import json
from typing import Any

from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter


def write(folder: TrialFolder, frames: list[dict[str, Any]]) -> int:
    """Write and seal frames whose times count from 0; returns the instant they were moved to."""
    with TrialWriter(folder, {"plan_name": "shop"}) as writer:
        begun_ns = int(json.loads(folder.manifest.read_text())["monotonic_ns"])
        for frame in frames:
            writer.frame({**frame, "t_ns": frame["t_ns"] + begun_ns})
        writer.seal()
    return begun_ns
