"""A process as a component: what it is, how it was told to work, what it is allowed."""

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from loadrig.base import cgroups, processes
from loadrig.base.component import PROXY, Component
from loadrig.base.masks import masked_argv
from loadrig.base.running import Address
from loadrig.discovery._drivers import driver_of
from loadrig.discovery._identity import Identity
from loadrig.discovery._kinds import identify
from loadrig.discovery._runtimes import runtime_of
from loadrig.discovery._seen import VisibleProcess, read_text
from loadrig.discovery._settings import settings_of
from loadrig.language.choice import texts_of
from loadrig.language.en.discovery import DiscoveryTexts

TEXTS = texts_of(DiscoveryTexts)

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
    """Return the process tree of `pid` as a component, and what a person would call it; takes about 3 ms.

    everyone: the table of processes. listens: addresses besides `address` on which the tree listens.
    """
    process = VisibleProcess(pid)
    runtime, version = runtime_of(process)
    identity = identify(process, runtime)
    if any(word.endswith(_PROXY_PROGRAM) for word in process.argv):
        # Its interpreter runs nothing but the native proxy: no probe of Python has anything to see in it.
        runtime, version, identity = "", "", Identity(PROXY, label=PROXY)
    component = Component(
        name,
        identity.kind,
        runtime=runtime,
        version=version or identity.version,
        pid=pid,
        start=everyone[pid].start if pid in everyone else processes.start_of(pid),
        address=address,
        listens=tuple(listens),
        argv=masked_argv(process.argv),
        settings={
            **identity.facts,
            **({"driver": driver} if (driver := _driver(pid, runtime, everyone)) else {}),
            **settings_of(process, identity.kind, runtime),
        },
        program_version=identity.version,
        workers=max(0, len(processes.tree(pid, everyone)) - 1),
        limits=limits_of(pid),
        cpus=cpus_of(pid),
        container=container_of(process),
        notes=() if process.is_open else (TEXTS.of_another_user(str(pid)),),
    )
    return component, identity.label or identity.kind


def _driver(pid: int, runtime: str, everyone: Mapping[int, processes.Stat]) -> str:
    return driver_of({pid, *processes.tree(pid, everyone)}) if runtime == "cpython" else ""


def limits_of(pid: int) -> dict[str, float]:
    """Return what a process may use, by its control groups and its own limits.

    Keys: "cores", "memory_bytes", "pids", "descriptors"; those without a limit are left out.
    """
    names = {"quota_cores": "cores", "memory_limit_bytes": "memory_bytes", "pids_limit": "pids"}
    limits = {names[name]: value for name, value in cgroups.limits(pid).items()}
    if open_files := re.search(
        r"^Max open files\s+(\d+)", read_text(Path(f"/proc/{pid}/limits")), re.MULTILINE
    ):
        limits["descriptors"] = float(open_files[1])
    return limits


def cpus_of(pid: int) -> tuple[int, ...]:
    """Return the cores on which a process may run; empty if the process is gone."""
    try:
        return tuple(sorted(os.sched_getaffinity(pid)))
    except OSError:
        return ()


def container_of(process: VisibleProcess) -> str:
    """Return the container that holds a process, by the names of its control groups; "" for none.

    "kubernetes" is also known by the environment.
    """
    text = read_text(Path(f"/proc/{process.pid}/cgroup"))
    container = container_in(text)
    if not container and "KUBERNETES_SERVICE_HOST" in process.environment:
        return "kubernetes"
    return container


def container_in(membership: str) -> str:
    """Return the container that the text of /proc/PID/cgroup names: "docker 3f2a9c81d0e4"; "" for none."""
    for pattern, name in _CONTAINERS:
        if match := pattern.search(membership):
            in_pod = " in kubernetes" if "kubepods" in membership and name != "kubernetes" else ""
            return f"{name} {match[1]}{in_pod}"
    return ""
