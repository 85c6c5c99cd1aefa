"""Wait between trials: ports of closed connections stay in TIME_WAIT for a minute until they are free.

A setting that used up the ports of the machine would otherwise spoil the trial of the next setting.
"""

import time
from collections.abc import Callable
from pathlib import Path

SOCKETS = Path("/proc/net/sockstat")
PORT_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")

PORTS_RESTED_SHARE = 0.25
"""Share of the ports that are in TIME_WAIT. Above it a trial does not begin."""

MOST_S, EVERY_S = 65.0, 0.5
"""Longest wait and time between two looks, in seconds. TIME_WAIT lasts 60 s, whatever sysctl says
(TCP_TIMEWAIT_LEN)."""


def waiting(sockstat: str) -> int:
    """Return the number of sockets in TIME_WAIT, from the text of /proc/net/sockstat; 0 where it has none."""
    for line in sockstat.splitlines():
        words = line.split()
        if words[:1] == ["TCP:"] and "tw" in words:
            return int(words[words.index("tw") + 1])
    return 0


def is_needed() -> bool:
    """Return whether too many ports are in TIME_WAIT to begin a trial; False where that cannot be read."""
    try:
        first, last = (int(word) for word in PORT_RANGE.read_text(encoding="ascii").split())
        return waiting(SOCKETS.read_text(encoding="ascii")) > PORTS_RESTED_SHARE * (last - first + 1)
    except (OSError, ValueError):
        return False


def wait(most_s: float = MOST_S, sleep: Callable[[float], None] = time.sleep) -> float:
    """Wait until enough ports are free again, most_s seconds at most; return the seconds waited."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) < most_s and is_needed():
        sleep(EVERY_S)
    return passed
