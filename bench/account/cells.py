"""Cells of the sweep, as plain data: what each request of a server does, and how the server is loaded.

A cell is a runtime, the state in which its requests spend most of their time, a level of load and a variant.
Beside the state that dominates, every request runs on the CPU for a while and asks the dependency.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace

THREADS, LOOP, GO, NODE, JAVA = RUNTIMES = ("threads", "asyncio", "go", "node", "java")
LOADS = ("low", "high")
PLAIN, NOISE, TLS, UNIX, PROXY = VARIANTS = ("plain", "noise", "tls", "unix", "proxy")

ACCEPT, KERNEL, PROCESS = "accept", "kernel", "process"
"""Places where a request waits for a slot: not accepted, accepted and unread, or read and queued in the
process."""

FULL_CORE, NOISY_SHARE = 1.0, 0.15
"""Share of the server's core for which a competitor runs: against `run_queue`, and in the variant `noise`."""


@dataclass(frozen=True, slots=True)
class Work:
    """Work of a request, in this order. Times in milliseconds; 0 leaves a stage out.

    slots: requests in hand at once (0: any number). queue: where requests wait for a slot. sleep_ms: a timer.
    cpu_ms: CPU time of its thread. lock_ms: held by a request at a time, and spent asleep. pool: calls of the
    dependency at once (0: any number). calls: whether the dependency is asked. disk_kb: written and synced.
    parts: writes of an answer (two meet Nagle's algorithm). closes: whether each answer ends its connection.
    """

    slots: int = 0
    queue: str = ""
    sleep_ms: float = 0.0
    cpu_ms: float = 0.5
    lock_ms: float = 0.0
    pool: int = 0
    calls: bool = True
    disk_kb: int = 0
    parts: int = 1
    closes: bool = False


@dataclass(frozen=True, slots=True)
class AccountCell:
    """One cell. users: of a closed load, without pauses. dependency_ms: how long a call of it takes.

    rival_share: share of the server's core that a competitor takes. rest: state that has what the server
    itself cannot time, where it does not know when a request arrived.
    """

    runtime: str
    state: str
    load: str
    variant: str
    users: int
    work: Work
    dependency_ms: float = 3.0
    rival_share: float = 0.0
    rest: str = "unread"

    @property
    def name(self) -> str:
        """Name of the cell, as options and tables have it."""
        plain = f"{self.runtime}-{self.state}-{self.load}"
        return plain if self.variant == PLAIN else f"{plain}-{self.variant}"


@dataclass(frozen=True, slots=True)
class CellState:
    """A state that dominates: its work, its users at low and at high load, and the rest of the cell."""

    work: Work
    users: tuple[int, int]
    dependency_ms: float = 3.0
    rival_share: float = 0.0
    rest: str = "unread"


STATES: Mapping[str, CellState] = {
    "accept_queue": CellState(
        Work(slots=2, queue=ACCEPT, closes=True), (4, 16), dependency_ms=10.0, rest="accept_queue"
    ),
    "unread": CellState(Work(slots=2, queue=KERNEL), (4, 16), dependency_ms=10.0),
    "worker_queue": CellState(Work(slots=2, queue=PROCESS), (4, 16), dependency_ms=10.0),
    "cpu": CellState(Work(cpu_ms=5.0), (1, 6)),
    "run_queue": CellState(Work(cpu_ms=6.0), (1, 3), rival_share=FULL_CORE),
    "lock": CellState(Work(lock_ms=6.0), (2, 8)),
    "pool": CellState(Work(pool=2), (4, 12), dependency_ms=15.0),
    "dependency": CellState(Work(), (2, 16), dependency_ms=40.0),
    "disk": CellState(Work(disk_kb=4096), (1, 4), dependency_ms=1.0),
    "sending": CellState(Work(parts=2), (2, 8), rest="sending"),
}
"""States that dominate, in the order of a request's way."""

CANNOT: Mapping[tuple[str, str], str] = {
    (NODE, "accept_queue"): "Node accepts whatever has come, so a request waits there for its loop alone",
    (NODE, "unread"): "Node reads whatever has come, so a request is unread for its loop alone",
    (LOOP, TLS): "the asyncio server reads sockets itself, to know when requests arrived",
    (JAVA, TLS): "the Java server reads channels itself, to wait without reading",
}
"""Reasons why a runtime has no such state or variant."""

OF_VARIANTS: Mapping[str, tuple[str, ...]] = {
    NOISE: ("dependency", "cpu"), TLS: ("dependency", "cpu"), UNIX: ("cpu", "dependency"),
    PROXY: ("unread", "dependency"),
}  # fmt: skip
"""States that each variant is tried with."""


def cell(runtime: str, state: str, load: str, variant: str = PLAIN) -> AccountCell:
    """Return the cell of these names.

    Raises KeyError for a state, ValueError for a load that does not exist.
    """
    dominant = STATES[state]
    users = dominant.users[LOADS.index(load)]
    plain = AccountCell(
        runtime, state, load, variant, users, dominant.work, dominant.dependency_ms, dominant.rival_share,
        dominant.rest,
    )  # fmt: skip
    return replace(plain, rival_share=NOISY_SHARE) if variant == NOISE else plain


def sweep() -> Iterator[AccountCell]:
    """Yield all cells that can be, the plain ones first."""
    for variant in VARIANTS:
        for runtime in RUNTIMES:
            for state in OF_VARIANTS.get(variant, tuple(STATES)):
                if (runtime, state) in CANNOT or (runtime, variant) in CANNOT:
                    continue
                for load in LOADS if variant == PLAIN else LOADS[1:]:
                    yield cell(runtime, state, load, variant)


def spec(
    work: Work, *, dependency_port: int = 0, unix: str = "", certificate: str = "", file: str = ""
) -> str:
    """Return the JSON that a server reads: a flat object, the work and where things are.

    dependency_port: of 127.0.0.1. unix: path to listen at, instead of a port. certificate: folder of cert.pem
    and key.pem. file: path of the file that is written to the disk.
    """
    places = {"dependency_port": dependency_port, "unix": unix, "certificate": certificate, "file": file}
    return json.dumps({**asdict(work), **places})
