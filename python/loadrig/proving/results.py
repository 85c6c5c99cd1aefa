"""Results of experiments: by how much the outcome moved, how sure that is, and the sentence about it."""

import math
import statistics
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from loadrig.base.units import show_duration, show_number, show_share
from loadrig.interventions import Lever, Step
from loadrig.proving import outcome
from loadrig.proving.outcome import IS_MORE_BETTER, NS, UNITS, FrameCounts, Measure
from loadrig.stats.elasticity import BASE, Elasticity, Slot, Standing, elasticities

MOVED: Mapping[Measure, float] = {"throughput": 1.05, "latency": 1.10, "dips": 2.0, "growth": 2.0}
"""Times better, from which on a trial's change has moved the outcome: nobody would make a change for less.
Of dips and growth half must be gone, as the rest is noise."""

CLEARED: Mapping[Measure, float] = {"throughput": 1.15, "latency": 1.2, "dips": 1.5, "growth": 1.5}
"""Times better, that a change surely does not reach: then what was changed is not the limit."""

FEWEST_SLOTS = 4
"""Least number of slots without a change from which the scatter of an outcome is computed."""

Kind: TypeAlias = Literal["live", "trials"]
"""Kind of an experiment: while load ran, or in trials of its own."""

_LOG = math.e
"""Ratio whose logarithm is one: the elasticity by it is the logarithm of the gain."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Outcome with a change over outcome without it, with its 95 % interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Measurement:
    """One slot, or the part of a trial that counts as one.

    from_s: seconds since the start of the trial's load. scatter: standard deviation of the outcome that is
    known from within the part, beside the differences between slots and trials; for growth alone.
    """

    trial: int
    from_s: float
    length_s: float
    block: int
    is_changed: bool
    outcome: float
    scatter: float = 0.0


@dataclass(frozen=True, slots=True)
class Result:
    """Result of one experiment.

    kind: "live" or "trials". ratio: capacity with the change over capacity without it, None where the change
    is none of capacity. elasticity: None where there is no ratio. standing: "limits" where the change moves
    the harm, "cleared" where it does not, "unsure". unchanged, changed: medians of the outcome over the
    slots. parts: in the order of time. is_mend: whether somebody would keep the change. setting: the setting
    with the change. beside: strength of what a cause blames in a component, by whether it was changed.
    is_at_least: whether the generator was the limit with the change, so that the true gain is larger. aside:
    what else the experiment has shown, as a clause.
    """

    lever: Lever
    title: str
    kind: Kind
    measure: Measure
    ratio: float | None
    elasticity: Elasticity | None
    gain: Gain
    standing: Standing
    blocks: int
    unchanged: float
    changed: float
    cost: str
    parts: tuple[Measurement, ...]
    is_mend: bool = False
    setting: Mapping[str, Any] | None = None
    beside: Mapping[tuple[str, str], Mapping[bool, float]] = field(default_factory=dict)
    is_at_least: bool = False
    aside: str = ""

    @property
    def trial(self) -> int:
        """Return the number of the first trial of the experiment."""
        return min((part.trial for part in self.parts), default=0)

    @property
    def says(self) -> str:
        """Return a sentence: what was changed, what moved, how sure that is, and what else was seen."""
        return f"{self._moved}; {self.aside}" if self.aside else self._moved

    @property
    def _moved(self) -> str:
        bound = "at least " if self.is_at_least else ""
        moved = f"{self.title}: {self.measure} {bound}{_percent(self.gain.value)}"
        if self.measure in ("dips", "growth"):
            moved = f"{self.title}: {self.measure} {show(self.unchanged, self.measure)} to"
            moved += f" {show(self.changed, self.measure)}"
        if self.elasticity is not None and self.kind == "live":
            slope = self.elasticity
            return f"{moved} (elasticity {slope.value:.2f}, 95 % {slope.low:.2f} to {slope.high:.2f})"
        return f"{moved} (95 % {_percent(self.gain.low)} to {_percent(self.gain.high)})"


def show(value: float, measure: Measure) -> str:
    """Return an outcome with its unit."""
    match measure:
        case "throughput":
            return f"{show_number(value)}/s"
        case "latency":
            return show_duration(value)
        case "dips":
            return show_share(value)
    return f"{show_number(value)} {UNITS[measure]}"


def trial_standing(measure: Measure, gain: Gain) -> Standing:
    """Return the standing of any other change: whether it moved the outcome by enough to be worth making."""
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
    """Return elasticity and gain of each change; empty as long as the noise is not known.

    ratios: capacity with each change over capacity without it, None where the change is none of capacity.
    looks: as of stats.elasticity. An elasticity above zero means a better outcome: for latency it is taken of
    the inverse.
    """
    sign = 1.0 if IS_MORE_BETTER[measure] else -1.0
    known = [Slot(slot.block, slot.change, slot.outcome**sign) for slot in slots]
    fitted = elasticities(known, {change: ratio or _LOG for change, ratio in ratios.items()}, looks=looks)
    return {change: _with_gain(elasticity, ratios[change], sign) for change, elasticity in fitted.items()}


def _with_gain(elasticity: Elasticity, ratio: float | None, sign: float) -> tuple[Elasticity | None, Gain]:
    scale = sign * math.log(ratio or _LOG)
    ends = sorted((elasticity.low * scale, elasticity.high * scale))
    gain = Gain(*(math.exp(min(50.0, max(-50.0, part))) for part in (elasticity.value * scale, *ends)))
    return (elasticity if ratio else None), gain


def medians(parts: Sequence[Measurement]) -> tuple[float, float]:
    """Return the median outcomes without and with the change; nan where there is none."""
    middles = []
    for is_changed in (False, True):
        values = [part.outcome for part in parts if part.is_changed == is_changed]
        middles.append(float(np.median(values)) if values else math.nan)
    return middles[0], middles[1]


def scatter_of(results: Sequence[Result], seconds: float) -> float:
    """Return the standard deviation of the logarithm of a trial of some seconds, from slots without a change.

    0 where fewer than FEWEST_SLOTS were seen. A slot is a mean over its time, so a longer one scatters less,
    by the square root of the ratio of the lengths. A server that stands still for seconds shows it here, and
    two of its trials that agree by chance are not sure.
    """
    slots = {
        (part.trial, part.from_s): part
        for result in results
        if result.kind == "live"
        for part in result.parts
        if not part.is_changed and part.outcome > 0
    }
    if len(slots) < FEWEST_SLOTS:
        return 0.0
    deviation = statistics.stdev(math.log(part.outcome) for part in slots.values())
    return deviation * math.sqrt(statistics.fmean(part.length_s for part in slots.values()) / seconds)


class SlotLog:
    """Outcomes of the slots of a trial, and the results of its changes by those that were judged.

    number: number of the trial.
    """

    def __init__(self, measure: Measure, number: int) -> None:
        self._measure, self._number = measure, number
        self._parts: list[tuple[int, Measurement]] = []
        self._looks: list[float] = []
        self._judged = 0  # number of slots at the last look
        self.results: list[Result] = []

    def add(self, block: int, change: int, inside: Sequence[FrameCounts], start_ns: int) -> None:
        """Add a slot by its frames. change: its number, BASE for none. start_ns: when the load began."""
        value = outcome.outcome_of(self._measure, inside)
        if value is not None:
            start_s = (inside[0].end_ns - inside[0].len_ns - start_ns) / NS
            length_s = sum(tick.len_ns for tick in inside) / NS
            part = Measurement(self._number, start_s, length_s, block, change != BASE, value)
            self._parts.append((change, part))

    def judge(self, steps: Sequence[Step], active: Collection[int], share: float) -> None:
        """Compute the results, if there are new slots; those of changes that are no longer tried are kept.

        steps: the changes, from 1 on. share: of all that may be measured, what was; see stats.elasticity.
        """
        if self._judged == len(self._parts):
            return
        self._judged = len(self._parts)
        self._looks.append(share)
        slots = [Slot(part.block, change, part.outcome) for change, part in self._parts]
        ratios = {change: step.ratio for change, step in enumerate(steps, start=1)}
        figures = measured(self._measure, slots, ratios, looks=self._looks)
        before = {result.title: result for result in self.results}
        self.results = []
        for change, step in enumerate(steps, start=1):
            if change not in active and step.title in before:
                self.results.append(before[step.title])
            elif change in figures:
                elasticity, gain = figures[change]
                assert elasticity is not None
                parts = tuple(part for whose, part in self._parts if whose in (BASE, change))
                self.results.append(
                    Result(
                        step.lever, step.title, "live", self._measure, step.ratio, elasticity, gain,
                        elasticity.standing, elasticity.blocks, *medians(parts), step.cost, parts,
                        is_mend=(step.ratio or 0) > 1,
                    )
                )  # fmt: skip


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.0f} %"
