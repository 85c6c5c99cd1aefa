"""Readings of a level by process, and the requests served by each instant, against which growth is set."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from loadrig.judgement.facts.case import Case
from loadrig.recording.steps import NS, Edges
from loadrig.stats.arrays import Floats, as_floats


@dataclass(frozen=True, eq=False)
class ProcessReadings:
    """Readings of one level of one process.

    subject: "pid:12". t_s, level: float64[n], in the order of time, known values. born_s: when the process
    began, where that was seen.
    """

    subject: str
    t_s: Floats
    level: Floats
    born_s: float | None = None

    @property
    def spacing_s(self) -> float:
        """Mean time between two readings, in seconds; 0 of one reading."""
        return float(self.t_s[-1] - self.t_s[0]) / max(1, self.t_s.size - 1)


@dataclass(frozen=True, eq=False)
class RequestCount:
    """Requests that had ended by some instants. t_s, requests: float64[n], both never falling."""

    t_s: Floats
    requests: Floats

    @classmethod
    def of(cls, t_s: ArrayLike, requests: ArrayLike) -> "RequestCount":
        """Return the count from two lists. Raises ValueError if they differ in length, are empty, or fall."""
        at, counts = as_floats(t_s), as_floats(requests)
        if at.size != counts.size or not at.size:
            raise ValueError(f"{at.size} instants, but {counts.size} counts")
        if np.any(np.diff(at) < 0) or np.any(np.diff(counts) < 0):
            raise ValueError("neither time nor requests served go back")
        return cls(at, counts)

    def at(self, t_s: ArrayLike) -> Floats:
        """Return the requests that had ended by some instants, as if they came evenly between known ones."""
        requests: Floats = np.interp(as_floats(t_s), self.t_s, self.requests)
        return requests

    @property
    def a_second(self) -> float:
        """Return the mean number of requests a second over the whole time."""
        length = float(self.t_s[-1] - self.t_s[0])
        return float(self.requests[-1] - self.requests[0]) / length if length > 0 else 0.0


def served(case: Case) -> RequestCount:
    """Return the requests that had ended by each edge of the steps of a case, logins and failures too."""
    load = case.load
    ended_in_step = (load.ok + load.failed + load.logins) * load.seconds
    ended = np.concatenate(([0.0], np.cumsum(ended_in_step)))
    return RequestCount.of((case.edges_ns - case.origin_ns) / NS, ended)


def within(case: Case) -> RequestCount:
    """Return the requests that had ended by each edge of the steps, over the measured part alone."""
    whole = served(case)
    ends = (np.array(case.window_ns) - case.origin_ns) / NS
    inside = (whole.t_s > ends[0]) & (whole.t_s < ends[1])
    t_s = np.concatenate((ends[:1], whole.t_s[inside], ends[1:]))
    return RequestCount.of(t_s, whole.at(t_s))


def requests_at(case: Case, t_ns: Edges) -> Floats:
    """Return the number of requests that had ended by each of some instants."""
    return served(case).at((t_ns - case.origin_ns) / NS)
