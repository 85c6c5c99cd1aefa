"""Fresh actors in place of lost ones: wherever there is room, until the first of them answers.

Ray takes up to a minute to notice that a host is cut off, and gives what it kept there elsewhere then. Until
that an actor may wait on that host for nobody, and after it on another one for a core that is no longer free.
Which of them is so cannot be asked, so no wait for one place keeps another one from being tried.
"""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from loadrig.fleet._ray_head import answers

TRIED_FOR_S = 4.0
"""Time after which it is looked for another place beside those that were tried, in seconds: twice what an
interpreter with Ray takes to start."""

PAUSE_S = 1.0
"""Time until the next try where one has failed, in seconds."""

LOOKS_AT_ONCE = 32
"""Hosts that are looked at together whether they answer: one that does not takes a look's time."""

Started = tuple[Any, Any]
"""Actor, and the reference of its first answer."""


def first_to_answer(
    place: Callable[[], str | None], start: Callable[[str | None], Started], within_s: float
) -> tuple[Any, Any]:
    """Return the actor that answers first, and its answer; all others are killed.

    place: returns the node that is to be tried now, None for where Ray keeps room. start: starts an actor
    there. within_s: longest wait, in seconds. Raises RayError where none answers in time.
    """
    import ray

    until_s = time.monotonic() + within_s
    pending: dict[Any, tuple[str | None, Any]] = {}
    failure: Exception = ray.exceptions.GetTimeoutError(f"no actor answered within {within_s:.0f} s")
    try:
        while time.monotonic() < until_s:
            node = place()
            if all(node != tried for tried, _ in pending.values()):
                actor, reference = start(node)
                pending[reference] = node, actor
            ready, _ = ray.wait(list(pending), num_returns=1, timeout=TRIED_FOR_S)
            for reference in ready:
                _, actor = pending.pop(reference)
                try:
                    return actor, ray.get(reference)
                except ray.exceptions.RayError as error:
                    # An actor on a host of which Ray has not noticed that it is gone dies with it.
                    failure = error
                    ray.kill(actor)
                    time.sleep(PAUSE_S)
        raise failure
    finally:
        for _, actor in pending.values():
            ray.kill(actor)


def first_that_answers(raylets: dict[str, str]) -> str | None:
    """Return the first node whose raylet takes connections; None where none does.

    raylets: addresses by the ids of their nodes. All are looked at together.
    """
    if not raylets:
        return None
    with ThreadPoolExecutor(min(len(raylets), LOOKS_AT_ONCE)) as looks:
        there = zip(raylets, looks.map(answers, raylets.values()), strict=True)
        return next((node for node, is_there in there if is_there), None)
