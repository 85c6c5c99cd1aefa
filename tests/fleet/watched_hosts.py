"""Hosts of Ray for tests of losses: they keep what was ordered of them, and when."""

import time
from typing import Any

from loadrig.fleet.ray_hosts import RayHosts


class WatchedHosts(RayHosts):
    """Hosts of Ray that keep when a fresh generator was ordered in the place of which lost one."""

    def __init__(self, *words: Any, **more: Any) -> None:
        super().__init__(*words, **more)
        self.ordered: list[tuple[float, int]] = []

    def replace(self, index: int) -> None:
        self.ordered.append((time.monotonic(), index))
        super().replace(index)
