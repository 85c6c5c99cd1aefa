"""Frames written as a trial writes them, for the tests of this room."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from loadrig.base.documents import plain
from loadrig.recording import manifest
from loadrig.recording.frame_document import LiveFrameDocument
from loadrig.recording.layout import TrialFolder
from loadrig.recording.writer import TrialWriter


def write(folder: TrialFolder, frames: list[LiveFrameDocument]) -> int:
    """Write and seal frames whose times count from 0; returns the instant they were moved to."""
    with TrialWriter(folder, {"plan_name": "shop"}) as writer:
        begun_ns = int(json.loads(folder.manifest.read_text())["monotonic_ns"])
        for frame in frames:
            writer.frame(replace(frame, t_ns=frame.t_ns + begun_ns))
        writer.seal()
    return begun_ns


def facts_without_field(folder: TrialFolder) -> list[str]:
    """Return the paths of facts that a manifest holds and its type does not: nobody could read them."""
    written = json.loads(folder.manifest.read_text(encoding="utf-8"))
    return list(_lost(written, json.loads(json.dumps(plain(manifest.read(folder)))), ""))


def _lost(written: Any, reread: Any, path: str) -> Iterator[str]:
    if isinstance(written, Mapping) and isinstance(reread, Mapping):
        for key, value in written.items():
            yield from _lost(value, reread.get(key, "no such field"), f"{path}/{key}")
    elif isinstance(written, list) and isinstance(reread, list) and len(written) == len(reread):
        for number, (value, again) in enumerate(zip(written, reread, strict=True)):
            yield from _lost(value, again, f"{path}/{number}")
    elif written != reread and not (path == "/recording" and written < reread):
        yield path
