"""Part of a rising load in which the server no longer kept up: what limits it is seen there, not before.

A ramp loads a server with far less than it takes at first. Figures of the whole then mix a server that idles
with one that is full, and say of every resource that it had room.
"""

import numpy as np
from msgspec.structs import replace

from loadrig.recording.manifest_document import RecordedSpan
from loadrig.recording.reader import Recording
from loadrig.recording.steps import NS

RISES = 1.5
"""Requests due in the last quarter over those in the first, from which on a load rises: noise of a steady one
stays far below."""

BEHIND_S = 1.0
"""Seconds of the load that wait to be answered at the end, from which on a server has fallen behind."""

KEPT_UP_S = 0.25
"""Seconds of the load up to which the requests in flight are no more than a server at work has."""

FEWEST_FRAMES = 8
"""Frames of which first and last quarter can be compared."""

SHORTEST_S = 3.0
"""Shortest part that is looked at alone, in seconds: the probes look once a second."""

AS_GOOD_AS_WHOLE = 0.8
"""Share of the measured part from which on a part is as good as the whole."""


def at_limit(recording: Recording) -> Recording | None:
    """Return the recording with the window in which the server was at its limit; None where it has none.

    It is the one that an experiment has noted, else the one in which a load that rises outran the server.
    """
    if recording.at_limit is not None:
        return recording.at_limit
    return recording.remembered(__name__, lambda: _overrun(recording))


def _overrun(recording: Recording) -> Recording | None:
    frames = [frame for frame in recording.inside if frame.len_ns > 0]
    if recording.imported or len(frames) < FEWEST_FRAMES:
        return None
    seconds = np.array([frame.len_ns / NS for frame in frames])
    due = np.array([frame.due for frame in frames]) / seconds
    in_flight = np.array([frame.in_flight_s for frame in frames]) / seconds
    quarter = len(frames) // 4
    first, last = due[:quarter].mean(), due[-quarter:].mean()
    if last < RISES * first or in_flight[-quarter:].mean() < BEHIND_S * last:
        return None
    kept_up = np.flatnonzero(in_flight <= KEPT_UP_S * np.maximum(due, first))
    first_behind = int(kept_up[-1]) + 1 if kept_up.size else 0
    if first_behind == len(frames):  # at last it kept up again
        return None
    begin, end = frames[first_behind].t_ns, frames[-1].end_ns
    length_s, whole_s = (end - begin) / NS, (end - frames[0].t_ns) / NS
    if length_s < SHORTEST_S or length_s > AS_GOOD_AS_WHOLE * whole_s:
        return None
    return Recording(recording.folder, replace(recording.manifest, measured=RecordedSpan(begin, end)))
