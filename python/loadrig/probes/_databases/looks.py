"""Looks at a server at random instants: means over all time, not of one instant a second.

Instants of a fixed period miss what has the same period, and one a second misses what lasts for 50 ms.
Gaps of exponential length see time averages of whatever happens (Poisson arrivals).
"""

import math
import random
import statistics
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from loadrig.base.series import Metric
from loadrig.probes._counting import SubjectValues
from loadrig.probes._session import Lost

LOOKS_PER_S = 10.0
"""Number of looks a second at most, on average: the mean over a minute is then that of 600 looks."""

BUSY_SHARE = 0.02
"""Share of the time that looks may take, the rig's and the server's together, as in `QuestionPace`."""

SELDOM_S = 5.0
"""Longest mean gap between looks in seconds, however costly a look is."""

RECENT = 20
"""Number of looks of which the shortest counts as the cost of a look: others waited for a busy server."""

FEWEST = 3
"""Number of looks after which their cost counts: the first look also finds out who the clients are."""

MOST_AGES = 1000
"""Ages kept between two samples, by subject; of 10 looks that is a hundred sessions."""

RETRY_S = 1.0
"""Pause in seconds after a look that failed: the reading beside it reports the cause."""

LOOKS = Metric("1", "gauge", "Looks since the sample before: what the means are of.")


def with_deviations(metrics: Mapping[str, Metric]) -> dict[str, Metric]:
    """Return metrics of mean numbers, each with its standard deviation, which `Looks` gives, too."""
    deviations = {
        f"{name}_sd": Metric("1", "gauge", f"Standard deviation of `{name}` from look to look.")
        for name in metrics
    }
    return {**metrics, **deviations, "looks": LOOKS}


@dataclass(slots=True)
class DatabaseLook:
    """Numbers that a look has seen.

    counts: numbers by metric and subject; ages: in s, by metric and subject.
    """

    counts: SubjectValues = field(default_factory=dict)
    ages: dict[tuple[str, str], list[float]] = field(default_factory=dict)


class LookTally:
    """Sums over the looks since the last sample. Not for several threads."""

    def __init__(self) -> None:
        self._looks = 0
        self._sums: dict[tuple[str, str], tuple[float, float]] = {}
        self._ages: dict[tuple[str, str], list[float]] = {}

    def add(self, look: DatabaseLook) -> None:
        """Add a look. A subject that it does not name counts as zero."""
        self._looks += 1
        for key, count in look.counts.items():
            total, squares = self._sums.get(key, (0.0, 0.0))
            self._sums[key] = (total + count, squares + count * count)
        for key, ages in look.ages.items():
            sampled = self._ages.setdefault(key, [])
            sampled += ages[: max(0, MOST_AGES - len(sampled))]

    def take(self) -> SubjectValues:
        """Return the means with their standard deviations, median and highest age, and begin anew.

        Without a look only their number, 0, is returned: nothing is known then, which is not zero.
        The ages of NAME are `NAME_median_s` and `NAME_oldest_s`.
        """
        means: SubjectValues = {("looks", ""): float(self._looks)}
        for (metric, subject), (total, squares) in self._sums.items():
            mean = total / self._looks
            means[metric, subject] = mean
            if self._looks > 1:
                spread = max(0.0, squares - total * mean) / (self._looks - 1)
                means[f"{metric}_sd", subject] = math.sqrt(spread)
        for (metric, subject), ages in self._ages.items():
            means[f"{metric}_median_s", subject] = statistics.median(ages)
            means[f"{metric}_oldest_s", subject] = max(ages)
        self._looks, self._sums, self._ages = 0, {}, {}
        return means


class Looks:
    """Repeated looks, in a thread of its own that begins with the first `take`.

    look: takes a look; None where nothing may be seen. It may raise Lost, which the reading beside it
    reports.
    """

    def __init__(self, look: Callable[[], DatabaseLook | None]) -> None:
        self._look = look
        self._tally = LookTally()
        self._lock = threading.Lock()
        self._leaving = threading.Event()
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._random = random.Random()
        self._thread: threading.Thread | None = None
        self.cpu_s = 0.0

    def take(self) -> SubjectValues:
        """Return the means of the looks since the last call."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="loadrig-looks", daemon=True)
            self._thread.start()
        with self._lock:
            return self._tally.take()

    def close(self, within_s: float) -> None:
        """End the thread after the look under way."""
        self._leaving.set()
        if self._thread is not None:
            self._thread.join(within_s)

    def mean_gap_s(self) -> float:
        """Return the mean time from one look to the next that the budget allows."""
        cost_s = min(self._recent) if len(self._recent) >= FEWEST else 0.0
        return min(SELDOM_S, max(1 / LOOKS_PER_S, cost_s / BUSY_SHARE))

    def _work(self) -> None:
        pause_s = 0.0
        while not self._leaving.wait(pause_s):
            pause_s = RETRY_S
            began = time.monotonic()
            with suppress(Lost):
                look = self._look()
                self._recent.append(time.monotonic() - began)
                if look is not None:
                    with self._lock:
                        self._tally.add(look)
                pause_s = self._random.expovariate(1 / self.mean_gap_s())
            self.cpu_s = time.thread_time()
