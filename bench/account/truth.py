"""The truth of a window: what a server's own book says of its requests, as lines like those of an account.

Pure arithmetic on books. A server knows what happens between reading a request and writing its answer, and
some know when a request arrived. What is left of the response time is the state that the cell names: before
the reading, or after the writing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Book = Mapping[str, Any]

NS_PER_MS = 1e6

LINES = (
    "accept_queue", "unread", "awaiting", "answer_unread", "running", "runnable", "disk", "inside", "sending",
)  # fmt: skip
"""States of an account that a book can be held against, in the order of a request's way. What passes in the
generator, and opening a connection, only the generator knows."""


@dataclass(frozen=True, slots=True)
class RequestSums:
    """Sums over the requests that ended in a window, in nanoseconds, and their number.

    process_ns: CPU time of the process in that window.
    """

    requests: int
    fields: Mapping[str, int]
    process_ns: int

    def ms(self, field: str) -> float:
        """Mean of a field for each request, in milliseconds."""
        return self.fields[field] / self.requests / NS_PER_MS


def sums(book: Book, start_ns: int, end_ns: int) -> RequestSums:
    """Add up the buckets that lie in a window of the monotonic clock.

    Raises ValueError where fewer than two buckets lie in it: CPU time is the difference of two.
    """
    length = int(book["bucket_ns"])
    ordered = sorted(book["buckets"], key=lambda bucket: bucket["number"])
    inside = [b for b in ordered if start_ns <= b["number"] * length and (b["number"] + 1) * length <= end_ns]
    if len(inside) < 2:
        raise ValueError("fewer than two buckets of the book lie in the window")
    # The CPU time of a bucket is that at its last request; what was used before the first is not ours.
    earlier = [b["process_cpu"] for b in ordered if b["number"] < inside[0]["number"]]
    first = earlier[-1] if earlier else inside[0]["process_cpu"]
    names = [name for name in inside[0] if name not in ("number", "process_cpu")]
    fields = {name: sum(bucket[name] for bucket in inside) for name in names}
    return RequestSums(fields["requests"], fields, inside[-1]["process_cpu"] - first)


def lines(
    server: RequestSums,
    dependency: RequestSums | None,
    has_arrivals: bool,
    total_ms: float,
    before_ms: float,
    rest: str,
) -> dict[str, float]:
    """Return how long a request truly was in each state, in milliseconds; together they are the total.

    dependency: of the server that it calls. total_ms: mean response time from outside. before_ms: of that,
    spent in the generator and in opening connections. rest: state of what no book knows, where arrivals are
    unknown; where they are known it is the sending.
    """
    hand, call, disk = server.ms("hand"), server.ms("call"), server.ms("disk")
    awaiting = min(call, _taken_ms(server, dependency))
    # The process also runs to read and to write, and all it does is for its requests.
    running = max(server.ms("cpu"), server.process_ns / server.requests / NS_PER_MS)
    elsewhere = max(0.0, hand - call - disk)
    running = min(running, elsewhere)
    runnable = min(server.ms("delay"), elsewhere - running)
    states = {
        "accept_queue": server.ms("accept_queue"),
        "unread": server.ms("unread"),
        "awaiting": awaiting,
        "answer_unread": call - awaiting,
        "running": running,
        "runnable": runnable,
        "disk": disk,
        "inside": elsewhere - running - runnable,
        "sending": 0.0,
    }
    accounted_ms = sum(states.values())
    states["sending" if has_arrivals else rest] += max(0.0, total_ms - before_ms - accounted_ms)
    return states


def _taken_ms(server: RequestSums, dependency: RequestSums | None) -> float:
    """Return how long the dependency had calls, for each request of the server."""
    if dependency is None:
        return 0.0
    in_program_ns = sum(dependency.fields[name] for name in ("accept_queue", "unread", "hand"))
    return in_program_ns / server.requests / NS_PER_MS
