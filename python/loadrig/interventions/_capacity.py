"""CPU that a component may use and does use, and the change of it that would show whether it is a limit.

A component's capacity is its quota where it has one, else the cores that it may run on; of those only as many
as it can use at once, and only if they are its own.
"""

import math
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from loadrig.base import cgroups, processes
from loadrig.base.component import Component
from loadrig.base.unavailable import Unavailable
from loadrig.base.units import show_number
from loadrig.interventions import Lever, Scene
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsCapacityErrors
from loadrig.language.en.interventions import InterventionsCapacityTexts

TEXTS = texts_of(InterventionsCapacityTexts)
ERRORS = texts_of(InterventionsCapacityErrors)

MORE, LESS = 1.25, 0.8
"""Ratios of the capacity with more and with less CPU. The effect of a fifth less can be ranked within
seconds; a larger cut makes another system of it."""

AT_LIMIT = 0.9
"""Share of the capacity from which on a component waits for CPU: to take from it is then the only way to
ask."""

ROUNDING = 0.01
"""Share by which a capacity stays above the use that it is not to be cut below."""

LITTLE = 0.25
"""Share of the cores below which a component does not compete for them. A cap far above its use asks
whether CPU matters at all."""

OTHERS_SHARE = 0.1
"""Share of the cores that others may use: where they use more, nobody can say whose the rest is."""

ONE_AT_A_TIME = frozenset({"redis"})
"""Programs that answer all requests on one thread."""

ONE_CORE_A_PROCESS = frozenset({"cpython", "node"})
"""Runtimes of which a process runs its own code on one core at a time."""


def here(lever: Lever, scene: Scene) -> tuple[Component, int]:
    """Return the component that a lever means, and its root. Raises Unavailable if it is no process here."""
    component = scene.component(lever.component)
    if component is None or component.pid is None:
        raise Unavailable.of(ERRORS.not_a_process_here(lever.component), code="prove.not-here")
    if processes.start_of(component.pid) is None or (
        component.start is not None and not processes.is_alive(component.pid, component.start)
    ):
        raise Unavailable.of(ERRORS.ended_component(component.name), code="prove.not-here")
    return component, component.pid


def own_tree(component: Component, scene: Scene) -> list[int]:
    """Return a component's processes, parents first, without the rig and other components below it."""
    assert component.pid is not None
    everyone = processes.table()
    inner = {
        neighbour.pid for neighbour in scene.components if neighbour.pid not in (None, component.pid)
    } | {os.getpid()}
    tree = processes.tree(component.pid, everyone)
    foreign = {pid for root in inner.intersection(tree) if root for pid in processes.tree(root, everyone)}
    return [pid for pid in tree if pid not in foreign and everyone[pid].state not in "ZX"]


def places(component: Component, pids: Iterable[int]) -> frozenset[int]:
    """Return the cores that a component's processes may run on."""
    cores: set[int] = set()
    for pid in pids:
        try:
            cores |= os.sched_getaffinity(pid)
        except OSError:  # the process has just ended
            continue
    return frozenset(cores or component.cpus)


def capacity(component: Component, scene: Scene, pids: Sequence[int], quota: float | None) -> float:
    """Return the cores that a component can use at most.

    pids: its processes. quota: the tightest quota that it is under, in cores.
    Raises Unavailable prove.shared-cores where others use the same cores and it wants much of them.
    """
    cores = places(component, pids)
    most = at_once(component, scene, pids)
    if quota is not None and quota <= most:
        return quota
    used, others = scene.used.get(component.name, 0.0), use_of_others(component, scene, cores)
    strangers = use_of_strangers(scene, cores)
    is_crowded = strangers > OTHERS_SHARE * len(cores) and used + others >= AT_LIMIT * len(cores)
    if used < LITTLE * most and not is_crowded:
        return most  # it uses so little that it does not compete with others for these cores
    if others > OTHERS_SHARE * len(cores) and most > len(cores) - others:
        wording = ERRORS.shared_cores(component.name, _cores(len(cores)), show_number(others))
        raise Unavailable.of(wording, code="prove.shared-cores")
    return most


def has_room(component: Component, scene: Scene, pids: Sequence[int], cores: float) -> bool:
    """Return whether a component could use a number of cores, and whether as many are free for it."""
    own_cores = places(component, pids)
    free = len(own_cores) - use_of_others(component, scene, own_cores)
    return cores <= min(free, at_once(component, scene, pids))


def at_once(component: Component, scene: Scene, pids: Sequence[int]) -> float:
    """Return the cores that a component's programs can use at once, of those that they may run on."""
    most = float(len(places(component, pids)))
    used = scene.used.get(component.name, 0.0)
    if component.kind in ONE_AT_A_TIME:
        usable = 1.0
    elif component.runtime in ONE_CORE_A_PROCESS:
        # Of several processes one is the master, which only watches the others.
        usable = float(max(1, len(pids) - 1))
    else:
        usable = most
    # It can use at least what it uses now, whatever is known of its kind.
    return min(most, max(usable, used))


def use_of_others(component: Component, scene: Scene, cores: frozenset[int]) -> float:
    """Return how many of some cores are used by others, among them the generator.

    Each is counted by the share of its cores that lies among these.
    """
    shared = len(cores.intersection(scene.cpus))
    in_use = min(float(shared), scene.generator * shared / max(len(scene.cpus), 1)) if shared else 0.0
    for neighbour in scene.components:
        if neighbour.name != component.name and neighbour.pid is not None:
            in_use += use_on(neighbour, scene, cores)
    return min(in_use + use_of_strangers(scene, cores), float(len(cores)))


def use_of_strangers(scene: Scene, cores: Iterable[int]) -> float:
    """Return how many of some cores are used by programs that are neither components nor the generator.

    A cut above what they leave would take nothing, and its answer would say nothing.
    """
    return sum(scene.strangers.get(core, 0.0) for core in cores)


def use_on(component: Component, scene: Scene, cores: frozenset[int]) -> float:
    """Return how many of some cores a component uses, if it uses all its own cores alike."""
    own_cores = set(component.cpus) or set(range(os.cpu_count() or 1))
    return scene.used.get(component.name, 0.0) * len(cores & own_cores) / len(own_cores)


def ratio_of_less(used: float, cores: float) -> float:
    """Return the ratio by which a capacity is cut: never below its use, unless it is used up already."""
    share = used / cores
    if share < LESS or share >= AT_LIMIT:
        return LESS
    return math.ceil((share + ROUNDING) * 100) / 100


def cost(ratio: float, used: float | None, cores: float) -> str:
    """Return what a component bears while its capacity is changed, as a clause."""
    if ratio > 1:
        return TEXTS.none_has_more
    if used is not None and used <= ratio * cores:
        return TEXTS.no_cpu_uses
    return TEXTS.fifth_cpu_uses


def title(component: Component, cores: float, ratio: float) -> str:
    """Return a change of a component's CPU in words."""
    return TEXTS.cpu_to(component.name, show_number(cores), _cores(ratio * cores))


def tightest(controller: str, groups: Iterable[Path]) -> tuple[float, Path] | None:
    """Return the tightest quota of some groups in cores, and its group; None where no group has a quota."""
    quotas = [
        (quota, group)
        for group in groups
        if (quota := cgroups.limits_in(controller, group).get("quota_cores")) is not None
    ]
    return min(quotas, default=None)


def refuse_shared(component: Component, scene: Scene, quota: float, group: Path) -> None:
    """Raise Unavailable prove.shared-cgroup where other components in a group use its quota, too."""
    inside = cgroups.everybody(group)
    sharing = [
        neighbour.name
        for neighbour in scene.components
        if neighbour.name != component.name
        and neighbour.pid in inside
        and scene.used.get(neighbour.name, 0.0) > OTHERS_SHARE * quota
    ]
    if sharing:
        wording = ERRORS.shared_quota(component.name, str(group), _cores(quota), ", ".join(sharing))
        raise Unavailable.of(wording, code="prove.shared-cgroup")


def _cores(cores: float) -> str:
    """Return a number of cores with its noun: "0.5 cores", "1 core"."""
    return TEXTS.cores(show_number(cores), cores == 1)
