"""Observations of a component, as mean numbers on the steps of the load: the input of the arithmetic.

Made from a recording by `read`; tests make it from arrays. Arrays are float64[n], one value a step, NaN where
nothing is known; None stands for what was never read.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from loadrig.account.background import Background
from loadrig.account.document import UnseenDocument
from loadrig.recording.steps import Floats


@dataclass(frozen=True, eq=False)
class DependencyCalls:
    """Calls of a component to a dependency: mean numbers of its own connections by what happens on them.

    of: the dependency's name, or an address where the map has no name. stages: by the names of the probe
    `socket_stages`. awaiting: connections in that stage, or threads that wait for the dependency where
    sockets cannot tell.
    """

    of: str
    connecting: Floats
    awaiting: Floats
    answer_unread: Floats
    stages: Mapping[str, Floats] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Threads:
    """States of a component's threads, and its busiest thread.

    states: mean number by state; groups: mean number by group and state. busiest: name of the thread that ran
    most; cpu, delay: share of the time that it ran and waited for a core. reads_apart: whether threads were
    seen that each wait to read a connection of their own, as those of an event loop never do. lock_held:
    share of the time in which a thread of the busiest process held its lock; lock_wanted: threads that waited
    for it.
    """

    states: Mapping[str, Floats] = field(default_factory=dict)
    groups: Mapping[str, Mapping[str, Floats]] = field(default_factory=dict)
    busiest: str = ""
    cpu: "Floats | None" = None
    delay: "Floats | None" = None
    reads_apart: bool = False
    lock_held: "Floats | None" = None
    lock_wanted: "Floats | None" = None


@dataclass(frozen=True, eq=False)
class Observations:
    """Observations of one component. total: mean number of its requests as seen from outside.

    accept_queue, unread, in_hand, sending, abandoned: requests by stage; tied: connections of which nothing
    tells. running, runnable: cores in use, and threads that wait for one; throttled_s: seconds a second in
    which its control group stood still, over all cores; disk: threads in disk wait. cores: that it may use;
    quota: cores of its quota. workers: processes below its root. steal, host_used: cores of its machine.
    places: cores that it may run on; places_used: of these, those in use by anybody, places_stolen by the
    hypervisor. background: of running and runnable, threads that ran on when no request was there.
    """

    name: str
    kind: str = "program"
    runtime: str = ""
    is_loaded: bool = False
    is_multiplexed: bool = False
    total: "Floats | None" = None
    accept_queue: "Floats | None" = None
    unread: "Floats | None" = None
    in_hand: "Floats | None" = None
    sending: "Floats | None" = None
    abandoned: "Floats | None" = None
    tied: "Floats | None" = None
    calls: tuple[DependencyCalls, ...] = ()
    running: "Floats | None" = None
    runnable: "Floats | None" = None
    throttled_s: "Floats | None" = None
    disk: "Floats | None" = None
    threads: Threads = field(default_factory=Threads)
    workers: int = 0
    cores: float | None = None
    quota: float | None = None
    host_cores: float | None = None
    host_used: "Floats | None" = None
    steal: "Floats | None" = None
    places: float | None = None
    places_used: "Floats | None" = None
    places_stolen: "Floats | None" = None
    background: Background | None = None
    unseen: tuple[UnseenDocument, ...] = ()
