"""Explanation of causes by one another, from what each is about: a resource, and how that is short.

No cause knows another. A resource that is short makes others look short: whoever waits for a processor holds
a worker meanwhile, and whoever waits for that worker stands at the door. `LOOK_SHORT` says this once for
every pair of resources, and the map of who calls whom says between which components.
"""

from collections.abc import Mapping

from loadrig.judgement.cause import About, Resource, Way

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
