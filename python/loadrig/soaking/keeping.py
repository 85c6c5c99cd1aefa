"""Readings of hours in constant memory, while they come: the least of ever longer stretches.

A slope over hours needs no second-by-second readings; it rests on what was held least in each of some forty
blocks. So readings that are next to each other are joined as soon as there are too many, the lower one is
kept, and a soak of four hours takes as much memory as one of ten minutes.
"""

from array import array

import numpy as np

from loadrig.judgement.facts.readings import ProcessReadings, RequestCount

MOST_READINGS = 512
"""Greatest number of readings of a process. After joining, half as many are left, at least six for each of
forty blocks."""

MOST_ENDED = 256
"""Greatest number of processes kept that have ended. Of more, every second one is forgotten, among the
first and the last alike."""

SHORT_GAP_S = 30.0
"""Time without a reading after which a process counts as ended, in seconds."""


class ProcessLevels:
    """Readings of one process, made and filled by Keeping.

    last_s: instant of the last reading, in seconds.
    """

    __slots__ = ("_joined", "_level", "_t", "_waiting", "last_s")

    def __init__(self) -> None:
        self._t, self._level = array("d"), array("d")
        self._joined, self._waiting = 1, 0
        self.last_s = 0.0

    def add(self, t_s: float, level: float) -> None:
        """Take in a reading that is later than those before."""
        self.last_s = t_s
        if self._waiting and level >= self._level[-1]:
            pass  # only the lowest of the readings that are joined is kept
        elif self._waiting:
            self._t[-1], self._level[-1] = t_s, level
        else:
            self._t.append(t_s)
            self._level.append(level)
        self._waiting = (self._waiting + 1) % self._joined
        if len(self._t) > MOST_READINGS and not self._waiting:
            self._halve()

    def _halve(self) -> None:
        t, level = array("d"), array("d")
        for n in range(0, len(self._t) - 1, 2):
            at = n if self._level[n] <= self._level[n + 1] else n + 1
            t.append(self._t[at])
            level.append(self._level[at])
        if len(self._t) % 2:
            t.append(self._t[-1])
            level.append(self._level[-1])
        self._t, self._level, self._joined = t, level, self._joined * 2

    def readings(self, subject: str) -> ProcessReadings:
        """Return the readings as arrays."""
        return ProcessReadings(subject, np.array(self._t), np.array(self._level))


class Keeping:
    """One level of all processes of a program, and the requests that were served meanwhile.

    It is filled by whoever follows a soak, and is not safe for several threads.
    """

    def __init__(self) -> None:
        self._served = ProcessLevels()
        self._last = (0.0, 0.0)
        self._alive: dict[str, ProcessLevels] = {}
        self._ended: list[tuple[str, ProcessLevels]] = []

    def served(self, t_s: float, requests: float) -> None:
        """Note how many requests have ended by now; the number never falls."""
        self._served.add(t_s, requests)
        self._last = (t_s, requests)

    def read(self, t_s: float, subject: str, level: float) -> None:
        """Note one reading of one process. A subject without a reading for a while is another process now."""
        process = self._alive.get(subject)
        if process is not None and t_s - process.last_s > SHORT_GAP_S:
            self.ended(subject)
            process = None
        if process is None:
            process = self._alive[subject] = ProcessLevels()
        process.add(t_s, level)

    def ended(self, subject: str) -> None:
        """Note that a process has ended."""
        process = self._alive.pop(subject, None)
        if process is None:
            return
        self._ended.append((subject, process))
        if len(self._ended) > MOST_ENDED:
            del self._ended[1:-1:2]

    def readings(self) -> list[ProcessReadings]:
        """Return the readings of all processes, those of ended processes first."""
        every = [*self._ended, *self._alive.items()]
        return [process.readings(subject) for subject, process in every if process.last_s]

    def so_far(self) -> RequestCount | None:
        """Return the requests served by time; None before the second reading."""
        served = self._served.readings("")
        if served.t_s.size < 2:
            return None
        # Of joined readings the first is kept, so the last one is appended.
        last_s, requests = self._last
        if last_s <= served.t_s[-1]:
            return RequestCount.of(served.t_s, served.level)
        return RequestCount.of(np.append(served.t_s, last_s), np.append(served.level, requests))
