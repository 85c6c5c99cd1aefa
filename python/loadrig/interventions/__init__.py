"""What may be changed to prove a cause: one file each.

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
from dataclasses import dataclass
from typing import Literal

from loadrig.base.component import Component
from loadrig.base.setting import Setting
from loadrig.plan.model import Plan

Change = Literal["cpu", "cores", "delay", "knob", "load"]
"""cpu: of one component alone. cores: those that several share. delay: of the way to a dependency.
knob: of the plan. load: its shape."""

Setter = Callable[[bool], None]
"""True: as changed; False: as it was."""

ROOM = "loadrig.interventions"


@dataclass(frozen=True, slots=True)
class Lever:
    """What would be pulled. component: whose; of a delay the dependency; "" for the load.

    what: of a knob its role ("workers", see knob_step.ROLES) or its own name; of the load its shape
    ("identity", see load_shape.SHAPES). towards: of a knob, where to.
    """

    change: Change
    component: str = ""
    what: str = ""
    towards: Literal["more", "less", "other"] = "more"


@dataclass(frozen=True, slots=True)
class Scene:
    """What is running. used: cores that each component uses under the load of now, by name.

    cpus: the cores of the generator, which are left alone. generator: how many of them it uses; as long as
    nobody has looked, all of them.
    """

    components: tuple[Component, ...]
    used: Mapping[str, float]
    cpus: tuple[int, ...] = ()
    generator: float = math.inf

    def component(self, name: str) -> Component | None:
        """One component by its name."""
        return next((one for one in self.components if one.name == name), None)


@dataclass(frozen=True, slots=True)
class Step:
    """One change that can be made while load runs.

    title: for people, "CPU of mariadb: 0.5 to 0.4 cores". ratio: of the capacity, changed over unchanged,
    not 1; None where it is no capacity. cost: a clause: what the server bears while it is changed.
    """

    lever: Lever
    title: str
    ratio: float | None
    held: Callable[[], AbstractContextManager[Setter]]
    cost: str


@dataclass(frozen=True, slots=True)
class Variant:
    """The same plan with one thing changed. title: "workers: 2 to 4". ratio: as of a Step.

    is_mend: whether somebody would leave it so: an answer without compression is a test, more workers a mend.
    """

    lever: Lever
    title: str
    plan: Plan
    setting: Setting
    ratio: float | None = None
    is_mend: bool = False
