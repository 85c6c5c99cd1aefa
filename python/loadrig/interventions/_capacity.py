"""What CPU a component may use and does use: how much more or less of it would be an answer.

Its capacity is its quota where it has one, else the cores that it may run on; of those only as many as it
can use at once, and only if they are its own.
"""

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from loadrig.base import cgroups, processes
from loadrig.base.component import Component
from loadrig.base.unavailable import Unavailable
from loadrig.base.units import show_cores, show_number
from loadrig.interventions import Lever, Scene

MORE, LESS = 1.25, 0.8
"""Of the capacity. A fifth less is ranked within seconds; more than that is another system."""

AT_LIMIT = 0.9
"""Of the capacity: who uses that much waits for it, and to take from it is the only way to ask."""

ROUNDING = 0.01
"""A capacity that is not to be cut below its use stays this much above it."""

LITTLE = 0.25
"""Of the cores: who uses less does not compete for them, and a cap far above its use asks whether
it matters at all."""

OTHERS_SHARE = 0.1
"""Of cores: where others use more, there is no telling whose the rest is."""

ONE_AT_A_TIME = frozenset({"redis"})
"""Programs that answer all requests on one thread."""

ONE_CORE_A_PROCESS = frozenset({"cpython", "node"})
"""Runtimes of which a process runs its own code on one core at a time."""


def here(lever: Lever, scene: Scene) -> tuple[Component, int]:
    """The component that a lever means, and its root. Raises Unavailable if it is no process here."""
    component = scene.component(lever.component)
    if component is None or component.pid is None:
        raise Unavailable(
            f"{lever.component} is not a process of this machine",
            "prove it there, or let the plan start it here", "prove.not-here",
        )  # fmt: skip
    if processes.start_of(component.pid) is None or (
        component.start is not None and not processes.is_alive(component.pid, component.start)
    ):
        raise Unavailable(f"{component.name} has ended", "see its log", "prove.not-here")
    return component, component.pid


def own_tree(component: Component, scene: Scene) -> list[int]:
    """Its processes, parents first: without other components that it started, and without the rig."""
    assert component.pid is not None
    everyone = processes.table()
    inner = {one.pid for one in scene.components if one.pid not in (None, component.pid)} | {os.getpid()}
    tree = processes.tree(component.pid, everyone)
    foreign = {pid for root in inner.intersection(tree) if root for pid in processes.tree(root, everyone)}
    return [pid for pid in tree if pid not in foreign and everyone[pid].state not in "ZX"]


def places(component: Component, pids: Iterable[int]) -> frozenset[int]:
    """The cores that its processes may run on."""
    found: set[int] = set()
    for pid in pids:
        try:
            found |= os.sched_getaffinity(pid)
        except OSError:  # it has just ended
            continue
    return frozenset(found or component.cpus)


def capacity(component: Component, scene: Scene, pids: Sequence[int], quota: float | None) -> float:
    """Cores that it can use at most. pids: its processes. quota: the tightest that it is under.

    Raises Unavailable prove.shared-cores where others use the same cores and it wants much of them.
    """
    cores = places(component, pids)
    most = at_once(component, scene, pids)
    if quota is not None and quota <= most:
        return quota
    if scene.used.get(component.name, 0.0) < LITTLE * most:
        return most  # whoever else is there, it does not want what would be taken from it
    others = taken_by_others(component, scene, cores)
    if others > OTHERS_SHARE * len(cores) and most > len(cores) - others:
        raise Unavailable(
            f"{component.name} shares its {show_cores(len(cores))} with others, who use"
            f" {show_number(others)}",
            'hold it on cores of its own (taskset); the lever "cores" measures those that they share',
            "prove.shared-cores",
        )
    return most


def has_room(component: Component, scene: Scene, pids: Sequence[int], cores: float) -> bool:
    """Whether it could use so many cores, and whether they are there for it."""
    its = places(component, pids)
    free = len(its) - taken_by_others(component, scene, its)
    return cores <= min(free, at_once(component, scene, pids))


def at_once(component: Component, scene: Scene, pids: Sequence[int]) -> float:
    """Cores that its programs can use at once, of those that they may run on."""
    most = float(len(places(component, pids)))
    used = scene.used.get(component.name, 0.0)
    if component.kind in ONE_AT_A_TIME:
        known = 1.0
    elif component.runtime in ONE_CORE_A_PROCESS:
        # One of several is the master, which only watches the others.
        known = float(max(1, len(pids) - 1))
    else:
        known = most
    # What it uses it can use, whatever is known of its kind.
    return min(most, max(known, used))


def taken_by_others(component: Component, scene: Scene, cores: frozenset[int]) -> float:
    """Cores of these that others use, the generator too: by their share of the cores that each may run on."""
    shared = len(cores.intersection(scene.cpus))
    found = min(float(shared), scene.generator * shared / max(len(scene.cpus), 1)) if shared else 0.0
    for one in scene.components:
        if one.name != component.name and one.pid is not None:
            found += use_on(one, scene, cores)
    return min(found, float(len(cores)))


def use_on(component: Component, scene: Scene, cores: frozenset[int]) -> float:
    """Cores of these that a component uses, if it uses all of its own alike."""
    its = set(component.cpus) or set(range(os.cpu_count() or 1))
    return scene.used.get(component.name, 0.0) * len(cores & its) / len(its)


def ratio_of_less(used: float, cores: float) -> float:
    """How far a capacity is cut: never below what is used of it, unless it is used up already."""
    share = used / cores
    if share < LESS or share >= AT_LIMIT:
        return LESS
    return math.ceil((share + ROUNDING) * 100) / 100


def cost(ratio: float, used: float | None, cores: float) -> str:
    """What the component bears while its capacity is so much."""
    if ratio > 1:
        return "none: it has more CPU than before"
    if used is not None and used <= ratio * cores:
        return "no CPU that it uses is taken"
    return "a fifth of the CPU that it uses is taken"


def title(component: Component, cores: float, ratio: float) -> str:
    """A change of a component's CPU, for people."""
    return f"CPU of {component.name}: {show_number(cores)} to {show_cores(ratio * cores)}"


def tightest(controller: str, groups: Iterable[Path]) -> tuple[float, Path] | None:
    """The tightest quota in cores of some groups, and whose it is."""
    found = [
        (quota, group)
        for group in groups
        if (quota := cgroups.limits_in(controller, group).get("quota_cores")) is not None
    ]
    return min(found, default=None)


def refuse_shared(component: Component, scene: Scene, quota: float, group: Path) -> None:
    """Raise Unavailable prove.shared-cgroup where others in the same group use its quota, too."""
    inside = cgroups.everybody(group)
    sharing = [
        one.name
        for one in scene.components
        if one.name != component.name
        and one.pid in inside
        and scene.used.get(one.name, 0.0) > OTHERS_SHARE * quota
    ]
    if sharing:
        raise Unavailable(
            f"{component.name} shares the quota of {group}, {show_cores(quota)}, with {', '.join(sharing)}",
            "start each in a group of its own, with a quota of its own", "prove.shared-cgroup",
        )  # fmt: skip
