"""Pauses between two looks at what a test waits for.

Five workers wait at once, and each look takes CPU time from the servers that they wait for: a fixed pause of
10 ms took a tenth of a core for a wait. So a pause is a twentieth of what was waited.
"""

import time

SHARE = 0.05
"""Share of the wait so far that a pause takes, so that a wait becomes longer by a twentieth at most."""

SHORTEST_S, LONGEST_S = 0.01, 0.05
"""Bounds of a pause, in seconds: what comes soon is seen soon, and a state of a tenth of a second is seen."""


def pause(began: float, shortest_s: float = SHORTEST_S) -> None:
    """Sleep until the next look. began: `time.monotonic()` when the wait began."""
    time.sleep(max(shortest_s, min(SHARE * (time.monotonic() - began), LONGEST_S)))
