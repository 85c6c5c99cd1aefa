"""Looks for further components while the load runs: when they are due, and what they cost."""

import time
from collections.abc import Sequence
from typing import Protocol

from loadrig.base.clock import NS
from loadrig.base.component import Component
from loadrig.probes._attached import Fleet

LOOK_AT_S = (0.9, 1.9, 2.9, 4.9, 9.9)
"""Seconds after the first tick at which components are looked for, once the load has opened connections.

Later looks come every LOOK_EVERY_S. A look is due a little before a full second, so that the tick of that
second does it.
"""

LOOK_EVERY_S = 10.0


class Finder(Protocol):
    """Discovery of components while the load runs."""

    def look(self) -> Sequence[Component]:
        """Return the components that are new, or of which more is known than before."""

    def hint(self, source: str, host: str, port: int) -> None:
        """Note that a component holds a connection to this address."""


class ComponentLooks:
    """Looks of a finder, None for none, whose components a fleet takes in.

    cpu_s: CPU seconds of all looks so far.
    """

    def __init__(self, finder: Finder | None, fleet: Fleet) -> None:
        self._finder, self._fleet = finder, fleet
        self._first_ns: int | None = None
        self._looks = 0
        self.cpu_s = 0.0

    def look(self, t_ns: int) -> bool:
        """Look for components if it is time, and take in the new ones. Return whether it was time."""
        if self._first_ns is None:
            self._first_ns = t_ns
        if self._finder is None or (t_ns - self._first_ns) / NS < _due_s(self._looks):
            return False
        self._looks += 1
        before = time.thread_time()
        components = self._discover(t_ns, self._finder)
        self.cpu_s += time.thread_time() - before
        for component in components:
            self._fleet.take_in(component, t_ns)
        return True

    def _discover(self, t_ns: int, finder: Finder) -> Sequence[Component]:
        try:
            for source, host, port in self._fleet.new_peers():
                finder.hint(source, host, port)
            return finder.look()
        except Exception as error:
            self._finder = None
            self._fleet.failed("discovery", "", t_ns, error)
            return ()


def _due_s(looks: int) -> float:
    """Return when the next look for components is due, in seconds from the first tick. looks: those done."""
    if looks < len(LOOK_AT_S):
        return LOOK_AT_S[looks]
    return LOOK_AT_S[-1] + (looks - len(LOOK_AT_S) + 1) * LOOK_EVERY_S
