"""Subject of each cause: a resource, and in which way that is short. From it follows what explains what.

No cause knows another. A resource that is short makes others look short: whoever waits for a processor holds
a worker meanwhile, and whoever waits for that worker stands at the door. `LOOK_SHORT` says this once for
every pair of resources, and the map of who calls whom says between which components.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from loadrig.base import members
from loadrig.judgement.proofs import ROOM

Resource = Literal[
    "nothing", "rig", "load", "growth", "memory", "lifetime", "descriptors", "processes", "ports", "tracked",
    "machine", "network", "disk", "cpu", "connecting", "lock", "pool", "workers", "answer", "door",
    "time_wait",
]  # fmt: skip
"""Kind of resource that a cause is about.

- nothing: none, as the server is well; rig: the load generator; load: requests that come.
- growth: what is kept with every request; lifetime: that processes live, and are warm.
- tracked: the table of connections of a firewall; time_wait: the table of connections that are over.
- machine: what a machine gives its programs.
- cpu: cores, a quota, an interpreter's lock, the one thread of an event loop.
- connecting: opening connections; door: the queue of those who connect; answer: that of another component.
"""

Way = Literal["size", "use", "signs", "fact"]
"""Way in which a cause says that its resource is short.

- size: the resource is full, and nobody holds it for nothing.
- use: somebody uses the resource for what could be spared.
- signs: the shortage is known by signs of its own, whatever else is full.
- fact: a counter or an event states the shortage.
"""


@dataclass(frozen=True, slots=True)
class About:
    """Resource that a cause is about, and how that is short; a cause's file declares it as ABOUT.

    full: kinds of resource (limits.kinds) that are too small where the cause stands and nobody holds them for
    nothing. of: kinds of component that it is about; empty: all. refines: the cause that says only that the
    same resource is full, where this one says why.
    """

    resource: Resource
    way: Way
    full: tuple[str, ...] = ()
    of: frozenset[str] = frozenset()
    refines: str = ""

    @property
    def is_of_resource(self) -> bool:
        """Whether the cause stands only where the account shows its resource to be full."""
        return self.way in ("size", "use")


def about_of(cause: str) -> About:
    """Return what a cause is about, as its file declares it."""
    about: About = members.load(ROOM, cause).ABOUT
    return about


IN_THE_WAY: tuple[Resource, ...] = ("lock", "pool", "workers", "answer", "door")
"""Resources that requests hold, or queue for, while they wait for another resource."""

LOOK_SHORT: Mapping[Resource, tuple[Resource, ...]] = {
    "load": ("pool", "workers", "answer", "door"),
    "growth": ("memory", "lifetime"),
    "memory": ("lifetime", "descriptors", "processes", "disk", "cpu", *IN_THE_WAY),
    "lifetime": ("cpu", "connecting", "workers", "door"),
    "descriptors": ("cpu", *IN_THE_WAY),
    "processes": ("cpu", *IN_THE_WAY),
    "ports": ("connecting", "time_wait", "cpu", *IN_THE_WAY, "lifetime"),
    "tracked": ("network", *IN_THE_WAY),
    "machine": ("cpu", "lifetime", *IN_THE_WAY),
    "network": ("load", *IN_THE_WAY),
    "disk": ("cpu", "lifetime", *IN_THE_WAY),
    "cpu": ("lifetime", *IN_THE_WAY),
    "connecting": ("time_wait",),
    "lock": ("pool", "workers", "answer", "door", "lifetime"),
    "answer": ("pool", "workers", "door", "lifetime"),
    "pool": ("lock", "workers", "answer", "door", "lifetime"),
    "workers": ("pool", "door", "connecting"),
    "door": ("network",),
}
"""Resources that look short, by the resource that is short. A worker is killed for waiting long within a
request, so most rows end in `lifetime`; requests that still wait for a worker get none killed."""

AT_THE_OTHER_END: tuple[Resource, ...] = ("answer", "connecting")
"""Resources between two components, of which either may be accused: the shortage may lie at either end."""

FIRST: tuple[Way, ...] = ("fact", "signs", "use", "size")
"""Ways in which a cause says that a resource is short, the way that says most of why first."""


def brings_about(cause: About, symptom: About, *, is_one_resource: bool) -> bool:
    """Return whether the first cause makes the second look true, of components between which that can be.

    is_one_resource: whether both mean the very same resource: that of one component, or cores that two
    components share. Then a cause that says more of why the resource is short goes before a cause that says
    less, and two causes that only say that it is full bring about each other.
    """
    if symptom.resource in LOOK_SHORT.get(cause.resource, ()):
        return True
    if not is_one_resource or cause.resource != symptom.resource:
        return False
    return FIRST.index(cause.way) < FIRST.index(symptom.way) or cause.way == symptom.way == "size"
