"""Requests counted by the server itself, beside those that the rig sent: evidence of check G16."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from loadrig.base.clock import NS
from loadrig.base.component import SERVER
from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording

COUNTERS = (("nginx", "requests"), ("tomcat", "requests"), ("access_log", "requests"))
"""Series of a server that count every request that it took, whoever sent it."""

ASKED_BY_PROBES = 20
"""Number of requests by which probes find out what a server offers, beside one for each of their samples."""

READ_LATE_S = 0.25
"""Time in seconds by which a reading may be later than its instant says: on a machine that is full, a thread
that has looked at the clock may wait so long before it reads."""

PROBES_BY_REQUEST = 3
"""Largest number of probes that read one server by requests, one a sample, whether it has answered or not."""


@dataclass(frozen=True, slots=True)
class ServedCount:
    """A server's own count of requests between two readings. ours: requests that the rig sent, at most."""

    probe: str
    counted: float
    ours: float

    @property
    def others(self) -> float:
        """Requests of somebody else, at least."""
        return max(0.0, self.counted - self.ours)

    @property
    def share(self) -> float:
        """Share of the requests that somebody else sent, at least, 0 to 1."""
        return self.others / self.counted if self.counted > 0 else 0.0


def counts(recording: Recording) -> tuple[ServedCount, ...]:
    """Return every counter of the server that was read twice or more, beside the requests sent meanwhile."""
    frames, served = recording.frames, []
    if not frames:
        return ()
    probing = _requests_of_probes(recording)
    for probe, metric in COUNTERS:
        every = recording.series(probe=probe, metric=metric, component=SERVER)
        # A log counts in all and by route: take the count in all. Connectors each have a count: take their
        # sum.
        whole = {key: series for key, series in every.items() if key.subject == ""} or every
        if not whole or any(len(series.value) < 2 for series in whole.values()):
            continue
        from_ns = max(int(series.t_ns[0]) for series in whole.values())
        to_ns = min(int(series.t_ns[-1]) for series in whole.values())
        grown = sum(_gained(series.value.tolist()) for series in whole.values())
        served.append(ServedCount(probe, grown, sent_at_most(frames, from_ns, to_ns) + probing))
    return tuple(served)


def _gained(values: Sequence[float]) -> float:
    """Return the growth of a counter.

    A counter that began anew (a restart) has gained what it shows since.
    """
    return sum(b - a if b >= a else b for a, b in pairwise(values))


def sent_at_most(frames: Sequence[Frame], from_ns: int, to_ns: int) -> float:
    """Return the requests of the rig between two instants, at most.

    Whole frames at both edges and redirects are included, and what was sent until a late reading was over.
    """
    until_ns = to_ns + READ_LATE_S * NS
    near = [
        frame
        for frame in frames
        if frame.end_ns > from_ns - frame.len_ns and frame.t_ns < until_ns + frame.len_ns
    ]
    sent = sum(frame.sent + frame.logins + frame.logins_again for frame in near)
    led = sum(n for frame in near for status, n in frame.status.items() if status.startswith("3"))
    # Requests sent before the first reading may have been counted after it.
    waiting = max((frame.in_flight for frame in near), default=0)
    return float(sent + led + waiting)


def _requests_of_probes(recording: Recording) -> float:
    """Return the requests of the rig's own probes to the server, at most."""
    every = (series.t_ns.size for series in recording.series(component=SERVER).values())
    return float(ASKED_BY_PROBES + PROBES_BY_REQUEST * max(every, default=0))
