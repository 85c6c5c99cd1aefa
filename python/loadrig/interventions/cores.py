"""The cores that several components share: a fifth of them is taken from all that run there.

## What it changes

On each of the cores that have most to do a small program runs for 2 ms of every 10 ms, before all others.
The generator's own cores are left alone, unless the components have no others.

## What it needs

Components on this machine that use CPU.
The right to real-time priority (root, or CAP_SYS_NICE); without it the program competes like any other, and
takes the fifth only roughly.

## What it proves and refutes

Throughput that follows: the cores are the limit, whichever program uses them.
Throughput that stays: they are busy and limit nobody.
Which program it is that needs them, this does not say.

## How it is undone

The program ends, as it does when the rig ends, however it ended; a lease names it.

## Cost

A fifth of these cores is taken from all that run on them, also from programs that have nothing to do with the
load.
A request that is being worked on waits up to 2 ms, also where the core has time to spare.
A busy loop on one core had 80.0 % of the time that it had before.
Measured on Linux 6.18, 6 times 4 s.
"""

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from loadrig.base.component import HOST, Component
from loadrig.base.effects import ServerEffect
from loadrig.base.unavailable import Unavailable
from loadrig.base.units import show_number
from loadrig.interventions import Lever, Scene, Setter, Step, _capacity
from loadrig.interventions._change import ReversibleChange
from loadrig.interventions._companion import Companion
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.interventions import InterventionsCoresErrors
from loadrig.language.en.interventions import InterventionsCoresTexts

TEXTS = texts_of(InterventionsCoresTexts)
ERRORS = texts_of(InterventionsCoresErrors)

EFFECTS: tuple[ServerEffect, ...] = (ServerEffect("pauses", TEXTS.what_runs_busiest, "prove"),)

NAME = TEXTS.name
CHANGE = "cores"
IS_LIVE = True
ORDER = 0

LEAST_USED = 0.02
"""Least CPU use of a component that shows where the load is, in cores."""


def able(lever: Lever, scene: Scene) -> Step:
    """Return a step that takes a fifth of the busiest cores; of a component's if the lever names one.

    Raises Unavailable where no component that uses CPU is a process of this machine.
    """
    busy = [
        component
        for component in scene.components
        if component.pid is not None
        and scene.used.get(component.name, 0.0) >= LEAST_USED
        and lever.component in ("", HOST, component.name)
    ]
    if not busy:
        raise Unavailable.of(ERRORS.nothing_busy_here(), code="prove.not-here")
    cores, used = max(((cores, _used(cores, scene)) for cores in _shared(busy, scene)), key=_fullest)
    ratio = _capacity.ratio_of_less(used, len(cores))
    names = [
        component.name
        for component in scene.components
        if _capacity.use_on(component, scene, cores) >= LEAST_USED
    ]
    title = TEXTS.to(
        _named(sorted(cores)), ", ".join(names), str(len(cores)), show_number(ratio * len(cores))
    )
    cost = TEXTS.fifth_cores_taken
    if not cores.isdisjoint(scene.cpus):
        cost += TEXTS.generator_too
    if not _may_go_first():
        cost += TEXTS.only_roughly_right
    return Step(lever, title, ratio, lambda: _held(sorted(cores), 1 - ratio, title), cost)


def _shared(busy: Sequence[Component], scene: Scene) -> set[frozenset[int]]:
    """Return sets of cores that components may run on, without the generator's where there are others."""
    everywhere = os.sched_getaffinity(0) | set(scene.cpus)
    all_of = [frozenset(component.cpus or everywhere) for component in busy]
    return {cores - set(scene.cpus) or cores for cores in all_of}


def _used(cores: frozenset[int], scene: Scene) -> float:
    return min(
        sum(_capacity.use_on(component, scene, cores) for component in scene.components), float(len(cores))
    )


def _fullest(pair: tuple[frozenset[int], float]) -> tuple[float, int]:
    """Return the key by which the fullest set of cores is chosen; of sets used alike, the larger one."""
    cores, used = pair
    return round(used / len(cores), 2), len(cores)


def _named(cores: Sequence[int]) -> str:
    """Return cores in words: "core 1", "cores 0, 2-5"."""
    parts: list[list[int]] = []
    for core in cores:
        if parts and core == parts[-1][-1] + 1:
            parts[-1].append(core)
        else:
            parts.append([core])
    texts = [str(part[0]) if len(part) == 1 else f"{part[0]}-{part[-1]}" for part in parts]
    return TEXTS.core_numbers(", ".join(texts), len(cores) == 1)


def _may_go_first() -> bool:
    """Return whether real-time priority is granted here, by asking for it."""
    granted = []

    def ask() -> None:
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
            granted.append(True)

    # On a thread of its own: a priority that is granted ends with the thread.
    thread = threading.Thread(target=ask, name="loadrig-priority")
    thread.start()
    thread.join()
    return bool(granted)


@contextmanager
def _held(cores: Sequence[int], share: float, title: str) -> Iterator[Setter]:
    with ReversibleChange(title), Companion("_burner.py", f"{share:g}", *map(str, cores)) as burner:
        yield lambda is_changed: burner.tell(on=is_changed)
