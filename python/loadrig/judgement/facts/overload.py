"""Part of a rising load in which the server no longer kept up: what limits it is seen there, not before.

A ramp loads a server with far less than it takes at first. Figures of the whole then mix a server that idles
with one that is full, and say of every resource that it had room.
"""

import numpy as np
from msgspec.structs import replace

from loadrig.account.load import is_of_load
from loadrig.judgement.constants import STRETCHED, STRETCHED_S, THREE_READINGS_S
from loadrig.recording.manifest_document import RecordedSpan
from loadrig.recording.reader import Recording
from loadrig.recording.steps import NS

RISES = 1.5
"""Requests due in the last quarter over those in the first, from which on a load rises: noise of a steady one
stays far below."""

BEHIND_S = 1.0
"""Seconds that a request waits at the end, from which on a server has fallen behind: those in flight over
those that are answered a second (Little's law)."""

END_S = 1.0
"""Length of the end of a load, in seconds: that of a step. Over more of a queue that grows, its mean is far
shorter than the queue that is left."""

KEPT_UP_S = 0.25
"""Seconds of the load up to which the requests in flight are no more than a server at work has, however long
its requests take. A quick one is full long before so many wait: see STRETCHED."""

FEWEST_FRAMES = 8
"""Frames of which first and last quarter can be compared."""

A_LITTLE = 0.01
"""Share by which frames of a second may be longer."""

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
    # While only the last answers are waited for, no load rises, and less and less is in flight.
    frames = [frame for frame in recording.inside if frame.len_ns > 0 and is_of_load(recording, frame)]
    if recording.imported or len(frames) < FEWEST_FRAMES:
        return None
    seconds = np.array([frame.len_ns / NS for frame in frames])
    due = np.array([frame.due for frame in frames]) / seconds
    ended = np.array([frame.answered + frame.failed for frame in frames]) / seconds
    in_flight = np.array([frame.in_flight_s for frame in frames]) / seconds
    quarter = len(frames) // 4
    first, last = due[:quarter].mean(), due[-quarter:].mean()
    is_end = np.cumsum(seconds[::-1])[::-1] <= max(END_S, seconds[-1]) * (1 + A_LITTLE)
    behind_s = in_flight[is_end].mean() / max(ended[is_end].mean(), 1 / END_S)
    if last < RISES * first or behind_s < BEHIND_S:
        return None
    usual_s = float(np.median(in_flight[:quarter] / np.maximum(due[:quarter], 1 / END_S)))
    waits_s = min(KEPT_UP_S, max(STRETCHED_S, STRETCHED * usual_s))
    in_step = np.flatnonzero(in_flight <= waits_s * np.maximum(due, first))
    first_behind = int(in_step[-1]) + 1 if in_step.size else 0
    if first_behind == len(frames):  # at last it kept up again
        return None
    begin, end = frames[first_behind].t_ns, frames[-1].end_ns
    length_s, whole_s = (end - begin) / NS, (recording.inside[-1].end_ns - frames[0].t_ns) / NS
    if length_s < THREE_READINGS_S or length_s > AS_GOOD_AS_WHOLE * whole_s:
        return None
    return Recording(recording.folder, replace(recording.manifest, measured=RecordedSpan(begin, end)))
