"""Knowledge of the capacity while a search goes on: what was seen, and where that places the capacity."""

import math

from loadrig.study.capacity.answer import CONFIRMS_ABOVE, CONFIRMS_BELOW, Confirmed
from loadrig.study.capacity.clusters import Clusters
from loadrig.study.capacity.goals import Goals
from loadrig.study.capacity.locate import Located, locate
from loadrig.study.capacity.probe import DoneProbe, Kind, Probe
from loadrig.study.capacity.saturation import Saturation
from loadrig.study.capacity.waits import line_of

USUAL_FACTOR, USUAL_MORE = 3.0, 4.0
"""Factor of the usual number in flight, and requests more than it, above which a drain comes first."""

SAME_LEVEL = 0.01
"""Distance in ln(level) within which a confirmation counts for a capacity that has moved since."""

WARMED_UP = 1.02
"""Factor of the throughput that met every goal, which a saturation measured before is at least."""


class Knowledge:
    """Probes of a search in order, saturation and clusters as learned from them, and the capacity by all.

    is_closed: whether levels are users. located: None until a probe has told something of a goal.
    """

    def __init__(self, goals: Goals, *, is_closed: bool) -> None:
        self.goals, self.is_closed = goals, is_closed
        self.clusters = Clusters(goals.shares, is_closed=is_closed)
        self.saturation = Saturation()
        self.probes: list[DoneProbe] = []
        self.located: Located | None = None

    def keep(self, probe: Probe) -> DoneProbe:
        """Learn from a probe that is over, and return what was seen of it."""
        window = probe.done().window
        self.clusters.note(window)
        self.clusters.learn(probe.level, probe.ticks, window)
        done = probe.done()
        self.probes.append(done)
        self.locate()
        return done

    def locate(self) -> None:
        """Place the capacity anew."""
        # Probes of a cold server are left out, but for levels that it met even then.
        probes = [
            probe for probe in self.probes if probe.at_s >= self.saturation.since_s or probe.leans == "meets"
        ]
        if not any(probe.goals for probe in probes):
            return
        full, line, ceiling = self.full, None, math.inf
        if full is not None:
            # A server that was saturated while it was cold may answer more by now.
            full = max(full, WARMED_UP * self.met())
            ceiling = max(self.saturation.ceiling, WARMED_UP * self.met())
            self.clusters.saturation = full
            line = line_of(probes, self.saturation.intervals, self.clusters.base_s)
        self.located = locate(probes, self.goals, full, line, ceiling, self.is_closed)

    @property
    def full(self) -> float | None:
        """Level of saturation, in good answers a second; None of users, and where it was never reached."""
        return None if self.is_closed else self.saturation.value

    def met(self) -> float:
        """Return the highest throughput at a level that met every goal; 0 for none."""
        return max(
            (probe.window.throughput for probe in self.probes if probe.verdict == "meets"), default=0.0
        )

    def is_within(self, width: float) -> bool:
        """Return whether half of the interval is at most `width`, in ln(level)."""
        return self.located is not None and self.located.half_width <= width

    def most_usual(self) -> float:
        """Return how many may be in flight without a drain before the next level."""
        met = [probe.window.in_flight for probe in self.probes if probe.verdict == "meets"]
        return USUAL_FACTOR * max(met, default=1.0) + USUAL_MORE

    def of_kind(self, kind: Kind) -> list[DoneProbe]:
        """Return the probes of a kind, in order."""
        return [probe for probe in self.probes if probe.kind == kind]

    def confirmed(self) -> Confirmed:
        """Return whether what was confirmed still stands at the present capacity; None: not asked yet."""
        if self.located is None:
            return Confirmed(None, None)
        middle = self.located.median

        def leans_as_wanted(kind: Kind, share: float, wanted: str) -> bool | None:
            near = [
                probe
                for probe in self.of_kind(kind)
                if abs(math.log(probe.level / middle / share)) <= SAME_LEVEL
            ]
            return (near[-1].leans == wanted) if near else None

        return Confirmed(
            leans_as_wanted("confirm_below", CONFIRMS_BELOW, "meets"),
            leans_as_wanted("confirm_above", CONFIRMS_ABOVE, "fails"),
        )
