"""Cases with sockets on their legs, for the tests of socket causes."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loadrig.judgement.diagnose import Diagnosis, diagnose
from loadrig.judgement.evidence import Cleared, Finding
from loadrig.testing.cases import ACase

REDIS = "127.0.0.1:6379"
FAR_REDIS = "10.0.0.5:6379"
SERVER_AT = "127.0.0.1:8000"


def flask(to: str = REDIS, *, cpu: float = 0.3, **load: Any) -> ACase:
    """Return a gunicorn of four sync workers on a core of its own, with redis behind it, and its stack."""
    case = ACase(**load)
    case.tier(
        "server", kind="gunicorn", runtime="cpython", cpus=(1,), workers=4, address=SERVER_AT,
        settings={"--workers": "4"},
    )  # fmt: skip
    case.tier("redis", kind="redis", runtime="native", address=to).edge("server", "redis", to)
    case.counter("server", "process.cpu_s", "tree", cpu).counter("redis", "process.cpu_s", "tree", 0.05)
    case.host_cpu([0.2, cpu + 0.05])
    return stack(case)


def stack(case: ACase, *, ports: float = 28_232, reuse: float = 2) -> ACase:
    """Add what is counted of the whole namespace, with nothing the matter."""
    case.gauge("host", "tcp_sockets.port_range", "", ports)
    case.gauge("host", "tcp_sockets.time_wait_reuse", "", reuse)
    for counter in ("active_opens", "listen_overflows", "listen_drops", "time_wait_overflows"):
        case.counter("host", f"tcp_sockets.{counter}", "", 0.0, "1")
    return case


def leg(
    case: ACase, address: str, opened: ArrayLike, *, ports: float = 28_232, held_s: float = 60.0
) -> ACase:
    """Add connections to an address, each closed by who opened it, and what they hold of its ports."""
    each = np.broadcast_to(np.asarray(opened, dtype=float), case.n)
    waiting = np.array([each[max(0, s - int(held_s)) : s + 1].sum() for s in range(case.n)])
    waiting = np.minimum(waiting, ports)
    role = f"out:{address}"
    case.counter("host", "tcp_sockets.opened", role, each, "1")
    case.counter("host", "tcp_sockets.closed_first", role, each, "1")
    case.gauge("host", "tcp_sockets.time_wait", role, waiting)
    case.gauge("host", "tcp_sockets.established", role, 4.0)
    return case.gauge("host", "tcp_sockets.port_range_share", role, waiting / ports)


def finding(diagnosis: Diagnosis, cause: str, component: str | None = None) -> Finding | None:
    """Return a root or a symptom of this cause."""
    everyone = [each for root in diagnosis.findings for each in (root, *root.symptoms)]
    return next(
        (each for each in everyone if each.cause == cause and component in (None, each.component)), None
    )


def cleared(diagnosis: Diagnosis, cause: str, component: str | None = None) -> Cleared | None:
    """Return what cleared this cause."""
    return next(
        (each for each in diagnosis.cleared if each.cause == cause and component in (None, each.component)),
        None,
    )


def diagnosis_of(case: ACase) -> Diagnosis:
    """Return what is said of a case."""
    return diagnose(case.build())
