"""One clock: times of other clocks are converted to the monotonic clock of the rig."""

import time

NS = 1_000_000_000
"""Nanoseconds of a second."""

MS = 1_000_000
"""Nanoseconds of a millisecond."""


def from_wall(wall_ns: int) -> int:
    """Return the instant on this machine's monotonic clock, in nanoseconds, of a wall-clock time `wall_ns`.

    Both clocks are read anew each time, so a wall clock that was set meanwhile misplaces only times from
    before. They are read one after the other: right to about a microsecond.
    """
    return wall_ns - (time.time_ns() - time.monotonic_ns())


def from_boot(seconds: float) -> int:
    """Return the instant on this machine's monotonic clock, in nanoseconds, so long after the boot.

    Sleep of the machine counts after the boot, as it does where the kernel tells when a process began.
    """
    asleep_ns = time.clock_gettime_ns(time.CLOCK_BOOTTIME) - time.monotonic_ns()
    return round(seconds * NS) - asleep_ns
