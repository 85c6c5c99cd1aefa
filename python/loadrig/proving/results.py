"""What came of an experiment: by how much the outcome moved, how sure that is, and what it says."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.interventions import Lever
from loadrig.proving.outcome import IS_MORE_BETTER, UNITS, Measure
from loadrig.stats.elasticity import BASE, Elasticity, Slot, Standing, elasticities

MOVED: Mapping[Measure, float] = {"throughput": 1.05, "latency": 1.10, "dips": 2.0, "growth": 2.0}
"""Times better, from which a trial's change has moved something: below it nobody would make it.
Of dips and growth half must be gone, as their rest is noise."""

CLEARED: Mapping[Measure, float] = {"throughput": 1.15, "latency": 1.2, "dips": 1.5, "growth": 1.5}
"""Times better, that a trial's change surely does not make it: no limit was in its way."""

FEWEST_SLOTS = 4

_LOG = math.e
"""A ratio whose logarithm is one: the elasticity by it is the logarithm of the gain."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Outcome changed over unchanged, with its 95 % interval."""

    value: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        """As in proof.json."""
        return {"value": self.value, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Part:
    """One slot, or the part of a trial that counts as one. from_s: since the start of the trial's load.

    scatter: standard deviation of the outcome that is known from within, beside what slots and trials differ
    by; of growth alone.
    """

    trial: int
    from_s: float
    length_s: float
    block: int
    is_changed: bool
    outcome: float
    scatter: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """As in proof.json."""
        return {
            "trial": self.trial, "from_s": round(self.from_s, 3), "length_s": round(self.length_s, 3),
            "block": self.block, "is_changed": self.is_changed, "outcome": self.outcome,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class Result:
    """One experiment. kind: "live" or "trials". ratio: of the capacity, None where it is none.

    elasticity: where there is a ratio. standing: "limits" where it moves what is wrong, "cleared" where it
    does not. unchanged, changed: medians over the slots. parts: in the order of time. is_mend: whether one
    would leave it so; setting: with it. beside: strength of what a cause blames in a component, by whether it
    was changed. is_at_least: whether the generator was the limit with the change: it gained more still.
    aside: what else it has shown, as a clause.
    """

    lever: Lever
    title: str
    kind: str
    measure: Measure
    ratio: float | None
    elasticity: Elasticity | None
    gain: Gain
    standing: Standing
    blocks: int
    unchanged: float
    changed: float
    cost: str
    parts: tuple[Part, ...]
    is_mend: bool = False
    setting: Mapping[str, Any] | None = None
    beside: Mapping[tuple[str, str], Mapping[bool, float]] = field(default_factory=dict)
    is_at_least: bool = False
    aside: str = ""

    @property
    def trial(self) -> int:
        """The first trial that it was made in."""
        return min((one.trial for one in self.parts), default=0)

    @property
    def says(self) -> str:
        """The sentence for people: what was changed, what moved, how sure that is, what else it showed."""
        return f"{self._moved}; {self.aside}" if self.aside else self._moved

    @property
    def _moved(self) -> str:
        bound = "at least " if self.is_at_least else ""
        moved = f"{self.title}: {self.measure} {bound}{_percent(self.gain.value)}"
        if self.measure in ("dips", "growth"):
            moved = f"{self.title}: {self.measure} {show(self.unchanged, self.measure)} to"
            moved += f" {show(self.changed, self.measure)}"
        if self.elasticity is not None and self.kind == "live":
            one = self.elasticity
            return f"{moved} (elasticity {one.value:.2f}, 95 % {one.low:.2f} to {one.high:.2f})"
        return f"{moved} (95 % {_percent(self.gain.low)} to {_percent(self.gain.high)})"


def show(value: float, measure: Measure) -> str:
    """An outcome with its unit."""
    match measure:
        case "throughput":
            return f"{show_number(value)}/s"
        case "latency":
            return show_duration(value)
        case "dips":
            return show_share(value)
    return f"{show_number(value)} {UNITS[measure]}"


def live_standing(elasticity: Elasticity) -> Standing:
    """Of a change of capacity: that of its elasticity."""
    return elasticity.standing


def trial_standing(measure: Measure, gain: Gain) -> Standing:
    """Of another change: whether it moved as much as anybody would make it for."""
    better = gain if IS_MORE_BETTER[measure] else Gain(1 / gain.value, 1 / gain.high, 1 / gain.low)
    if better.low > 1 and better.value >= MOVED[measure]:
        return "limits"
    return "cleared" if better.high < CLEARED[measure] else "unsure"


def measured(
    measure: Measure,
    slots: Sequence[Slot],
    ratios: Mapping[int, float | None],
    *,
    looks: Sequence[float] = (1.0,),
) -> dict[int, tuple[Elasticity | None, Gain]]:
    """Elasticity and gain of each change; empty as long as the noise is not known.

    ratios: of the capacity, None where it is none. looks: as of stats.elasticity. An elasticity above zero is
    of a better outcome: of latency it is taken of its inverse.
    """
    sign = 1.0 if IS_MORE_BETTER[measure] else -1.0
    known = [Slot(one.block, one.change, one.outcome**sign) for one in slots]
    found = elasticities(known, {change: ratio or _LOG for change, ratio in ratios.items()}, looks=looks)
    return {change: _told(one, ratios[change], sign) for change, one in found.items()}


def _told(one: Elasticity, ratio: float | None, sign: float) -> tuple[Elasticity | None, Gain]:
    scale = sign * math.log(ratio or _LOG)
    ends = sorted((one.low * scale, one.high * scale))
    gain = Gain(*(math.exp(min(50.0, max(-50.0, part))) for part in (one.value * scale, *ends)))
    return (one if ratio else None), gain


def medians(parts: Sequence[Part]) -> tuple[float, float]:
    """The median outcome unchanged and changed; nan where there is none."""
    found = []
    for is_changed in (False, True):
        values = [one.outcome for one in parts if one.is_changed == is_changed]
        found.append(float(np.median(values)) if values else math.nan)
    return found[0], found[1]


def scatter_of(results: Sequence[Result], seconds: float) -> float:
    """Standard deviation of the log of a trial of so many seconds, as slots without a change scatter.

    0 where fewer than FEWEST_SLOTS were seen. A slot is a mean over its time, so that a longer one scatters
    by the root of the lengths less; a server that stands still for seconds shows it here, and two trials of
    it that agree by chance are not sure.
    """
    slots = {
        (part.trial, part.from_s): part
        for one in results
        if one.kind == "live"
        for part in one.parts
        if not part.is_changed and part.outcome > 0
    }
    if len(slots) < FEWEST_SLOTS:
        return 0.0
    each = statistics.stdev(math.log(part.outcome) for part in slots.values())
    return each * math.sqrt(statistics.fmean(part.length_s for part in slots.values()) / seconds)


def blocks_of(slots: Sequence[Slot], change: int) -> int:
    """Blocks that have both the base and this change."""
    base = {one.block for one in slots if one.change == BASE}
    return len(base & {one.block for one in slots if one.change == change})


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.0f} %"
