"""Frames of the generator: what it did in an interval, counted.

A frame's histograms stay text (see hlog.py) and are decoded only where somebody asks for them.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from operator import attrgetter
from sys import intern
from typing import TYPE_CHECKING, Any

from loadrig._native import Histogram
from loadrig.recording.hlog import ENGINE, Tag

if TYPE_CHECKING:
    from loadrig.recording.frame_document import FrameDocument, LiveFrameDocument

OWN_KINDS = ("lag", "wait", "connect", "session")
"""Kinds of histograms of the generator as a whole, in the order of the log's lines."""

LAG = Tag(ENGINE, "", "lag")
"""Histogram of how late requests were sent, of the generator as a whole."""

ROUTE_KINDS = ("response", "service")
"""Kinds of histograms of each route and outcome."""


_NONE: Mapping[Any, Any] = {}


@dataclass(frozen=True, slots=True)
class RouteCount:
    """Requests of one route that ended in the interval with one outcome.

    Hours have a million of them, so equal ones are one object. route_class: "service" or "login".
    """

    route: str
    route_class: str
    outcome: str
    count: int


@dataclass(frozen=True, slots=True)
class ThreadUse:
    """CPU time of one thread of the generator: time on a core, and time ready without one.

    busy_share: time on a core over the interval's length, 0…1. Both leave out the looking at the
    clock of a thread with a core of its own, which is awake a little before a request is due.
    """

    cpu_ns: int
    run_delay_ns: int
    busy_share: float


@dataclass(frozen=True, slots=True)
class FailedRequest:
    """Request that failed, as an example. t_ns: when it ended. headers: lines of the answer's."""

    t_ns: int
    route: str
    outcome: str
    detail: str
    headers: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """An interval of the generator, from t_ns on the rig's clock, len_ns long.

    Within it: due, sent, answered, failed, unsent requests; bytes; connections opened; requests on a used
    connection (reused); pauses after a refused connection (backoffs); arrivals that found no free connection
    (capped); why requests were not sent; answers by status code; logins; frames of HTTP/2 by which the server
    reset a stream or said that it takes no more (goaways); steps that users' caches answered, which are no
    requests (from_cache). At its end: in_flight (with queued), queued,
    users, sessions, open connections, planned level of the load, descriptors (fds), local ports in use.
    in_flight_s: request-seconds. routes, route_bytes: what ended, and bytes of its bodies as received.
    gaps_ns: a sample of gaps between sends, in runs of neighbours; most frames of a thinned recording have
    none. histograms: encoded, of a frame as it comes; those of a recording are in a file of their own.
    """

    n: int
    t_ns: int
    len_ns: int
    due: int
    sent: int
    answered: int
    failed: int
    unsent: int
    in_flight: int
    queued: int
    users: int
    sessions: int
    planned: float
    in_flight_s: float
    bytes_in: int
    bytes_out: int
    opened: int
    reused: int
    open: int
    backoffs: int
    capped: int
    unsent_why: Mapping[str, int]
    routes: tuple[RouteCount, ...]
    route_bytes: Sequence[int]
    status: Mapping[str, int]
    threads: tuple[ThreadUse, ...]
    process_cpu_ns: int
    rss_bytes: int
    fds: int
    fds_limit: int
    ports: int
    ports_range: int
    gaps_ns: Sequence[int]
    logins: int
    logins_again: int
    stream_resets: int
    goaways: int
    from_cache: int
    examples: tuple[FailedRequest, ...]
    histograms: Mapping[Tag, str]

    @property
    def end_ns(self) -> int:
        """Instant at which the interval ends."""
        return self.t_ns + self.len_ns

    def histogram(self, tag: Tag) -> Histogram:
        """Return a histogram of a frame as it comes; an empty one where nothing was counted."""
        encoded = self.histograms.get(tag)
        return Histogram.decode(encoded) if encoded else Histogram()

    @classmethod
    def live(cls, document: "LiveFrameDocument") -> "Frame":
        """Return a frame as the generator sends it, with its histograms."""
        return cls.of(document, document.histograms)

    @classmethod
    def of(cls, document: "FrameDocument", histograms: Mapping[Tag, str] = _NONE) -> "Frame":
        """Return a frame as a line of frames.jsonl holds it.

        Fields that another tool did not report are 0: a caller that shows a figure asks the manifest what is
        known (`imported`).
        """
        return cls(
            **dict(zip(_AS_READ, _as_read(document), strict=True)),
            unsent_why=document.unsent_why or _NONE,
            routes=tuple(
                _route_count(row.route, row.route_class, row.outcome, row.count) for row in document.routes
            ),
            # Machine integers: Python's own integers would take most of a long recording's memory.
            route_bytes=array("q", [row.bytes for row in document.routes]),
            gaps_ns=array("q", document.gaps_ns),
            histograms=histograms,
        )


@lru_cache(maxsize=1 << 14)
def _route_count(route: str, route_class: str, outcome: str, count: int) -> RouteCount:
    """Return the count with these values, one object for equal values.

    Fifty routes over hours have a few thousand that differ.
    """
    return RouteCount(intern(route), intern(route_class), intern(outcome), count)


_AS_READ = (
    "n", "t_ns", "len_ns", "due", "sent", "answered", "failed", "unsent", "in_flight", "queued", "users",
    "sessions", "planned", "in_flight_s", "bytes_in", "bytes_out", "opened", "reused", "open", "backoffs",
    "capped", "stream_resets", "goaways", "status", "threads", "process_cpu_ns", "rss_bytes", "fds",
    "fds_limit", "ports", "ports_range", "logins", "logins_again", "from_cache", "examples",
)  # fmt: skip
"""Fields of a frame that are as a line of frames.jsonl holds them."""

_as_read = attrgetter(*_AS_READ)
