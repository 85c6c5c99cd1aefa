"""Frames in a window of time: one rule for everything that counts or sums."""

from collections.abc import Sequence
from dataclasses import dataclass

from loadrig.recording.frame import Frame


@dataclass(frozen=True, slots=True)
class Window:
    """A stretch of time on the rig's clock.

    A frame lies in a window when it ends after from_ns and not after to_ns, so that adjoining windows share
    out all frames and count none twice.
    """

    from_ns: int
    to_ns: int

    def holds(self, frame: Frame) -> bool:
        """Return whether a frame lies in the window."""
        return self.from_ns < frame.end_ns <= self.to_ns

    def of(self, frames: Sequence[Frame]) -> list[Frame]:
        """Return the frames that lie in the window."""
        return [frame for frame in frames if self.holds(frame)]
