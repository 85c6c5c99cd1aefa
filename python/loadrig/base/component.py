"""A component, or tier: a program or a host that is watched on its own and can be a bottleneck on its own."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from loadrig.base.running import Address, RunningTarget

HOST = "host"
"""Name of the component that is this machine."""

SERVER = "server"
"""Name of the component that the load is sent to."""

PROXY = "loadrig-proxy"
"""Kind of the rig's own proxy in front of a dependency: nobody watches or accuses it."""


@dataclass(frozen=True, slots=True)
class Component:
    """Component of the system under load.

    name: unique in a run, short: "host", "server", "redis", "mariadb:3307", "web1/host".
    kind: what the program is, in lower case: "host", "gunicorn", "uvicorn", "tomcat", "nginx", "redis",
    "memcached", "mariadb", "mysql", "postgresql"; "program" where that is not known.
    runtime: "cpython", "jvm", "go", "node", "native"; "" where that is not known. version: version of the
    runtime where there is one, else of the program.
    pid: root of its process tree, None where it is not on this machine (or not to be seen); start: ticks
    since boot at which that process began: the two together name it.
    cgroup: the folder of the group that the rig made for it alone, if it did.
    address: the address at which others reach it. listens: the other addresses it listens on.
    settings: what its command line and environment say, secrets masked.
    log: the file that holds what it prints, where that is known.
    is_ours: whether the rig started it.
    program_version: version of the program that `kind` names ("27.0.1" of gunicorn), where that is known.
    workers: processes below the root when it was looked at.
    limits: what its control groups and its process allow: "cores", "memory_bytes", "pids", "descriptors"; a
    resource without a limit is left out. cpus: the cores it may run on.
    container: what holds it ("docker 3f2a9c81d0e4"), "" where nothing says so.
    notes: what a person should know of it, such as what may not be seen.
    """

    name: str
    kind: str
    runtime: str = ""
    version: str = ""
    pid: int | None = None
    start: int | None = None
    cgroup: Path | None = None
    address: Address | None = None
    listens: tuple[Address, ...] = ()
    argv: tuple[str, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    log: Path | None = None
    is_ours: bool = False
    program_version: str = ""
    workers: int = 0
    limits: Mapping[str, float] = field(default_factory=dict)
    cpus: tuple[int, ...] = ()
    container: str = ""
    notes: tuple[str, ...] = ()


THIS_HOST = Component(HOST, HOST)


def of_target(target: RunningTarget, start: int | None = None) -> Component:
    """Return the loaded server as far as its target knows it; discovery finds the rest."""
    return Component(
        SERVER,
        "program",
        pid=target.pid,
        start=start,
        cgroup=target.cgroup,
        address=target.address,
        argv=target.argv,
        log=target.log,
        is_ours=bool(target.started_ns),
    )
