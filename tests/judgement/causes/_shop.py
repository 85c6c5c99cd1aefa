"""A shop in front of a database or cache, as causes see it: figures like those of real runs."""

from dataclasses import replace
from typing import Any

from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Cleared, Finding
from loadrig.judgement.facts.case import Case
from loadrig.testing.cases import ACase

PORTS = {"mariadb": 3306, "postgresql": 5432, "redis": 6379, "rates": 9000, "memcached": 11211}


def shop(
    behind: str = "mariadb",
    *,
    ok: float = 100.0,
    users: float = 40.0,
    rate: float | None = None,
    connections: float = 15.0,
    opened: float = 0.0,
    own_cpu: float = 0.1,
    its_cpu: float | None = 0.03,
    alone_s: float = 0.01,
    slots: int = 40,
    together: bool = True,
    in_flight: float | None = None,
    **load: Any,
) -> ACase:
    """Return a gunicorn of one process on core 1, and what it asks, there too unless `together` is False.

    users: of a closed load without pause, all in flight; rate: of an open one instead. connections, opened:
    to what it asks, standing and a second. alone_s: what a request takes when nobody is in its way.
    """
    waiting = in_flight if in_flight is not None else (users if rate is None else ok * alone_s)
    usual_s = waiting / ok if ok else alone_s
    case = ACase(
        users=users if rate is None else 0.0,
        rate=rate,
        ok=ok,
        in_flight=waiting,
        latency_s=usual_s,
        **load,
    )
    case.load = replace(
        case.load,
        latency_of_route=lambda _, q: alone_s if q < 0.5 else usual_s,
        latency_by_step=lambda q: case.load.ok * 0 + (alone_s if q < 0.5 else usual_s),
    )
    case.tier(
        "server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=1, address="127.0.0.1:8000",
        settings={"--worker-class": "gthread", "--workers": "1", "--threads": str(slots)},
    )  # fmt: skip
    case.counter("server", "process.cpu_s", "tree", own_cpu)
    address = f"127.0.0.1:{PORTS[behind]}"
    kind = behind if behind != "rates" else "program"
    core = 1 if together else 0
    process = {"cpus": (core,)} if its_cpu is not None else {"pid": None}
    case.tier(behind, kind=kind, address=address, **process)
    case.edge("server", behind, address, int(connections))
    if its_cpu is not None:
        case.counter(behind, "process.cpu_s", "tree", its_cpu)
    case.gauge("host", "tcp_sockets.established", f"out:{address}", connections)
    case.counter("host", "tcp_sockets.opened", f"out:{address}", opened)
    busy = [0.05, 0.02]
    busy[1] += own_cpu
    busy[core] += its_cpu or 0.0
    return case.host_cpu([min(1.0, share) for share in busy])


def first(case: ACase) -> Finding:
    """Return what the diagnosis says first."""
    return diagnosed(case).findings[0]


def diagnosed(case: ACase) -> Diagnosis:
    """Diagnose a case."""
    built: Case = case.build()
    return diagnose(built)


def accused(case: ACase) -> set[str]:
    """Return every cause that stands, symptoms too."""
    roots = diagnosed(case).findings
    return {finding.cause for root in roots for finding in (root, *root.symptoms)}


def cleared(case: ACase, cause: str) -> Cleared:
    """Return why a cause does not stand."""
    return next(clearance for clearance in diagnosed(case).cleared if clearance.cause == cause)
