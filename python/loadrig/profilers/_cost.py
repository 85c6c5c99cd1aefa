"""Cost of a profile to the server: throughput while it was taken, against just before and after."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording
from loadrig.recording.window import Window

if TYPE_CHECKING:  # with scipy it takes a second to import
    from loadrig.stats.compare import Effect

LEAST_FRAMES = 3
"""Frames that are needed on each side: fewer say nothing of how throughput varies by itself."""

SAME_LEVEL = 0.01
"""Share by which the planned load of frames may differ for them to be compared."""


def throughput_change(recording: Recording, during: Window, profiles: Sequence[Window]) -> "Effect | None":
    """Return good answers a second during a profile over those just before and after it, as a ratio.

    during: the window of the profile; profiles: the windows of all, as frames within any are not compared
    with. Before and after: measured frames no further away than the profile is long, at the same planned
    load. None where there are too few, as with a ramp, or where nothing was answered.
    """
    length_ns = during.to_ns - during.from_ns
    near = Window(during.from_ns - length_ns, during.to_ns + length_ns)
    inside = [
        frame for frame in recording.frames if during.from_ns <= frame.t_ns and frame.end_ns <= during.to_ns
    ]
    if not inside:
        return None
    level = inside[len(inside) // 2].planned
    outside = [
        frame
        for frame in recording.inside
        if near.holds(frame)
        and not any(frame.t_ns < profile.to_ns and frame.end_ns > profile.from_ns for profile in profiles)
    ]
    with_profile, without_profile = (
        [
            rate
            for frame in frames
            if abs(frame.planned - level) <= SAME_LEVEL * level and (rate := _rate(frame))
        ]
        for frames in (inside, outside)
    )
    if min(len(with_profile), len(without_profile)) < LEAST_FRAMES:
        return None
    from loadrig.stats.compare import independent

    return independent(without_profile, with_profile)


def _rate(frame: Frame) -> float:
    """Return the good answers of the service a second in a frame; 0 for a frame of no length."""
    good = sum(row.count for row in frame.routes if row.outcome == "ok" and row.route_class == "service")
    return good / (frame.len_ns / 1e9) if frame.len_ns else 0.0
