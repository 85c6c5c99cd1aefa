"""A Python, Node, Go or JVM server as causes see it, with figures like those of real runs on two cores."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from loadrig.judgement.diagnose import diagnose
from loadrig.judgement.evidence import Cleared, Finding
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase

PORT = 8000


def server(
    kind: str = "gunicorn",
    runtime: str = "cpython",
    *,
    ok: float = 30.0,
    users: float = 20.0,
    rate: float | None = None,
    in_flight: float | None = None,
    alone_s: float = 0.1,
    cpu: float | None = 0.05,
    each: Mapping[str, float] | None = None,
    threads: float = 1.0,
    workers: int = 1,
    cpus: tuple[int, ...] = (1,),
    beside: float = 0.05,
    settings: Mapping[str, str] | None = None,
    accept_queue: float = 0.0,
    unread: float = 0.0,
    **load: Any,
) -> ACase:
    """Return a server in a closed load without pause, all its users in flight; with `rate` in an open one.

    ok: answered a second. alone_s: what a request takes when nobody is in its way. cpu: cores in use by its
    tree, each: by process. threads: of each process that serves. beside: cores in use by others. unread:
    bytes of each request in flight that it has not read.
    """
    waiting = in_flight if in_flight is not None else (users if rate is None else ok * alone_s)
    latency_s = waiting / ok if ok else alone_s
    case = ACase(
        users=0.0 if rate is not None else users,
        rate=rate,
        ok=ok,
        in_flight=waiting,
        latency_s=latency_s,
        **load,
    )
    case.load = replace(case.load, latency_of_route=lambda _, q: alone_s if q < 0.4 else latency_s)
    case.tier(
        "server", kind=kind, runtime=runtime, cpus=cpus, workers=workers, address=f"127.0.0.1:{PORT}",
        settings=dict(settings or {}),
    )  # fmt: skip
    case.gauge("host", "tcp_sockets.accept_queue", f"in:{PORT}", accept_queue)
    case.gauge("host", "tcp_sockets.established", f"in:{PORT}", waiting)
    if unread:
        case.gauge("host", "tcp_sockets.receive_queue_bytes", f"in:{PORT}", unread * waiting)
    if cpu is None:
        return case
    case.counter("server", "process.cpu_s", "tree", cpu)
    for process, used in (each or {"pid:101": cpu}).items():
        case.counter("server", "process.cpu_s", process, used)
    root = 1 if kind == "gunicorn" else 0
    case.gauge("server", "process.processes", "tree", workers + root)
    case.gauge("server", "process.threads", "tree", workers * threads + root)
    return case.host_cpu(
        [min(1.0, (cpu + beside) / len(cpus)) if core in cpus else beside for core in (0, 1)]
    )


def routes(case: ACase, routes_by_name: Mapping[str, tuple[float, float, float, float]]) -> ACase:
    """Add routes by name: answered a second, and seconds alone, at the median and the 90th percentile."""

    def latency(route: str, q: float) -> float:
        _, alone_s, p50_s, p90_s = routes_by_name[route]
        return alone_s if q < 0.4 else p50_s if q < 0.8 else p90_s

    each = {name: case.load.ok * 0 + rps for name, (rps, *_) in routes_by_name.items()}
    case.load = replace(
        case.load,
        routes=each,
        ok=sum(each.values(), case.load.ok * 0),
        offered=sum(each.values(), case.load.ok * 0),
        latency_of_route=latency,
        latency_by_step=lambda q: (
            case.load.ok * 0 + min(times[1] if q < 0.4 else times[2] for times in routes_by_name.values())
        ),
    )
    return case


def roots(case: ACase | Case) -> list[Finding]:
    """Return what stands, roots only, first the likeliest."""
    return list(diagnose(case if isinstance(case, Case) else case.build()).findings)


def accused(case: ACase | Case) -> set[str]:
    """Return every cause that stands, symptoms too."""
    return {finding.cause for root in roots(case) for finding in (root, *root.symptoms)} - {"healthy"}


def why_not(case: ACase | Case, cause: str) -> Cleared:
    """Return what cleared a cause, with its sentence and its source."""
    clearances = diagnose(case if isinstance(case, Case) else case.build()).cleared
    clearance: Cleared = next(each for each in clearances if each.cause == cause)
    return clearance
