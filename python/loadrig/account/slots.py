"""Slots of a component and what they do with their time: cores, quota, threads, workers, connections."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from loadrig.account.document import SlotDocument, SlotStateDocument
from loadrig.account.means import Draw
from loadrig.account.observations import Observations
from loadrig.base.later import Later
from loadrig.recording.steps import Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

FREE_SHARE = 0.05
"""Share of a resource's slots, 0 to 1. In a step with no more free slots than that the resource counts as
full."""

FREE_CONNECTION = 0.5
"""Mean number of idle connections in a step. Below it the step has no free connection."""

ONE_EACH = 1.15
"""Requests in hand for each worker process. Up to it each worker holds one request at a time."""

MOST_OF_TIME = 0.9
"""Share of the steps in which each worker holds one request at most, where workers are slots: a step of few
looks may see more."""

CONNECTION_STATES = (
    "awaiting", "answer_unread", "connecting", "in_transaction", "idle", "sending", "in_hand", "unread",
    "unclear", "closing",
)  # fmt: skip
"""Stages of a component's own connections, in the order in which they are shown."""


@dataclass(frozen=True, slots=True)
class ComponentSlots:
    """All slots of a component, and the states in which they are."""

    slots: tuple[SlotDocument, ...]
    states: tuple[SlotStateDocument, ...]

    def kind(self, name: str) -> list[SlotDocument]:
        """Return the slots of a kind, of each dependency or group that has some."""
        return [slot for slot in self.slots if slot.slot == name]

    def number(self, kind: str, *states: str, of: str | None = None) -> float:
        """Return how many slots of a kind are in these states; of one dependency alone where it is named."""
        return sum(
            row.number
            for row in self.states
            if row.slot == kind and row.state in states and of in (None, row.of)
        )


def slots_of(tier: Observations, window: Draw) -> ComponentSlots:
    """Return what a component's slots do in a window."""
    kinds = [
        kind
        for kind in (
            _cores(tier, window), _quota(tier, window), _workers(tier, window),
            *_threads(tier, window), _busiest(tier, window), _interpreter(tier, window),
            *_connections(tier, window), _host(tier, window),
        )
        if kind is not None
    ]  # fmt: skip
    return ComponentSlots(
        tuple(slot for slot, _ in kinds), tuple(state for _, states in kinds for state in states)
    )


SlotAndStates = tuple[SlotDocument, tuple[SlotStateDocument, ...]]


def _slot(
    name: str,
    dependency: str,
    number: float,
    states: Mapping[str, float],
    free: "Floats | None",
    window: Draw,
) -> SlotAndStates:
    """Return a slot with its states.

    free: float64[n], number of free slots in each step, where that is known; a step with 0 or less has none.
    """
    full = None
    if free is not None:
        is_known = np.isfinite(free)
        seconds = window.weights[0][is_known]
        full = float(seconds[free[is_known] <= 0].sum() / seconds.sum()) if is_known.any() else None
    rows = tuple(
        SlotStateDocument(name, dependency, state, value / number if number else 0.0, value)
        for state, value in states.items()
    )
    return SlotDocument(name, dependency, number, full), rows


def _mean(values: "Floats | None", window: Draw) -> float | None:
    mean = window.mean(values)
    return None if mean is None else float(mean[0])


def _cores(tier: Observations, window: Draw) -> SlotAndStates | None:
    running = _mean(tier.running, window)
    if running is None or tier.running is None or not tier.cores:
        return None
    background = min(running, _background(tier, window))
    free = max(0.0, tier.cores - running)
    states = {"running": running - background}
    if background > 0:
        states["background"] = background
    used, stolen = _mean(tier.places_used, window), _mean(tier.places_stolen, window) or 0.0
    if used is not None and tier.places:
        # A core that another program uses is not free, though this component's threads leave it.
        free_places = max(0.0, tier.places - max(used, running) - stolen)
        lost_cores = max(0.0, free - free_places)
        states["stolen"] = min(stolen, lost_cores)
        states["others"] = lost_cores - states["stolen"]
        free -= lost_cores
    states["free"] = free
    runnable = _mean(tier.runnable, window)
    if runnable is not None:
        states["runnable"] = runnable
    # A thread that waits for a core shows that none is free, whoever uses the cores.
    wanted = tier.running if tier.runnable is None else tier.running + np.nan_to_num(tier.runnable)
    full = tier.cores * (1 - FREE_SHARE) - wanted[window.is_in]
    return _slot("cores", "", tier.cores, states, full, window)


def _background(tier: Observations, window: Draw) -> float:
    running = None if tier.background is None else _mean(tier.background.running, window)
    return running or 0.0


def _quota(tier: Observations, window: Draw) -> SlotAndStates | None:
    running = _mean(tier.running, window)
    if running is None or tier.running is None or not tier.quota:
        return None
    states = {"used": running, "free": max(0.0, tier.quota - running)}
    stood = _mean(tier.throttled_s, window)
    if stood is not None:
        # Summed over cores: a group that stands still on two cores does so for two seconds a second.
        states["throttled"] = tier.quota * min(1.0, stood / max(1.0, tier.host_cores or 1.0))
    free = tier.quota * (1 - FREE_SHARE) - tier.running[window.is_in]
    return _slot("quota", "", tier.quota, states, free, window)


def _workers(tier: Observations, window: Draw) -> SlotAndStates | None:
    """Return worker processes that hold one request each; None where a worker may hold several."""
    in_hand = _mean(tier.in_hand, window)
    if in_hand is None or tier.in_hand is None or tier.workers < 1 or tier.is_multiplexed:
        return None
    # A worker that can hold several requests holds one or none only by chance, so a high quantile decides.
    inside = tier.in_hand[window.is_in]
    if np.nanquantile(inside, MOST_OF_TIME) > ONE_EACH * tier.workers:
        return None
    states = {"in_hand": min(in_hand, float(tier.workers)), "free": max(0.0, tier.workers - in_hand)}
    free = tier.workers * (1 - FREE_SHARE) - tier.in_hand[window.is_in]
    return _slot("workers", "", float(tier.workers), states, free, window)


def _threads(tier: Observations, window: Draw) -> Iterator[SlotAndStates]:
    """Yield all threads, then each group where there are several. No thread is known to wait for work."""
    apart = tier.threads.groups if len(tier.threads.groups) > 1 else {}
    groups = {"": tier.threads.states, **apart}
    for group in sorted(groups):
        states = {state: _mean(values, window) or 0.0 for state, values in groups[group].items()}
        number = sum(states.values())
        if number > 0:
            ordered = dict(sorted(states.items(), key=lambda item: (-item[1], item[0])))
            yield _slot("threads", group, number, ordered, None, window)


def _busiest(tier: Observations, window: Draw) -> SlotAndStates | None:
    cpu = _mean(tier.threads.cpu, window)
    if cpu is None or tier.threads.cpu is None:
        return None
    delay = _mean(tier.threads.delay, window) or 0.0
    states = {"running": cpu, "runnable": delay, "waiting": max(0.0, 1.0 - cpu - delay)}
    busy = tier.threads.cpu if tier.threads.delay is None else tier.threads.cpu + tier.threads.delay
    free = 1.0 - FREE_SHARE - busy[window.is_in]
    return _slot("busiest_thread", tier.threads.busiest, 1.0, states, free, window)


def _interpreter(tier: Observations, window: Draw) -> SlotAndStates | None:
    """Return the lock of one interpreter, that of the busiest process, as each process has its own lock."""
    held = _mean(tier.threads.lock_held, window)
    if held is None or tier.threads.lock_held is None:
        return None
    states = {"held": held, "free": max(0.0, 1.0 - held)}
    wanted = _mean(tier.threads.lock_wanted, window)
    if wanted is not None:
        states["waiting"] = wanted
    free = 1.0 - FREE_SHARE - tier.threads.lock_held[window.is_in]
    return _slot("interpreter", "", 1.0, states, free, window)


def _connections(tier: Observations, window: Draw) -> Iterator[SlotAndStates]:
    for call in tier.calls:
        states = {
            stage: _mean(call.stages.get(stage), window) or 0.0
            for stage in CONNECTION_STATES
            if stage in call.stages
        }
        number = sum(states.values())
        if number > 0:
            idle = call.stages.get("idle", np.zeros(window.is_in.size))[window.is_in]
            connecting = call.connecting[window.is_in]
            free = np.where(np.isfinite(connecting), np.where(idle < FREE_CONNECTION, 0.0, 1.0), np.nan)
            yield _slot("connections", call.of, number, states, free, window)


def _host(tier: Observations, window: Draw) -> SlotAndStates | None:
    used = _mean(tier.host_used, window)
    if used is None or tier.host_used is None or not tier.host_cores:
        return None
    stolen = _mean(tier.steal, window) or 0.0
    states = {"used": used, "free": max(0.0, tier.host_cores - used - stolen), "stolen": stolen}
    busy = tier.host_used if tier.steal is None else tier.host_used + np.nan_to_num(tier.steal)
    return _slot(
        "host_cores", "", tier.host_cores, states,
        tier.host_cores * (1 - FREE_SHARE) - busy[window.is_in], window,
    )  # fmt: skip
