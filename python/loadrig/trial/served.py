"""What the server itself counted of requests, beside those that the rig sent: evidence of check G16."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from loadrig.base.component import SERVER
from loadrig.recording.frame import Frame
from loadrig.recording.reader import Recording

NS = 1_000_000_000

COUNTERS = (("nginx", "requests"), ("tomcat", "requests"), ("access_log", "requests"))
"""Series of a server that count every request that it took, whoever sent it."""

ASKED_BY_PROBES = 20
"""Requests by which probes find out what a server offers, beside one for each of their samples."""

PROBES_BY_REQUEST = 3
"""Probes that read one server by requests, at most, each once a sample: whether it has answered or not."""


@dataclass(frozen=True, slots=True)
class Served:
    """A server's own count of requests between two readings. ours: those that the rig sent, at most."""

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


def counts(recording: Recording) -> tuple[Served, ...]:
    """Every counter of the server that was read twice or more, beside what was sent meanwhile."""
    frames, found = recording.frames, []
    if not frames:
        return ()
    probing = _requests_of_probes(recording)
    for probe, metric in COUNTERS:
        every = recording.series(probe=probe, metric=metric, component=SERVER)
        # Of a log in all and by route: in all. Of connectors: their sum.
        whole = {key: one for key, one in every.items() if key.subject == ""} or every
        if not whole or any(len(one.value) < 2 for one in whole.values()):
            continue
        from_ns = max(int(one.t_ns[0]) for one in whole.values())
        to_ns = min(int(one.t_ns[-1]) for one in whole.values())
        grown = sum(_gained(one.value.tolist()) for one in whole.values())
        found.append(Served(probe, grown, _sent_at_most(frames, from_ns, to_ns) + probing))
    return tuple(found)


def _gained(values: Sequence[float]) -> float:
    """What a counter gained; one that began anew (a restart) has gained what it shows since."""
    return sum(b - a if b >= a else b for a, b in pairwise(values))


def _sent_at_most(frames: Sequence[Frame], from_ns: int, to_ns: int) -> float:
    """Requests of the rig between two instants, whole frames at both edges and redirects included."""
    near = [one for one in frames if one.end_ns > from_ns - one.len_ns and one.t_ns < to_ns + one.len_ns]
    sent = sum(one.sent + one.logins + one.logins_again for one in near)
    led = sum(n for one in near for status, n in one.status.items() if status.startswith("3"))
    # What was sent before the first reading may have been counted after it.
    waiting = max((one.in_flight for one in near), default=0)
    return float(sent + led + waiting)


def _requests_of_probes(recording: Recording) -> float:
    """Requests of the rig's own probes to the server, at most."""
    every = (one.t_ns.size for one in recording.series(component=SERVER).values())
    return float(ASKED_BY_PROBES + PROBES_BY_REQUEST * max(every, default=0))
