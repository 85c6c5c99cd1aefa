"""Changes that may prove a cause: one file each.

A member is a file. Its docstring says under five headings what it changes, what it needs, what it proves and
refutes, how it is undone, and what it costs the server. Its CHANGE is the kind of lever that it pulls; its
IS_LIVE says whether it works while load runs, its EFFECTS what it does to a server (see base.effects).

A live member has `able(lever, scene) -> Step`: the change that it would make to this component now, which
raises Unavailable with what is missing. A Step is `held()`: a context in which everything is prepared but
nothing is changed yet, and whose value changes it (True) and changes it back (False), any number of times;
leaving it undoes everything. Everything is noted in a lease before it is done, so that the next command, or
`loadrig doctor --clean`, undoes what a killed rig left behind.

Another member has `variants(lever, plan, setting) -> tuple[Variant, ...]`: the same plan with one thing
changed, for trials of their own; it raises Unavailable with what is missing.
"""

import math
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Literal

from loadrig.base.component import Component
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan

Change = Literal["cpu", "cores", "precedence", "delay", "knob", "load"]
"""Kind of change. cpu: CPU of one component alone. cores: cores that several components share. precedence:
a component goes before whatever else runs on its cores. delay: delay of the way to a dependency. knob: knob
of the plan. load: shape of the load."""

Setter = Callable[[bool], None]
"""Function that changes something (True) or changes it back (False)."""

ROOM = "loadrig.interventions"
"""Name of this package, by which its members are loaded."""


@dataclass(frozen=True, slots=True)
class Lever:
    """Lever that an experiment would pull.

    component: whose; for a delay the dependency; "" for the load. what: for a knob its role ("workers", see
    knob_step.ROLES) or its own name; for the load its shape ("identity", see load_shape.SHAPES). towards: for
    a knob, where to.
    """

    change: Change
    component: str = ""
    what: str = ""
    towards: Literal["more", "less", "other"] = "more"


@dataclass(frozen=True, slots=True)
class Scene:
    """Components that are running, with their use of CPU.

    used: cores that each component uses under the present load, by name. cpus: the cores of the generator,
    which are left alone. generator: how many of them it uses; infinite, for all of them, until that was
    measured. strangers: time of each core that none of all these uses, as a share, by the core's number.
    """

    components: tuple[Component, ...]
    used: Mapping[str, float]
    cpus: tuple[int, ...] = ()
    generator: float = math.inf
    strangers: Mapping[int, float] = field(default_factory=dict)

    def component(self, name: str) -> Component | None:
        """Return a component by its name; None where there is none."""
        return next((component for component in self.components if component.name == name), None)


@dataclass(frozen=True, slots=True)
class Step:
    """Change that can be made while load runs.

    title: for people, "CPU of mariadb: 0.5 to 0.4 cores". ratio: capacity with the change over capacity
    without it, not 1; None where the change is none of capacity. held: returns the context in which the
    change can be made. cost: what the server bears while it is changed, as a clause.
    """

    lever: Lever
    title: str
    ratio: float | None
    held: Callable[[], AbstractContextManager[Setter]]
    cost: str


@dataclass(frozen=True, slots=True)
class Variant:
    """Plan with one thing changed.

    title: "workers: 2 to 4". ratio: as of a Step. is_mend: whether somebody would keep the change: more
    workers are a mend, answers without compression only a test.
    """

    lever: Lever
    title: str
    plan: Plan
    setting: Setting
    ratio: float | None = None
    is_mend: bool = False
