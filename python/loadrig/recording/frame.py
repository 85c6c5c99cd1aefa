"""Frames of the generator: what it did in an interval, counted.

A frame's histograms are split from its counters as it arrives: they stay text (see hlog.py) and
are decoded only where somebody asks for them.
"""

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from sys import intern
from typing import Any

from loadrig._native import Histogram
from loadrig.recording.hlog import ENGINE, Tag

Json = Mapping[str, Any]

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
    reset a stream or said that it takes no more (goaways). At its end: in_flight (with queued), queued,
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
    def imported(cls, row: Json) -> "Frame":
        """Return a frame of another tool's results.

        Fields that the tool did not report are not in the row, and are 0 in the frame. A caller that shows a
        figure asks the manifest what is known (`imported`). Raises as from_json.
        """
        routes = [{"bytes": 0, **route} for route in row["routes"]]
        return cls.from_json({**_NOT_TOLD, **row, "routes": routes})

    @classmethod
    def live(cls, message: Json) -> "Frame":
        """Return a frame as the generator sends it, with its histograms. Raises as from_json."""
        counters, histograms = split(message)
        return cls.from_json(counters, dict(histograms))

    @classmethod
    def from_json(cls, row: Json, histograms: Mapping[Tag, str] = _NONE) -> "Frame":
        """Return a frame as a line of frames.jsonl holds it.

        Raises KeyError, TypeError or ValueError where the row is no frame.
        """
        return cls(
            **{name: int(row[name]) for name in _COUNTS},
            **{name: int(row.get(name, 0)) for name in _COUNTS_ADDED},
            planned=float(row["planned"]),
            in_flight_s=float(row["in_flight_s"]),
            unsent_why=row["unsent_why"] or _NONE,
            routes=tuple(
                _route_count(
                    str(entry["route"]), str(entry["class"]), str(entry["outcome"]), int(entry["count"])
                )
                for entry in row["routes"]
            ),
            # Machine integers: Python's own integers would take most of a long recording's memory.
            route_bytes=array("q", [entry["bytes"] for entry in row["routes"]]),
            status=row["status"],
            threads=tuple(
                ThreadUse(int(entry["cpu_ns"]), int(entry["run_delay_ns"]), float(entry["busy_share"]))
                for entry in row["threads"]
            ),
            gaps_ns=array("q", row["gaps_ns"]),
            examples=tuple(
                FailedRequest(
                    int(each["t_ns"]), str(each["route"]), str(each["outcome"]), str(each["detail"]),
                    tuple(map(str, each.get("headers", ()))),
                )
                for each in row["examples"]
            ),
            histograms=histograms,
        )  # fmt: skip


@lru_cache(maxsize=1 << 14)
def _route_count(route: str, route_class: str, outcome: str, count: int) -> RouteCount:
    """Return the count with these values, one object for equal values.

    Fifty routes over hours have a few thousand that differ.
    """
    return RouteCount(intern(route), intern(route_class), intern(outcome), count)


_COUNTS = (
    "n", "t_ns", "len_ns", "due", "sent", "answered", "failed", "unsent", "in_flight", "queued", "users",
    "sessions", "bytes_in", "bytes_out", "opened", "reused", "open", "backoffs", "capped",
    "process_cpu_ns", "rss_bytes", "fds", "fds_limit", "ports", "ports_range", "logins", "logins_again",
)  # fmt: skip

_NOT_TOLD: Json = {
    **dict.fromkeys(_COUNTS, 0), "planned": 0.0, "unsent_why": {}, "threads": (), "gaps_ns": (),
    "examples": (),
}  # fmt: skip
"""Fields that another tool's results may lack; what such a frame must have stands in its row."""

_COUNTS_ADDED = ("stream_resets", "goaways")
"""Counters that came into format 1 after its first recordings, where they are 0."""


def split(row: Json) -> tuple[dict[str, Any], list[tuple[Tag, str]]]:
    """Return a generator's frame as its counters, and its histograms with their tags.

    The given frame is left as it is.
    """
    histograms: list[tuple[Tag, str]] = []
    routes = []
    for route in row["routes"]:
        routes.append({key: value for key, value in route.items() if key not in ROUTE_KINDS})
        histograms += [
            (Tag(route["route"], route["outcome"], kind), route[kind])
            for kind in ROUTE_KINDS
            if route.get(kind)
        ]
    histograms += [(Tag(ENGINE, "", kind), row[kind]) for kind in OWN_KINDS if row.get(kind)]
    counters = {key: value for key, value in row.items() if key not in OWN_KINDS}
    return {**counters, "routes": routes}, histograms
