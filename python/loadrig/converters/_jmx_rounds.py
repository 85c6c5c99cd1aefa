"""Rounds of controllers of JMeter: how long a value holds that stands below one.

A row of a file, a counter and a random variable get their next value at each round of the controller that
they stand in, and a feed of a plan for each loop of a user, or for each request.
"""

import re
from collections.abc import Iterator, Sequence

from loadrig.converters._jmx_flow import AS_A_WHOLE, HTTP_SAMPLERS
from loadrig.converters._jmx_groups import GROUPS
from loadrig.converters._jmx_tree import Property, TreeElement
from loadrig.plan.model import FeedSpan

MOST_LOOKED_AT = 1_000_000
"""Uses of variables that are looked at for all elements of a file, at most; beyond it values hold for loops,
which is listed."""

_SAMPLER = "Sampler"
_TOP = ("", "TestPlan")
_VARIABLE = re.compile(r"\$\{([^${}(),]{1,200})\}")


class ControllerRounds:
    """Dictionary of what is around each element of a file, and which elements use a variable."""

    def __init__(self, top: TreeElement) -> None:
        self._above: dict[int, TreeElement] = {}
        self._users: dict[str, list[TreeElement]] = {}
        self._looked_at = 0
        for element in top.all_below():
            self._above |= {id(child): element for child in element.children}
            if element.is_enabled:
                texts = _texts(element.properties)
                for name in dict.fromkeys(name for text in texts for name in _VARIABLE.findall(text)):
                    self._users.setdefault(name, []).append(element)

    def held_for(self, element: TreeElement, names: Sequence[str]) -> FeedSpan | None:
        """Return how long a value of an element holds; None where a plan says neither of it.

        names: of the variables that the element sets.
        """
        around = [above for above in self._around(element) if not _is_sampler(above)]
        if not around or around[0].kind in (*GROUPS, *_TOP):
            return "loop"
        group = next((above for above in around if above.kind in GROUPS), None)
        users = {id(user): user for name in names for user in self._users.get(name, ())}
        self._looked_at += len(users) * len(around)
        if group is None or self._looked_at > MOST_LOOKED_AT:
            return None
        controller = around[0]
        paths = [list(self._around(user)) for user in users.values()]
        if any(controller not in path and group in path for path in paths):
            return None
        if all(above.kind in AS_A_WHOLE for above in around[: around.index(group)]):
            return "loop"
        inside = [path for path in paths if controller in path]
        is_sole = len(inside) == 1 and all(user.kind in HTTP_SAMPLERS for user in users.values())
        are_whole = all(
            above.kind in AS_A_WHOLE for path in inside for above in path[: path.index(controller)]
        )
        return "request" if is_sole and are_whole else None

    def _around(self, element: TreeElement) -> Iterator[TreeElement]:
        """Yield what is around an element, the nearest first."""
        above = self._above.get(id(element))
        while above is not None:
            yield above
            above = self._above.get(id(above))


def _is_sampler(element: TreeElement) -> bool:
    return element.kind in HTTP_SAMPLERS or element.kind.endswith(_SAMPLER)


def _texts(part: Property) -> Iterator[str]:
    waiting = [part]
    while waiting:
        inner = waiting.pop()
        yield inner.text
        waiting += inner.parts
