"""Requests of the hosts that share a label, added up over the load: of a size that does not grow with it.

What they measured is added as it came, histogram to histogram, so a percentile of a label is that of all its
requests and none is averaged.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from loadrig._native import Histogram
from loadrig.fleet.hosts import Seat
from loadrig.fleet.messages import LabelState
from loadrig.fleet.testimony import TOTALS, delay_of
from loadrig.recording.frame_document import LiveFrameDocument


class LabelSums:
    """Sums by label. Without two labels there are none: the whole load is the sum."""

    def __init__(self, seats: Sequence[Seat]) -> None:
        self._generators = Counter(seat.label for seat in seats)
        self._label_by_index = {seat.index: seat.label for seat in seats}
        self._totals: dict[str, Counter[str]] = {label: Counter() for label in self._generators}
        self._times = {label: Histogram() for label in self._generators}

    def take(self, index: int, frame: LiveFrameDocument) -> None:
        """Add a frame of a generator."""
        if len(self._generators) >= 2:
            self.count(self._label_by_index[index], frame)

    def count(self, label: str, frame: LiveFrameDocument) -> None:
        """Add a frame to a label."""
        totals = self._totals.setdefault(label, Counter())
        times = self._times.setdefault(label, Histogram())
        totals.update({name: getattr(frame, name) for name in TOTALS})
        for row in frame.routes:
            if (row.route_class, row.outcome) == ("service", "ok"):
                totals["ok"] += row.count
                if row.response:
                    times.add(Histogram.decode(row.response))

    def move(self, index: int, label: str) -> None:
        """Add what a generator says from now on to another label: a fresh one makes its part elsewhere.

        Where there were no two labels there were no sums, and there are none now.
        """
        if len(self._generators) < 2 or label == self._label_by_index[index]:
            return
        self._label_by_index[index] = label
        self._generators[label] += 1
        self._totals.setdefault(label, Counter())
        self._times.setdefault(label, Histogram())

    def state(self) -> LabelState:
        """Return the sums as they are."""
        return {label: (totals, self._times[label].encode()) for label, totals in self._totals.items()}

    def add(self, state: LabelState) -> None:
        """Add sums that another process has made."""
        for label, (totals, times) in state.items():
            self._totals.setdefault(label, Counter()).update(totals)
            self._times.setdefault(label, Histogram()).add(Histogram.decode(times))

    def to_json(self) -> list[dict[str, Any]]:
        """Return them as a recording keeps them, by label; empty where there are no two."""
        if len(self._generators) < 2:
            return []
        return [
            {
                "label": label,
                "generators": self._generators[label],
                **{name: self._totals[label][name] for name in (*TOTALS, "ok")},
                "response_us": delay_of(self._times[label]) if self._times[label].count else None,
            }
            for label in sorted(self._generators)
        ]
