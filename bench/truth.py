"""Latency of the stalling server: by simulation, not by asking a tool.

Arrivals at a fixed interval, `connections` connections that each carry one request at a time, the
first that is free taking the first that waits; a server with one thread (native/stalling.c) that
answers `delay_ms` after it has read a request and stands still for `stall_ms` at every_ms / 2,
3 every_ms / 2, … after the first. Latency counts from the arrival.

With nothing but that the truth is exact. After a stall, though, hundreds of requests are read and
answered at once, and those few microseconds each are the server's as well: they are put in as the
server itself states them.
"""

import heapq
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass

QUANTILES = {"p50": 0.5, "p90": 0.9, "p95": 0.95, "p99": 0.99, "p99.9": 0.999, "max": 1.0}


@dataclass(frozen=True)
class Stalls:
    """The server's rhythm, and what reading a request and sending an answer take it. In ms."""

    delay_ms: float = 1.0
    every_ms: float = 2000.0
    stall_ms: float = 200.0
    read_ms: float = 0.0
    send_ms: float = 0.0

    def awake(self, at_ms: float) -> float:
        """Return the first moment at or after this one in which the server does not stand still."""
        into = (at_ms - self.every_ms / 2) % self.every_ms
        is_still = at_ms >= self.every_ms / 2 and into < self.stall_ms
        return at_ms + self.stall_ms - into if is_still else at_ms


STALLS = Stalls()


def latencies_ms(rate: float, connections: int, seconds: float, stalls: Stalls = STALLS) -> list[float]:
    """Latency of every request of an open load at this rate, in the order in which they are answered."""
    due = deque(n * 1000.0 / rate for n in range(round(rate * seconds)))
    free_at = [0.0] * connections  # a heap
    answers: deque[tuple[float, float]] = deque()  # (when it may be sent, when the request was due)
    response_ms = []
    now = 0.0
    while due or answers:
        now = stalls.awake(now)
        # Read all that has arrived: it was due, and a connection was free to carry it.
        while due and free_at and max(due[0], free_at[0]) <= now:
            heapq.heappop(free_at)
            now += stalls.read_ms
            answers.append((now + stalls.delay_ms, due.popleft()))
        now = stalls.awake(now)
        looked_ms = now
        while answers and answers[0][0] <= looked_ms:
            now += stalls.send_ms
            response_ms.append(now - answers.popleft()[1])
            heapq.heappush(free_at, now)
        next_read = max(due[0], free_at[0]) if due and free_at else math.inf
        next_send = answers[0][0] if answers else math.inf
        if (following := min(next_read, next_send)) < math.inf:
            now = max(now, following)
    return response_ms


def quantile(ordered: Sequence[float], q: float) -> float:
    """Return the smallest value that at least a share q is not above. ordered: increasing, not empty."""
    # 0.95 * 8,000 is 7,600.000000000001 in floating point.
    rank = math.ceil(q * len(ordered) - 1e-9)
    return ordered[max(0, rank - 1)]


def quantiles_ms(latencies: Sequence[float]) -> dict[str, tuple[float, float]]:
    """Each quantile as the range from the request before it to the one after it, in order of latency.

    A quantile of n requests lies between two of them; definitions differ in which is taken, and
    where the stalls begin neighbours are a whole interval of arrivals apart.
    """
    ordered = sorted(latencies)
    step = 1 / len(ordered)
    return {
        name: (quantile(ordered, max(0.0, q - step)), quantile(ordered, min(1.0, q + step)))
        for name, q in QUANTILES.items()
    }
