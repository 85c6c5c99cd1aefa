"""Messages of the generator, made up: a frame and a config, with every key that the real ones have."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from loadrig._native import Histogram
from loadrig.base.clock import NS
from loadrig.recording.frame_document import LiveFrameDocument, live

ANSWERED = frozenset(("ok", "http_3xx", "http_4xx", "http_5xx", "check_failed", "grpc_error"))
"""Outcomes of requests that got an answer."""

_STATUS = {
    "ok": "200", "check_failed": "200", "grpc_error": "200",
    "http_3xx": "302", "http_4xx": "404", "http_5xx": "500",
}  # fmt: skip


OWN_NS = 20_000
"""Time that the generator takes for a request, in nanoseconds: its lag, its wait and its CPU time alike."""


def histogram_of(times_s: Iterable[float]) -> str:
    """Return times in seconds as the encoded histogram that the generator would send."""
    histogram = Histogram()
    for value in times_s:
        histogram.record(max(1, int(value * NS)))
    return histogram.encode()


def row(
    outcome: str,
    times_s: Sequence[float],
    *,
    route: str = "search",
    route_class: str = "service",
) -> dict[str, Any]:
    """Return one row of a frame's routes: requests that ended with this outcome after these times."""
    encoded = histogram_of(times_s)
    return {
        "route": route, "class": route_class, "outcome": outcome, "count": len(times_s),
        "bytes": 100 * len(times_s), "response": encoded, "service": encoded,
    }  # fmt: skip


def frame_message(
    n: int,
    t_ns: int,
    len_ns: int,
    rows: Sequence[Mapping[str, Any]],
    *,
    due: int | None = None,
    unsent: int = 0,
    in_flight: int = 0,
    in_flight_s: float = 0.0,
    session: Histogram | None = None,
    planned: float = 0.0,
    gaps_ns: Sequence[int] = (),
    **more: Any,
) -> dict[str, Any]:
    """Return a frame as JSON, as the generator sends it.

    rows: see `row`. more: any other key, instead of a plausible one. due: by default what the rows and
    `unsent` account for.
    """
    answered = sum(entry["count"] for entry in rows if entry["outcome"] in ANSWERED)
    ended = sum(entry["count"] for entry in rows)
    status: dict[str, int] = {}
    for entry in rows:
        if entry["outcome"] in _STATUS:
            code = _STATUS[entry["outcome"]]
            status[code] = status.get(code, 0) + entry["count"]
    own_times = Histogram()
    if ended:
        own_times.record(OWN_NS, ended)
    own = own_times.encode()
    cpu_ns = ended * OWN_NS
    frame = {
        "n": n, "t_ns": t_ns, "len_ns": len_ns,
        "due": ended + unsent if due is None else due, "sent": ended, "answered": answered,
        "failed": ended - answered, "unsent": unsent,
        "in_flight": in_flight, "queued": 0, "users": 0, "sessions": 0, "planned": planned,
        "in_flight_s": in_flight_s,
        "bytes_in": sum(entry["bytes"] for entry in rows), "bytes_out": 120 * ended,
        "opened": 0, "reused": ended, "open": 8, "backoffs": 0, "capped": unsent,
        "unsent_why": {"no_connection": unsent} if unsent else {},
        "routes": [dict(entry) for entry in rows],
        "status": status,
        "lag": own, "wait": own, "connect": Histogram().encode(),
        "session": session.encode() if session else None,
        "threads": [{"cpu_ns": cpu_ns, "run_delay_ns": 0, "busy_share": cpu_ns / max(1, len_ns)}],
        "process_cpu_ns": cpu_ns, "rss_bytes": 8_000_000, "fds": 20, "fds_limit": 1_024,
        "ports": 8, "ports_range": 28_232, "gaps_ns": list(gaps_ns), "logins": 0, "logins_again": 0,
        "stream_resets": 0, "goaways": 0, "from_cache": 0, "examples": [],
    }  # fmt: skip
    unknown = more.keys() - frame.keys()
    if unknown:
        raise TypeError(f"a frame has no {sorted(unknown)}")
    return {**frame, **more}


def engine_frame(
    n: int, t_ns: int, len_ns: int, rows: Sequence[Mapping[str, Any]], **more: Any
) -> LiveFrameDocument:
    """Return a frame as the generator sends it; arguments as of `frame_message`."""
    return live(frame_message(n, t_ns, len_ns, rows, **more))


def engine_config(routes: Sequence[str], model: str, level: float) -> dict[str, Any]:
    """Return a config as the generator is given it: GET requests to these routes at a constant level."""
    line = [[0.0, level]]
    models: dict[str, dict[str, Any]] = {
        "users": {"users": {"line": line, "loops": None}},
        "saturate": {"users": {"line": line, "loops": None}},
        "rate": {"rate": {"line": line, "spacing": "poisson", "identities": 1}},
        "sessions": {"sessions": {"line": line, "spacing": "poisson", "loops": 1, "stay": None}},
        "replay": {"replay": {"times_s": [0.0]}},
    }
    expect: dict[str, Any] = {
        "status": [], "contains": [], "matches": [], "json": [], "size_min": None, "size_max": None,
        "time_s": None,
    }  # fmt: skip
    return {
        "version": 1, "seed": 1, "threads": 1, "cpus": [1],
        "server": {
            "scheme": "http", "host": "127.0.0.1", "port": 8000, "addresses": ["127.0.0.1:8000"],
            "host_header": "127.0.0.1:8000", "unix": None, "tls": None,
        },
        "source_addresses": [],
        "connections": {"most": 64, "keep_alive": True, "protocol": "http1", "streams": 1},
        "arrivals": models[model],
        "stop": {"after_s": 60.0, "requests": None},
        "timeouts": {"request_s": 30.0, "connect_s": 5.0, "drain_s": 30.0},
        "frame_s": 1.0, "gap_sample": 200, "cookies": True, "feeds": [],
        "routes": [
            {
                "name": name, "class": "service", "timeout_s": None, "method": "GET", "target": f"/{name}",
                "headers": [["Host", "127.0.0.1:8000"]], "body": None, "expect": expect, "extract": [],
                "think": None, "redirects": 0, "protocol": "http", "messages": None,
            }
            for name in routes
        ],
        "scenarios": [{"name": name, "weight": 1.0, "steps": [i]} for i, name in enumerate(routes)],
        "login": None, "think": {"constant": 0}, "protos": None,
    }  # fmt: skip
