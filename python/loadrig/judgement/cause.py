"""Declarations of a cause's file: its resource, its proofs, the law of its gain, and who tells of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from loadrig.interventions import Change

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

OF_ANY_LIMIT = frozenset({"short", "failing", "queueing", "saturated", "tail", "missed"})
"""Harms that whatever limits a server can bring about."""


@dataclass(frozen=True, slots=True)
class About:
    """Resource that a cause is about, and how that is short; a cause's file declares it as ABOUT.

    full: kinds of resource (limits.kinds) that are too small where the cause stands and nobody holds them for
    nothing. of: kinds of component that it is about; empty: all. refines: the cause that says only that the
    same resource is full, where this one says why. harms: what it can bring about (harms.table); empty: it is
    looked at whatever is wrong.
    """

    resource: Resource
    way: Way
    full: tuple[str, ...] = ()
    of: frozenset[str] = frozenset()
    refines: str = ""
    harms: frozenset[str] = OF_ANY_LIMIT

    @property
    def is_of_resource(self) -> bool:
        """Whether the cause stands only where the account shows its resource to be full."""
        return self.way in ("size", "use")


@dataclass(frozen=True, slots=True)
class Proof:
    """Experiment that speaks for or against a cause.

    change: the kind of lever. what: roles of knobs, or shapes of the load, any of which will do.
    towards: direction of the knob in which what is wrong must get better.
    is_needed: whether the cause is refuted where nothing moves. The cause is not refuted where another limit
    may lie right behind it, or where the knob may not reach it.
    is_own: whether a move proves this cause, and not only that its component matters: the CPU of a database
    that lacks an index moves everything, too, and does not prove that an index is missing.
    is_conviction: whether it convicts a cause against the signs that had cleared it. A core that is idle for
    a third of the time is not used up, however much what waits in a row follows its speed.
    of: kinds of the cause that the experiment speaks of, by how a finding's `detail` begins; empty: all.
    needed_in: measures in which alone it is needed; empty: all. Who takes a core now and then may harm the
    slowest requests and leave their mean as it is.
    """

    change: Change
    what: tuple[str, ...] = ()
    towards: Literal["more", "less", "other"] = "more"
    is_needed: bool = True
    is_own: bool = True
    is_conviction: bool = True
    of: tuple[str, ...] = ()
    needed_in: tuple[str, ...] = ()

    def must_move(self, measure: str) -> bool:
        """Return whether the cause is refuted where a measure does not move."""
        return self.is_needed and (not self.needed_in or measure in self.needed_in)


@dataclass(frozen=True, slots=True)
class Law:
    """Law by which good answers follow a mend; a cause's file declares it as GAIN.

    way: "capacity": good answers are in proportion to the capacity. "slots": they are in proportion to the
    slots, as far as requests that hold a slot do not queue for a CPU, until no request waits for a slot any
    more, which is at 1 / (1 - bound). "share": the share that the cause takes of a request or of the time is
    gone. "part": that share falls as the knob is raised.
    lifts: the ceiling of the accused that goes up with the mend: "CPU", "threads", "connections"; "all": the
    mend takes away so much of what requests cost that no present ceiling ends the gain.
    of: kinds of the cause that the law is for, by how `detail` begins; empty: all. For other kinds no gain is
    foretold.
    """

    way: Literal["capacity", "slots", "share", "part"]
    lifts: str = ""
    of: tuple[str, ...] = ()


def speaks_of(kinds: Sequence[str], detail: str) -> bool:
    """Return whether a finding with this detail is of one of these kinds; with no kinds every finding is."""
    return not kinds or detail.startswith(tuple(kinds))


Accused = Literal["speaker", "asked", "asker", "names"]
"""Component that a line accuses.

- speaker: whose log it is.
- asked: the dependency that the line is about.
- asker: who asks that dependency: the speaker, or the caller of the dependency where that speaks.
- names: name servers.
"""


@dataclass(frozen=True, slots=True)
class OwnWords:
    """Lines that speak for a cause: of a resource, and what became of it (probes._logs, known.toml).

    systems: programs and libraries that say them; empty: any. is_once: whether a program says it once,
    however many requests it befalls.
    """

    resource: str
    what: tuple[str, ...]
    accused: Accused = "speaker"
    systems: tuple[str, ...] = ()
    is_once: bool = False
