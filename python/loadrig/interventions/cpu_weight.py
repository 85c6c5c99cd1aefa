"""Precedence of a component: by the weight of its group it goes before whatever else runs on its cores.

## What it changes

The weight of the control group that the component is alone in is raised to the greatest there is.
In cgroup v1, where others are in it, too, the component is moved into a group made for this below it for as
long as it is changed, and back.

## What it needs

The right to write the group: root, or a delegated tree.
In cgroup v2 a group with the controller `cpu` that it is alone in: a container, `systemd-run --scope`.
Programs that are none of those measured, and take a tenth at least of what the component uses of its cores.
No other component that works on these cores: if the server went before its database, its answers would come
later.

## What it proves and refutes

Throughput that rises: what else runs on these cores is what held it back.
Throughput that stays: the component does not lack what the others take.
Against a hypervisor that takes the time no weight helps, so there it is not tried.

## How it is undone

What the file said is written back; processes move back, those that were born meanwhile, too; the group is
removed.
A lease says all this before it is done.

## Cost

The component has more CPU than before.
Whatever else runs on its cores waits while the component has work, also programs that have nothing to do with
the load.
"""

from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from loadrig.base import cgroups
from loadrig.base.component import Component
from loadrig.base.effects import ServerEffect
from loadrig.base.unavailable import Unavailable
from loadrig.interventions import Lever, Scene, Setter, Step, _capacity, cpu_quota
from loadrig.interventions._change import ReversibleChange
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsCpuWeightErrors
from loadrig.language.en.interventions import InterventionsCpuWeightTexts

TEXTS = texts_of(InterventionsCpuWeightTexts)
ERRORS = texts_of(InterventionsCpuWeightErrors)

EFFECTS: tuple[ServerEffect, ...] = (ServerEffect("changes a setting", TEXTS.weight_component, "prove"),)

NAME = TEXTS.name
CHANGE = "precedence"
IS_LIVE = True
ORDER = 0

WEIGHTS = {cgroups.UNIFIED: ("cpu.weight", "10000"), "cpu": ("cpu.shares", "262144")}
"""File of the weight and the greatest one that the kernel takes, by controller."""

LEAST_RATIO, MOST_RATIO = 1.1, 2.0
"""Ratios of what it could have of its cores, with what strangers take, to what it uses. Below the first there
is nothing to be had; beyond the second something else would be the limit before that is used up."""

BESIDE_SHARE = 0.05
"""Use of these cores by another component over that of the one that goes first, from which on its answers
would wait for the other one, which then waits for it."""


def able(lever: Lever, scene: Scene) -> Step:
    """Return a step to the precedence of a component.

    Raises Unavailable where its group cannot be changed, its cores are its own already, or another component
    works on them, whose answers would come later.
    """
    component, _ = _capacity.here(lever, scene)
    place = cpu_quota.place_of(component, scene)
    cores = _capacity.places(component, place.pids)
    used = max(scene.used.get(component.name, 0.0), _capacity.ROUNDING)
    for other in scene.components:
        if other.name == component.name or other.pid is None:
            continue
        if _capacity.use_on(other, scene, cores) >= BESIDE_SHARE * used:
            raise Unavailable.of(ERRORS.works_beside(component.name, other.name), code="prove.not-here")
    ratio = min(1 + _capacity.use_of_strangers(scene, cores) / used, MOST_RATIO)
    if ratio < LEAST_RATIO:
        raise Unavailable.of(ERRORS.has_its_cores(component.name), code="prove.not-here")
    title = TEXTS.before_others(component.name)
    return Step(lever, title, ratio, lambda: _held(component, scene, place, title), TEXTS.others_wait)


def _held(
    component: Component, scene: Scene, place: cpu_quota.GroupPlace, title: str
) -> AbstractContextManager[Setter]:
    name, most = WEIGHTS[place.controller]

    def prepared(change: ReversibleChange, group: Path) -> Setter:
        file = group / name
        before = change.keep(file)
        if not place.is_alone:
            file.write_text(most, encoding="ascii")

        def put(is_changed: bool) -> None:
            if place.is_alone:
                file.write_text(most if is_changed else before, encoding="ascii")
            elif is_changed:
                cpu_quota.move_into(component, scene, change, group, place.group)
            else:
                cpu_quota.move_out(group, place.group)

        return put

    return cpu_quota.held_by_group(place, title, prepared, partial(ERRORS.refused_weight, component.name))
