"""The load as the generator saw it, step by step, in the words that causes ask with."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadrig.judgement.evidence import LoadSource
from loadrig.recording.steps import Bools, Floats

LOAD = "load"
"""Component of what the generator itself does, and that is accused of what the plan asks for."""

OPEN_MODELS = frozenset({"rate", "sessions", "replay"})
"""Arrival models in which requests are due whether or not the server keeps up."""

CONNECT_MODES_S = (1.0, 3.0, 7.0, 15.0)
"""Seconds in all after which a SYN is sent again: 1, 2, 4, 8 s apart. Source: RFC 6298, section 2;
TCP_TIMEOUT_INIT."""

OF_LOAD = ("408", "429")
"""Statuses from 400 to 499 by which a server says that it is too slow or has too much to do."""

MODE_WIDTH = 0.25
"""Share by which a latency may be above such a time, 0 to 1: an answer takes its own time after that."""

CLOSED = ("closed", "reset")
"""Outcomes of requests whose connection was closed before any answer."""

MOST_OF_THEM = 0.8
"""Share of the requests that failed, 0 to 1, of a kind from which on that is how requests fail."""

TIMES_IN_FLIGHT = 10.0
"""Ratio of the requests in flight to the usual number from which on they have piled up: chance doubles it."""


@dataclass(frozen=True, eq=False)
class Load:
    """Requests and answers of a load. Arrays: float64[n], one value a step; rates are per second.

    model: "users", "rate", "sessions", "replay" or "saturate". offered: requests due; ok, failed: answered
    well, ended otherwise (logins left out); logins: logins ended, however; failed_logins: logins that
    failed, None where that is not known. in_flight: mean number of requests that were sent and not answered;
    users: users that live. opened: connections opened. bytes: bytes of the answers' bodies.
    routes: ok by route; outcomes: by outcome, "ok" too. status: answers by status code.
    unsent: number never sent, by reason ("no free connection", ...).
    quantiles: latency of good answers of the measured part, from due to answered, by q in seconds.
    generator_cpu: cores that the generator used; None where it did not say.
    capped: requests a second that were due while every connection was in use; connections: those open.
    gaps_s: seconds between neighbouring sends, a run for each frame of the measured part; a sample.
    latency_by_step: that latency for each step by q, computed only when it is called.
    """

    model: str
    is_inside: Bools
    seconds: Floats
    offered: Floats
    ok: Floats
    failed: Floats
    logins: Floats
    in_flight: Floats
    users: Floats
    opened: Floats
    sent: Floats
    bytes: Floats
    routes: Mapping[str, Floats] = field(default_factory=dict)
    login_routes: Mapping[str, Floats] = field(default_factory=dict)
    failed_logins: "Floats | None" = None
    outcomes: Mapping[str, Floats] = field(default_factory=dict)
    status: Mapping[str, Floats] = field(default_factory=dict)
    unsent: Mapping[str, int] = field(default_factory=dict)
    keep_alive: bool = True
    quantiles: Mapping[float, float] = field(default_factory=dict)
    generator_cpu: "Floats | None" = None
    capped: "Floats | None" = None
    connections: "Floats | None" = None
    gaps_s: Sequence[Floats] = ()
    latency_by_step: Callable[[float], Floats] | None = None
    latency_of_route: Callable[[str, float], float] | None = None
    latency_before_of_route: Callable[[str, float], float] | None = None

    @property
    def is_open(self) -> bool:
        """Whether requests were due whether or not the server kept up."""
        return self.model in OPEN_MODELS

    def mean(self, values: Floats) -> float:
        """Return the mean over the time of the measured part; 0 where there is none."""
        weight = self.seconds[self.is_inside]
        return float((values[self.is_inside] * weight).sum() / weight.sum()) if weight.sum() > 0 else 0.0

    def total(self, values: Floats) -> float:
        """Return the sum of a rate over the measured part: a number of requests, connections or the like."""
        return float((values[self.is_inside] * self.seconds[self.is_inside]).sum())

    @property
    def offered_rps(self) -> float:
        """Requests due a second."""
        return self.mean(self.offered)

    @property
    def ok_rps(self) -> float:
        """Requests a second that were answered well."""
        return self.mean(self.ok)

    @property
    def ended_rps(self) -> float:
        """Requests a second that ended, well or not, logins too: what the server had to work on."""
        return self.mean(self.ok) + self.mean(self.failed) + self.mean(self.logins)

    @property
    def failed_share(self) -> float:
        """Failed over finished requests; 0 where none finished."""
        return self.total(self.failed) / self.finished if self.finished else 0.0

    @property
    def rejected(self) -> Floats:
        """Requests a second that were answered with a status from 400 to 499 which no load brings about.

        float64[n]. The server has answered: what it was asked for is not there, or not allowed.
        """
        of_load = sum((self.status[code] for code in OF_LOAD if code in self.status), np.zeros(self.ok.size))
        rejected: Floats = np.maximum(0.0, self.outcomes.get("http_4xx", np.zeros(self.ok.size)) - of_load)
        return rejected

    @property
    def rejected_share(self) -> float:
        """Requests that were rejected over finished ones; 0 where none finished."""
        return self.total(self.rejected) / self.finished if self.finished else 0.0

    @property
    def finished(self) -> float:
        """Number of requests of the measured part that were answered well or failed; logins left out."""
        return self.total(self.ok) + self.total(self.failed)

    @property
    def capped_share(self) -> float:
        """Share of the requests due that met every connection in use, 0 to 1; 0 where that was not read."""
        if self.capped is None or not self.offered_rps > 0:
            return 0.0
        return min(1.0, self.mean(self.capped) / self.offered_rps)

    @property
    def failed_in_crowds(self) -> float:
        """Share of the failed requests that failed while far more were in flight than usual, 0 to 1."""
        in_flight, failed = self.in_flight[self.is_inside], (self.failed * self.seconds)[self.is_inside]
        if not failed.sum() > 0:
            return 0.0
        is_crowded = in_flight >= TIMES_IN_FLIGHT * max(float(np.median(in_flight)), 1.0)
        return float(failed[is_crowded].sum() / failed.sum())

    @property
    def fails_in_crowds(self) -> bool:
        """Whether requests mostly fail while many more are in flight than usual: no connection is idle."""
        return self.failed_in_crowds >= MOST_OF_THEM

    @property
    def fails_by_closing(self) -> bool:
        """Whether requests mostly fail as their connection is closed before any answer."""
        failed = self.total(self.failed)
        return failed > 0 and self.count(*CLOSED) >= MOST_OF_THEM * failed

    def count(self, *outcomes: str) -> int:
        """Return how many requests of the measured part ended with one of these outcomes."""
        return round(sum(self.total(self.outcomes[name]) for name in outcomes if name in self.outcomes))

    def latency(self, q: float) -> float:
        """Return a quantile of the latency of good answers, in seconds; NaN where there were none."""
        return self.quantiles.get(q, float("nan"))

    @property
    def connected_again(self) -> tuple[float, float] | None:
        """Latency of the slowest answers, and after how long who was refused connects again, in seconds.

        None where the slowest answers took no such time.
        """
        slowest_s = (self.latency(0.99), self.latency(0.999))
        pairs = ((latency_s, mode_s) for latency_s in slowest_s for mode_s in CONNECT_MODES_S)
        return next((pair for pair in pairs if pair[1] <= pair[0] <= pair[1] * (1 + MODE_WIDTH)), None)

    @property
    def waiting(self) -> float:
        """Mean number of requests in flight."""
        return self.mean(self.in_flight)

    def share_waiting(self, number: float) -> float:
        """Return the share of the requests in flight that a number of them is, 0 to 1; 0 where none is."""
        return min(1.0, number / self.waiting) if self.waiting else 0.0

    @property
    def opened_a_request(self) -> float:
        """Connections that the generator opened for each request that it sent."""
        sent = self.total(self.sent)
        return self.total(self.opened) / sent if sent else 0.0

    def source(self, name: str) -> LoadSource:
        """Return the source of a sentence about the load: a field of the trial's result."""
        return LoadSource(name)
