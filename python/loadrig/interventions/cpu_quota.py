"""CPU of a component: more of it where its quota leaves room, else less, by the quota of its control group.

## What it changes

The CPU quota of the control group that the component is alone in.
In cgroup v1, where others are in it, too, the component is moved into a group made for this below it.
It has a quarter more where it has a quota and cores to use more; else a fifth less.
Less is never less than it uses, unless it uses up what it has: to take from that is then the only way to ask.

A quota that it has keeps its period; one that it had not has a period of 10 ms, so that it stands still for
moments too short to be seen as a queue.

## What it needs

The right to write the group: root, or a delegated tree.
In cgroup v2 a group with the controller `cpu` that it is alone in: a container, `systemd-run --scope`.
A quota, or cores of its own: of those that it shares with others nobody can say whose they are.

## What it proves and refutes

Throughput that follows, in the same proportion: this CPU is the limit.
Throughput that stays: it is not, however busy it looks.

## How it is undone

What the files said is written back, period and quota; processes move back, those that were born meanwhile,
too; the group is removed.
A lease says all this before it is done.

## Cost

A change is three writes to the kernel, 0.1 ms.
Of a component at its limit a fifth of its CPU is taken.
A busy loop on one core had 80.1 % of the time that it had before.
Measured on Linux 6.18, cgroup v1, 6 times 4 s.
"""

import contextlib
import math
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from loadrig.base import cgroups, leases, processes
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.error_words import ErrorWords
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Setter, Step, _capacity
from loadrig.interventions._change import ReversibleChange
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsCpuQuotaErrors
from loadrig.language.en.interventions import InterventionsCpuQuotaTexts

TEXTS = texts_of(InterventionsCpuQuotaTexts)
ERRORS = texts_of(InterventionsCpuQuotaErrors)

EFFECTS: tuple[ServerEffect, ...] = (ServerEffect("changes a setting", TEXTS.cpu_quota_component, "prove"),)

NAME = TEXTS.name
CHANGE = "cpu"
IS_LIVE = True
ORDER = 0
"""Place among the members that change the CPU: before those that use harder means."""

PERIOD_US = 10_000
"""Period of a quota where there was none, in microseconds."""
LONGEST_PERIOD_US = 1_000_000
LEAST_QUOTA_US = 1_000
"""Least quota that the kernel takes, in microseconds; LONGEST_PERIOD_US is its longest period."""

MOVES = 20
"""Number of looks for processes that were born while the others were moved."""


def able(lever: Lever, scene: Scene) -> Step:
    """Return a step to more CPU where a quota leaves cores unused, else to less. Raises Unavailable."""
    component, _ = _capacity.here(lever, scene)
    place = place_of(component, scene)
    quotas = [quota for quota in (place.own, place.above) if quota is not None]
    if place.above is not None and place.above[0] == min(quotas)[0]:
        _capacity.refuse_shared(component, scene, *place.above)
    cores = _capacity.capacity(component, scene, place.pids, min(quotas)[0] if quotas else None)
    more = _capacity.MORE * cores
    if (
        place.own is not None
        and place.own[0] == cores
        and (place.above is None or more <= place.above[0])
        and _capacity.has_room(component, scene, place.pids, more)
    ):
        ratio = _capacity.MORE
    else:
        ratio = _capacity.ratio_of_less(scene.used.get(component.name, cores), cores)
    title = _capacity.title(component, cores, ratio)
    cost = _capacity.cost(ratio, scene.used.get(component.name), cores)
    return Step(lever, title, ratio, lambda: _held(component, scene, place, ratio * cores, title), cost)


@dataclass(frozen=True, slots=True)
class GroupPlace:
    """File and value by which a control group gets a quota.

    group: control group of the component. controller: as cgroups.folders names it. pids: processes of the
    component. is_alone: whether no other process is in the group. own: quota that the component alone has.
    above: tightest quota that it shares with others or that a group further up has. Each quota is in cores,
    with the group that has it.
    """

    group: Path
    controller: str
    pids: list[int]
    is_alone: bool
    own: tuple[float, Path] | None
    above: tuple[float, Path] | None


def place_of(component: Component, scene: Scene) -> GroupPlace:
    """Return the control group by which a component can be changed. Raises Unavailable where none can be."""
    assert component.pid is not None
    own_group = cgroups.group_for(cgroups.of(component.pid), "cpu")
    if own_group is None:
        raise Unavailable.of(ERRORS.nothing_mounted(), code="prove.no-cgroup")
    controller, group = own_group
    inside = cgroups.everybody(group)
    pids = _capacity.own_tree(component, scene)
    way_up = list(cgroups.upwards(controller, group, cgroups.mounts()))
    is_alone = len(way_up) > 1 and not _living(inside - set(pids))
    if controller == cgroups.UNIFIED and not is_alone:
        raise Unavailable.of(ERRORS.shared_group(component.name, str(group)), code="prove.shared-cgroup")
    groups_of = {cgroups.of(pid).get(controller, group) for pid in pids}
    if any(
        group not in ((process_group, *process_group.parents) if is_alone else (process_group,))
        for process_group in groups_of
    ):
        raise Unavailable.of(ERRORS.several_groups(component.name, str(group)), code="prove.shared-cgroup")
    if controller == cgroups.UNIFIED and not (group / "cpu.max").exists():
        raise Unavailable.of(ERRORS.controller_off(str(group), str(group.parent)), code="prove.no-cgroup")
    if not _is_writable(group, controller, is_alone=is_alone):
        raise Unavailable.of(ERRORS.unwritable_group(str(group)), code="prove.no-right")
    own = _capacity.tightest(controller, [group]) if is_alone else None
    above = _capacity.tightest(controller, way_up[1:] if is_alone else way_up)
    return GroupPlace(group, controller, pids, is_alone, own, above)


def _living(pids: Iterable[int]) -> list[int]:
    return [pid for pid in pids if processes.start_of(pid) is not None]


def _is_writable(group: Path, controller: str, *, is_alone: bool) -> bool:
    if not is_alone:
        return os.access(group, os.W_OK)
    return os.access(group / ("cpu.max" if controller == cgroups.UNIFIED else "cpu.cfs_quota_us"), os.W_OK)


def _held(
    component: Component, scene: Scene, place: GroupPlace, cores: float, title: str
) -> AbstractContextManager[Setter]:
    def prepared(change: ReversibleChange, group: Path) -> Setter:
        quota = (_Quota2 if place.controller == cgroups.UNIFIED else _Quota1)(group, change, cores)
        if not place.is_alone:
            move_into(component, scene, change, group, place.group)
        return quota.put

    return held_by_group(place, title, prepared, partial(ERRORS.refused_change, component.name))


@contextmanager
def held_by_group(
    place: GroupPlace,
    title: str,
    prepared: Callable[[ReversibleChange, Path], Setter],
    refusal: Callable[[str], ErrorWords],
) -> Iterator[Setter]:
    """Hold a change of a component by its group, or by one below it that is made for this.

    prepared: makes the change ready, given the group, and returns its setter. refusal: words for where the
    kernel refuses it, by the reason. Raises Unavailable.
    """
    with ReversibleChange(title) as change:
        try:
            group = place.group
            if not place.is_alone:
                group = place.group / leases.group_name(leases.new_name())
                change.make_group(group)
            put = prepared(change, group)
            # Changed once for an instant, so that a refusal of the kernel is known before the experiment.
            put(True)
            put(False)
        except OSError as error:
            raise Unavailable.of(refusal(str(error)), code="prove.refused") from None

        def switch(is_changed: bool) -> None:
            # Without the file the component has ended and its group is gone: there is nothing to change.
            with contextlib.suppress(FileNotFoundError):
                put(is_changed)

        yield switch


def move_into(component: Component, scene: Scene, change: ReversibleChange, group: Path, back: Path) -> None:
    """Move all processes of a component; children of a process that is in the group are born in it."""
    for _ in range(MOVES):
        outside = set(_capacity.own_tree(component, scene)) - set(cgroups.members(group))
        if not outside:
            return
        change.move(sorted(outside), group, back)


def move_out(group: Path, back: Path) -> None:
    """Move all processes of a group back into another one, those that were born meanwhile, too."""
    for _ in range(MOVES):
        inside = cgroups.members(group)
        if not inside:
            return
        for pid in inside:
            with contextlib.suppress(ProcessLookupError):  # it has just ended
                (back / "cgroup.procs").write_text(str(pid), encoding="ascii")


class _Quota1:
    """The quota of a group of cgroup v1: two files, which must fit each other and the groups above."""

    def __init__(self, group: Path, change: ReversibleChange, cores: float) -> None:
        self._quota, self._period = group / "cpu.cfs_quota_us", group / "cpu.cfs_period_us"
        self._unchanged = change.keep(self._quota), change.keep(self._period)
        # Without a quota any period fits.
        change.on_the_way_back(self._quota, "-1")
        quota_us, period_us = map(int, self._unchanged)
        self._changed = tuple(map(str, _written(cores, period_us if quota_us > 0 else None)))

    def put(self, is_changed: bool) -> None:
        quota, period = self._changed if is_changed else self._unchanged
        self._quota.write_text("-1", encoding="ascii")
        self._period.write_text(period, encoding="ascii")
        self._quota.write_text(quota, encoding="ascii")


class _Quota2:
    """The quota of a group of cgroup v2: one file."""

    def __init__(self, group: Path, change: ReversibleChange, cores: float) -> None:
        self._file = group / "cpu.max"
        self._unchanged = change.keep(self._file)
        quota, period = self._unchanged.split()
        self._changed = "{} {}".format(*_written(cores, int(period) if quota != "max" else None))

    def put(self, is_changed: bool) -> None:
        self._file.write_text(self._changed if is_changed else self._unchanged, encoding="ascii")


def _written(cores: float, period_us: int | None) -> tuple[int, int]:
    """Return quota and period for a number of cores. period_us: period of a quota that is there already."""
    period_us = max(period_us or PERIOD_US, math.ceil(LEAST_QUOTA_US / cores))
    period_us = min(period_us, LONGEST_PERIOD_US)
    return max(LEAST_QUOTA_US, round(cores * period_us)), period_us
