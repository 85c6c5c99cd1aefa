"""Conversion of times of the wall clock to the monotonic clock of the rig."""

import time

NS = 1_000_000_000


def from_wall(wall_ns: int) -> int:
    """Return the instant on this machine's monotonic clock, in nanoseconds, of a wall-clock time `wall_ns`.

    Both clocks are read anew each time, so a wall clock that was set meanwhile misplaces only times from
    before. They are read one after the other: right to about a microsecond.
    """
    return wall_ns - (time.time_ns() - time.monotonic_ns())
