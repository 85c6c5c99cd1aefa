"""The CPU time that observing may use: one budget, less what cannot be put off, divided among the sensors.

Most of what a rig does beside its generator has a price that nobody can choose: frames are read and written,
every probe reads once a second, discovery looks around. A few sensors can look more or less often, and what
they tell becomes better with each look. They share what the rest leaves, so that all of it together stays
within the budget, on a slow machine as on a fast one.
"""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

BUDGET_SHARE = 0.02
"""Share of a core that the whole process may use while load runs: the sensors and all other work."""

REST_AT_FIRST = 0.01
"""Share of a core taken for all work but the sensors until it is measured, as in front of a small server."""

STARTS_S = 3.0
"""Time from the first measurement in which the use of the rest does not tell its later use, in seconds:
modules are imported and programs are looked at for the first time. Most runs are short, and would be over
before sensors had more than their least."""

WITHIN_S = 10.0
"""Time constant by which the rest is averaged, in seconds, so that no single tick makes sensors blind."""

RENEWED_S = 0.5
"""Least time between two measurements of the rest, in seconds; the observer asks once a second."""


@dataclass(eq=False)
class Allotment:
    """CPU time that a sensor may use. Made by `Purse.part`; all programs that the sensor watches share it.

    weight: of the part among all parts; 0 for a part that has its share in any case, as the plan asks for the
    sensor. least: share of a core below which the sensor's result is of no use. most: beyond which more looks
    tell hardly more. share: of a core, allotted now. allotted_s: CPU seconds allotted until now.
    """

    weight: float
    least: float
    most: float
    share: float = 0.0
    allotted_s: float = 0.0
    used_s: float = 0.0


@dataclass(eq=False)
class Purse:
    """Budget of CPU time of a process that observes, and its parts. May be used by several threads.

    clock: seconds. cpu: CPU seconds of the whole process.
    """

    clock: Callable[[], float] = time.monotonic
    cpu: Callable[[], float] = time.process_time
    _parts: dict[str, Allotment] = field(default_factory=dict)
    _rest_share: float = REST_AT_FIRST
    _rest_s: float = 0.0
    _first_s: float = 0.0
    _last: tuple[float, float, float] | None = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def part(self, name: str, weight: float, least: float, most: float) -> Allotment:
        """Return the part of a sensor; the first caller decides its weight and bounds."""
        with self._lock:
            self._renew()
            if name not in self._parts:
                self._parts[name] = Allotment(weight, least, most)
                self._divide()
            return self._parts[name]

    def share(self, part: Allotment) -> float:
        """Return the share of a core that a part may use now."""
        with self._lock:
            self._renew()
            return part.share

    def spend(self, part: Allotment, cpu_s: float) -> None:
        """Record the CPU time that a sensor has used, so that it does not count as the rest's."""
        with self._lock:
            part.used_s += cpu_s

    def _renew(self) -> None:
        """Measure the rest if it is time to, and divide the remaining budget."""
        now_s, cpu_s = self.clock(), self.cpu()
        used_s = sum(part.used_s for part in self._parts.values())
        if self._last is None:
            self._first_s, self._last = now_s, (now_s, cpu_s, used_s)
            return
        seconds = now_s - self._last[0]
        if seconds < RENEWED_S:
            return
        # A sensor reports a burst when it is over: its CPU time can exceed that used since the last
        # measurement.
        rest_s = cpu_s - self._last[1] - (used_s - self._last[2])
        if now_s - self._first_s > STARTS_S:
            newest = 1 - math.exp(-seconds / WITHIN_S)
            self._rest_share = max(0.0, self._rest_share + newest * (rest_s / seconds - self._rest_share))
        self._rest_s += rest_s
        for part in self._parts.values():
            part.allotted_s += part.share * seconds
        self._last = now_s, cpu_s, used_s
        self._divide()

    def _divide(self) -> None:
        """Divide the budget that the rest leaves by weight, within the bounds of each part."""
        left_share = BUDGET_SHARE - self._rest_share
        waiting = []
        for part in self._parts.values():
            if part.weight:
                waiting.append(part)
            else:
                part.share = part.least
        while waiting:
            whole = max(0.0, left_share) / sum(part.weight for part in waiting)
            short = [part for part in waiting if whole * part.weight < part.least]
            bound = short or [part for part in waiting if whole * part.weight > part.most]
            for part in bound or waiting:
                part.share = min(max(whole * part.weight, part.least), part.most)
                left_share -= part.share
            waiting = [part for part in waiting if bound and part not in bound]

    def facts(self) -> dict[str, Any]:
        """Return what was allotted and used, as plain data for the manifest; shares are of a core."""
        with self._lock:
            self._renew()
            return {
                "share": BUDGET_SHARE,
                "rest": {"share": round(self._rest_share, 6), "cpu_s": round(self._rest_s, 6)},
                "parts": {
                    name: {
                        "share": round(part.share, 6),
                        "allotted_s": round(part.allotted_s, 6),
                        "cpu_s": round(part.used_s, 6),
                    }
                    for name, part in sorted(self._parts.items())
                },
            }
