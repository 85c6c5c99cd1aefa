"""Loads and components made of arrays, whose account is known beforehand."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from loadrig.account.load import LoadSeries
from loadrig.account.observations import DependencyCalls, Observations, Threads
from loadrig.recording.steps import NS, Floats

N = 12


def each(value: ArrayLike, n: int = N) -> Floats:
    """Return a value for every step."""
    return np.broadcast_to(np.asarray(value, dtype=np.float64), n).copy()


def a_load(
    rate: ArrayLike = 100.0,
    in_flight: ArrayLike = 20.0,
    generator: ArrayLike = 0.0,
    connecting: ArrayLike = 0.0,
    planned: ArrayLike = 20.0,
    warm_up: int = 0,
    n: int = N,
) -> LoadSeries:
    """Return a load of n steps of a second, of which the first `warm_up` are not measured."""
    return LoadSeries(
        np.arange(n + 1, dtype=np.int64) * NS, np.ones(n), each(rate, n), each(in_flight, n),
        each(generator, n), each(connecting, n), each(planned, n), np.arange(n) >= warm_up,
    )  # fmt: skip


NUMBERS = (
    "total", "accept_queue", "unread", "in_hand", "sending", "abandoned", "tied", "running", "runnable",
    "throttled_s", "disk", "host_used", "steal",
)  # fmt: skip


def a_component(name: str = "server", n: int = N, **fields: Any) -> Observations:
    """Return a component of which all was seen that is not given as None. Numbers stand for constants."""
    nothing_waits = dict.fromkeys(("accept_queue", "unread", "in_hand", "sending", "abandoned", "tied"), 0.0)
    values: dict[str, Any] = {
        key: each(value, n) if key in NUMBERS and value is not None else value
        for key, value in (nothing_waits | {"running": 0.0, "runnable": 0.0} | fields).items()
    }
    return Observations(name, is_loaded=name == "server", **values)


def a_call(
    dependency: str,
    awaiting: ArrayLike,
    connecting: ArrayLike = 0.0,
    unread: ArrayLike = 0.0,
    n: int = N,
    **more: Any,
) -> DependencyCalls:
    """Return calls to a dependency. more: other stages of its connections, such as idle."""
    stages: Mapping[str, Floats] = {
        "awaiting": each(awaiting, n), "connecting": each(connecting, n), "answer_unread": each(unread, n),
        **{stage: each(value, n) for stage, value in more.items()},
    }  # fmt: skip
    return DependencyCalls(
        dependency, stages["connecting"], stages["awaiting"], stages["answer_unread"], stages
    )


def threads(**states: float) -> Threads:
    """Return threads by state."""
    return Threads({state: each(number) for state, number in states.items()})
