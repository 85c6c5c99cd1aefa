"""One clock: what others date by the wall is put on the monotonic clock of the rig."""

import time

NS = 1_000_000_000


def from_wall(wall_ns: int) -> int:
    """The instant on this machine's monotonic clock that the wall clock calls `wall_ns`.

    Both clocks are read anew each time, so a wall clock that was set meanwhile misplaces only what was
    dated before. They are read one after the other: right to about a microsecond.
    """
    return wall_ns - (time.time_ns() - time.monotonic_ns())
