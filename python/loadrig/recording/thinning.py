"""Thinning of long recordings: every second of the whole is kept, and longer stretches of each route.

A soak of four hours with fifty routes has a million and a half histograms of a second and a route, which are
300 MB and take minutes to read. While it runs all of them are written, as a kill must lose none; when it is
sealed they are added up:

    whole       response times of all routes of the service together, of every frame, by outcome: goals that
                are to hold for stretches of time are judged by these
    own         the generator's own times and the service times of the whole, MOST_STEPS in all
    routes      each route, outcome and kind, MOST_ROUTE_STEPS in all; of a route of which a goal is to hold
                for stretches of time every frame
    gaps        between sends, MOST_GAPS in all, of frames evenly apart

Adding loses nothing but the instant. Stretches begin and end with the measured part, so that every figure of
it is what it was; what lies outside it stays as it was written. The whole is a route without a name. Frames
are packed (gzip).
"""

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from loadrig._native import Histogram
from loadrig.recording import frame_document, hlog, lines
from loadrig.recording.files import making, replacing, sync_folder
from loadrig.recording.hlog import ENGINE, Tag
from loadrig.recording.layout import TrialFolder
from loadrig.recording.manifest_document import ManifestDocument

LONG = 3_600
"""Number of frames of a measured part from which on it is thinned: an hour of seconds."""

MOST_STEPS, MOST_ROUTE_STEPS = 1_800, 240
"""Numbers of stretches: of the whole twice as many as a chart has columns, of a route as many as the answer
of a soak looks at."""

MOST_GAPS = 400_000
"""Number of gaps that are kept: as many as the check of their distribution looks at where a thread sends
80,000 requests a second."""

WHOLE = ""
"""Word in place of a route: all routes of the service together."""

PACKING = 3
"""Level of gzip: 6 takes three times as long and saves a sixth."""


@dataclass(slots=True)
class _Sum:
    """Histograms of a tag that are added up, from one instant to another."""

    start_ns: int
    end_ns: int
    number: int
    total: Histogram = field(default_factory=Histogram)


def thin(folder: TrialFolder, manifest: ManifestDocument) -> bool:
    """Thin a folder that nobody writes to any more, if it is long; return whether it was.

    A kill in between leaves a folder that is read as before: each file is replaced in one step.
    Raises VoidError if it cannot be written.
    """
    span, origin_ns = manifest.measured, manifest.monotonic_ns
    if span is None:
        return False
    asked = frozenset(
        (goal.route or WHOLE, "service" if goal.measure.startswith("service") else "response")
        for goal in manifest.goals
        if goal.over_s
    )
    if manifest.imported:
        # Another tool's results have service times only, which take the place of response times.
        asked |= {(WHOLE, "service")}
    count, services, gaps = _looked_at(folder.frames, span.from_ns, span.to_ns)
    if count < LONG:
        return False
    window_ns = span.from_ns - origin_ns, span.to_ns - origin_ns
    with making(folder.latency):
        with replacing(folder.latency, for_owner=True) as file:
            _thinned(folder.latency, file, window_ns, count, services, asked)
        with replacing(folder.packed_frames, for_owner=True) as file:
            _packed(folder.frames, file, keep_every=max(1, -(-gaps // MOST_GAPS)))
        folder.frames.unlink()
        sync_folder(folder.path)
    return True


def _looked_at(frames: Path, from_ns: int, to_ns: int) -> tuple[int, frozenset[str], int]:
    """Return the number of frames in a window, the routes of the service, and the number of gaps."""
    count = gaps = 0
    services: set[str] = set()
    for frame in frame_document.each(frames):
        count += from_ns < frame.t_ns + frame.len_ns <= to_ns
        services.update(row.route for row in frame.routes if row.route_class == "service")
        gaps += len(frame.gaps_ns)
    return count, frozenset(services), gaps


def _packed(source: Path, into: IO[bytes], keep_every: int) -> None:
    """Pack frames.

    keep_every: of so many frames one keeps its gaps, which run on within a frame only.
    """
    with gzip.GzipFile("", "wb", compresslevel=PACKING, fileobj=into, mtime=0) as packed:
        for number, row in enumerate(lines.objects(source)):
            if row.get("gaps_ns") and number % keep_every:
                row["gaps_ns"] = []
            packed.write(json.dumps(row, separators=(",", ":"), ensure_ascii=False).encode() + b"\n")


def _thinned(
    source: Path,
    into: IO[bytes],
    window_ns: tuple[int, int],
    count: int,
    services: frozenset[str],
    asked: frozenset[tuple[str, str]],
) -> None:
    """Go through a log once, frame by frame. window_ns: as in the log; count: frames in it.

    services: routes of the service. asked: routes and kinds of which every frame is kept.
    """
    from_ns, to_ns = window_ns
    # Read line by line and not mapped into memory: all of a mapped file that was read counts as memory of the
    # process.
    with source.open("rb") as file:
        for line in _head(file):
            into.write(line)
        sums: dict[Tag, _Sum] = {}
        place = -1
        for start_ns, len_ns, rows in _by_frame(file):
            end_ns = start_ns + len_ns
            inside = from_ns < end_ns <= to_ns
            place += inside
            for tag, text in rows:
                histogram = Histogram.decode(text)
                if tag.route in services:
                    whole = Tag(WHOLE, tag.outcome, tag.kind)
                    steps = count if tag.kind == "response" or (WHOLE, tag.kind) in asked else MOST_STEPS
                    _add(into, sums, whole, histogram, start_ns, end_ns, _step(place, count, steps, inside))
                if inside:
                    steps = MOST_STEPS if tag.route == ENGINE else MOST_ROUTE_STEPS
                    steps = count if (tag.route, tag.kind) in asked else steps
                    _add(into, sums, tag, histogram, start_ns, end_ns, _step(place, count, steps, inside))
                else:
                    into.write(hlog.line(tag, start_ns, len_ns, text).encode())
            # Histograms of every frame are written at once, so that the log stays nearly in the order of
            # time.
            for tag in [tag for tag in sums if tag.route == WHOLE and tag.kind == "response"]:
                _write(into, tag, sums.pop(tag))
        for tag in list(sums):
            _write(into, tag, sums.pop(tag))


def _step(place: int, count: int, steps: int, inside: bool) -> int:
    """Return the number of the stretch that a frame belongs to.

    A frame outside of the window is a stretch of its own.
    """
    return place // max(1, -(-count // steps)) if inside else -1


def _add(
    into: IO[bytes],
    sums: dict[Tag, _Sum],
    tag: Tag,
    histogram: Histogram,
    start_ns: int,
    end_ns: int,
    number: int,
) -> None:
    stretch = sums.get(tag)
    if stretch is not None and (stretch.number != number or (number < 0 and stretch.start_ns != start_ns)):
        _write(into, tag, sums.pop(tag))
        stretch = None
    if stretch is None:
        stretch = sums[tag] = _Sum(start_ns, end_ns, number)
    stretch.end_ns = end_ns
    stretch.total.add(histogram)


def _write(into: IO[bytes], tag: Tag, stretch: _Sum) -> None:
    length = stretch.end_ns - stretch.start_ns
    into.write(hlog.line(tag, stretch.start_ns, length, stretch.total.encode()).encode())


def _head(file: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines before the first histogram; the file then stands at that histogram."""
    while True:
        at = file.tell()
        line = file.readline()
        if not line or line.startswith(b"Tag="):
            file.seek(at)
            return
        yield line


Rows = list[tuple[Tag, str]]


def _by_frame(file: IO[bytes]) -> Iterator[tuple[int, int, Rows]]:
    """Yield the lines of each frame: start, length, and tag and text of each histogram."""
    rows: Rows = []
    at: tuple[int, int] | None = None
    for number, line in enumerate(file, 1):
        tag, start_ns, len_ns, text = hlog.parsed(line, number)
        if at is not None and at != (start_ns, len_ns):
            yield (*at, rows)
            rows = []
        at = (start_ns, len_ns)
        rows.append((tag, text))
    if at is not None:
        yield (*at, rows)
