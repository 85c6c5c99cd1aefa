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


def slots_of(seen: Observations, window: Draw) -> ComponentSlots:
    """Return what a component's slots do in a window."""
    kinds = [
        kind
        for kind in (
            _cores(seen, window), _quota(seen, window), _workers(seen, window),
            *_threads(seen, window), _busiest(seen, window), _interpreter(seen, window),
            *_connections(seen, window), _host(seen, window),
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


def _cores(seen: Observations, window: Draw) -> SlotAndStates | None:
    running = _mean(seen.running, window)
    if running is None or seen.running is None or not seen.cores:
        return None
    background = min(running, _background(seen, window))
    free = max(0.0, seen.cores - running)
    states = {"running": running - background}
    if background > 0:
        states["background"] = background
    used, stolen = _mean(seen.places_used, window), _mean(seen.places_stolen, window) or 0.0
    if used is not None and seen.places:
        # A core that another program uses is not free, though this component's threads leave it.
        free_places = max(0.0, seen.places - max(used, running) - stolen)
        taken = max(0.0, free - free_places)
        states["stolen"] = min(stolen, taken)
        states["others"] = taken - states["stolen"]
        free -= taken
    states["free"] = free
    runnable = _mean(seen.runnable, window)
    if runnable is not None:
        states["runnable"] = runnable
    # A thread that waits for a core shows that none is free, whoever uses the cores.
    wanted = seen.running if seen.runnable is None else seen.running + np.nan_to_num(seen.runnable)
    full = seen.cores * (1 - FREE_SHARE) - wanted[window.is_in]
    return _slot("cores", "", seen.cores, states, full, window)


def _background(seen: Observations, window: Draw) -> float:
    running = None if seen.background is None else _mean(seen.background.running, window)
    return running or 0.0


def _quota(seen: Observations, window: Draw) -> SlotAndStates | None:
    running = _mean(seen.running, window)
    if running is None or seen.running is None or not seen.quota:
        return None
    states = {"used": running, "free": max(0.0, seen.quota - running)}
    stood = _mean(seen.throttled_s, window)
    if stood is not None:
        # Summed over cores: a group that stands still on two cores does so for two seconds a second.
        states["throttled"] = seen.quota * min(1.0, stood / max(1.0, seen.host_cores or 1.0))
    free = seen.quota * (1 - FREE_SHARE) - seen.running[window.is_in]
    return _slot("quota", "", seen.quota, states, free, window)


def _workers(seen: Observations, window: Draw) -> SlotAndStates | None:
    """Return worker processes that hold one request each; None where a worker may hold several."""
    in_hand = _mean(seen.in_hand, window)
    if in_hand is None or seen.in_hand is None or seen.workers < 1 or seen.is_multiplexed:
        return None
    # A worker that can hold several requests holds one or none only by chance, so a high quantile decides.
    inside = seen.in_hand[window.is_in]
    if np.nanquantile(inside, MOST_OF_TIME) > ONE_EACH * seen.workers:
        return None
    states = {"in_hand": min(in_hand, float(seen.workers)), "free": max(0.0, seen.workers - in_hand)}
    free = seen.workers * (1 - FREE_SHARE) - seen.in_hand[window.is_in]
    return _slot("workers", "", float(seen.workers), states, free, window)


def _threads(seen: Observations, window: Draw) -> Iterator[SlotAndStates]:
    """Yield all threads, then each group where there are several. No thread is known to wait for work."""
    apart = seen.threads.groups if len(seen.threads.groups) > 1 else {}
    groups = {"": seen.threads.states, **apart}
    for group in sorted(groups):
        states = {state: _mean(values, window) or 0.0 for state, values in groups[group].items()}
        number = sum(states.values())
        if number > 0:
            ordered = dict(sorted(states.items(), key=lambda item: (-item[1], item[0])))
            yield _slot("threads", group, number, ordered, None, window)


def _busiest(seen: Observations, window: Draw) -> SlotAndStates | None:
    cpu = _mean(seen.threads.cpu, window)
    if cpu is None or seen.threads.cpu is None:
        return None
    delay = _mean(seen.threads.delay, window) or 0.0
    states = {"running": cpu, "runnable": delay, "waiting": max(0.0, 1.0 - cpu - delay)}
    busy = seen.threads.cpu if seen.threads.delay is None else seen.threads.cpu + seen.threads.delay
    free = 1.0 - FREE_SHARE - busy[window.is_in]
    return _slot("busiest_thread", seen.threads.busiest, 1.0, states, free, window)


def _interpreter(seen: Observations, window: Draw) -> SlotAndStates | None:
    """Return the lock of one interpreter, that of the busiest process, as each process has its own lock."""
    held = _mean(seen.threads.lock_held, window)
    if held is None or seen.threads.lock_held is None:
        return None
    states = {"held": held, "free": max(0.0, 1.0 - held)}
    wanted = _mean(seen.threads.lock_wanted, window)
    if wanted is not None:
        states["waiting"] = wanted
    free = 1.0 - FREE_SHARE - seen.threads.lock_held[window.is_in]
    return _slot("interpreter", "", 1.0, states, free, window)


def _connections(seen: Observations, window: Draw) -> Iterator[SlotAndStates]:
    for call in seen.calls:
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


def _host(seen: Observations, window: Draw) -> SlotAndStates | None:
    used = _mean(seen.host_used, window)
    if used is None or seen.host_used is None or not seen.host_cores:
        return None
    stolen = _mean(seen.steal, window) or 0.0
    states = {"used": used, "free": max(0.0, seen.host_cores - used - stolen), "stolen": stolen}
    taken = seen.host_used if seen.steal is None else seen.host_used + np.nan_to_num(seen.steal)
    return _slot(
        "host_cores", "", seen.host_cores, states,
        seen.host_cores * (1 - FREE_SHARE) - taken[window.is_in], window,
    )  # fmt: skip
