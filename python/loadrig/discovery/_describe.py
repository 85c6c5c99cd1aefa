"""A process as a component: what it is, how it was told to work, what it is allowed."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from loadrig.base import cgroups, processes
from loadrig.base.component import PROXY, Component
from loadrig.base.masks import masked_argv
from loadrig.base.running import Address
from loadrig.discovery._identity import Identity
from loadrig.discovery._kinds import identify
from loadrig.discovery._runtimes import runtime_of
from loadrig.discovery._seen import Seen, read_text
from loadrig.discovery._settings import settings_of

_PROXY_PROGRAM = "loadrig/interventions/_proxy_process.py"

_CONTAINERS = (
    (re.compile(r"(?:docker[/-])([0-9a-f]{12})[0-9a-f]{52}"), "docker"),
    (re.compile(r"libpod-([0-9a-f]{12})[0-9a-f]{52}"), "podman"),
    (re.compile(r"cri-containerd-([0-9a-f]{12})[0-9a-f]{52}"), "containerd"),
    (re.compile(r"crio-([0-9a-f]{12})[0-9a-f]{52}"), "cri-o"),
    (re.compile(r"/lxc(?:\.payload)?[./]([\w-]+)"), "lxc"),
    (re.compile(r"kubepods[^\n]*/([0-9a-f]{12})[0-9a-f]{52}"), "kubernetes"),
)


def describe(
    name: str,
    pid: int,
    everyone: Mapping[int, processes.Stat],
    address: Address | None = None,
    listens: Iterable[Address] = (),
) -> tuple[Component, str]:
    """The component that is the tree of a process, and what a person would call it; about 3 ms.

    everyone: the table of processes. listens: what its tree listens on besides `address`.
    """
    seen = Seen(pid)
    runtime, version = runtime_of(seen)
    identity = identify(seen, runtime)
    if any(word.endswith(_PROXY_PROGRAM) for word in seen.argv):
        # Its interpreter runs nothing but the native proxy: no probe of Python has anything to see in it.
        runtime, version, identity = "", "", Identity(PROXY, label=PROXY)
    found = Component(
        name,
        identity.kind,
        runtime=runtime,
        version=version or identity.version,
        pid=pid,
        start=everyone[pid].start if pid in everyone else processes.start_of(pid),
        address=address,
        listens=tuple(listens),
        argv=masked_argv(seen.argv),
        settings={**identity.facts, **settings_of(seen, identity.kind, runtime)},
        program_version=identity.version,
        workers=max(0, len(processes.tree(pid, everyone)) - 1),
        limits=limits_of(pid),
        cpus=cpus_of(pid),
        container=container_of(seen),
        notes=() if seen.is_open else (_closed(pid),),
    )
    return found, identity.label or identity.kind


def limits_of(pid: int) -> dict[str, float]:
    """What its groups and its process allow: "cores", "memory_bytes", "pids", "descriptors"."""
    names = {"quota_cores": "cores", "memory_limit_bytes": "memory_bytes", "pids_limit": "pids"}
    found = {names[name]: value for name, value in cgroups.limits(pid).items()}
    if open_files := re.search(
        r"^Max open files\s+(\d+)", read_text(Path(f"/proc/{pid}/limits")), re.MULTILINE
    ):
        found["descriptors"] = float(open_files[1])
    return found


def cpus_of(pid: int) -> tuple[int, ...]:
    """The cores that it may run on; empty if it is gone."""
    try:
        return tuple(sorted(os.sched_getaffinity(pid)))
    except OSError:
        return ()


def container_of(seen: Seen) -> str:
    """What holds a process, by the names of its control groups; "kubernetes" also by its environment."""
    text = read_text(Path(f"/proc/{seen.pid}/cgroup"))
    found = container_in(text)
    if not found and "KUBERNETES_SERVICE_HOST" in seen.environment:
        return "kubernetes"
    return found


def container_in(membership: str) -> str:
    """The container that the text of /proc/PID/cgroup names, such as "docker 3f2a9c81d0e4"; "" for none."""
    for pattern, name in _CONTAINERS:
        if found := pattern.search(membership):
            in_pod = " in kubernetes" if "kubepods" in membership and name != "kubernetes" else ""
            return f"{name} {found[1]}{in_pod}"
    return ""


def _closed(pid: int) -> str:
    return (
        f"process {pid} belongs to another user: its program, environment and connections may not be seen; "
        f"sudo loadrig discover --pid {pid} would show them"
    )
