"""Results of experiments: by how much the outcome moved, how sure that is, and the sentence about it."""

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from loadrig.base.setting import Setting
from loadrig.base.units import show_duration, show_number, show_share
from loadrig.interventions import Change, Lever
from loadrig.judgement.experiments.outcome import IS_MORE_BETTER, UNITS, Measure
from loadrig.language.choice import texts_of
from loadrig.language.en.judgement.experiments import JudgementExperimentsResultsTexts
from loadrig.stats.elasticity import BASE, Elasticity, Standing

TEXTS = texts_of(JudgementExperimentsResultsTexts)

LIVE: frozenset[Change] = frozenset({"cpu", "cores", "precedence", "delay"})
"""Kinds of levers that are pulled while load runs; others need trials of their own."""

FEWEST_SLOTS = 4
"""Least number of slots without a change from which the scatter of an outcome is computed."""

Kind: TypeAlias = Literal["live", "trials"]
"""Kind of an experiment: while load ran, or in trials of its own."""


@dataclass(frozen=True, slots=True)
class Gain:
    """Outcome with a change over outcome without it, with its 95 % interval."""

    value: float
    low: float
    high: float

    def better(self, measure: Measure) -> "Gain":
        """Return how many times better the outcome is: the inverse where less of the measure is better."""
        return self if IS_MORE_BETTER[measure] else Gain(1 / self.value, 1 / self.high, 1 / self.low)


@dataclass(frozen=True, slots=True)
class Measurement:
    """Slot, or the part of a trial that counts as one.

    from_s: seconds since the start of the trial's load. change: its number, BASE for none. scatter: standard
    deviation of the outcome that the part itself shows, beside the differences between slots and trials: of
    growth itself, of throughput and latency of its logarithm.
    """

    trial: int
    from_s: float
    length_s: float
    block: int
    change: int
    outcome: float
    scatter: float = 0.0

    @property
    def is_changed(self) -> bool:
        """Whether the change was in force."""
        return self.change != BASE


@dataclass(frozen=True, slots=True)
class Result:
    """Result of one experiment.

    ratio: capacity with the change over capacity without it, None where the change is none of capacity.
    elasticity: None where there is no ratio. standing: "limits" where the change moves the harm, "cleared"
    where it does not, "unsure". parts: in the order of time. is_mend: whether somebody would keep the change.
    setting: the setting with the change. beside: strength of what a cause blames in a component, by whether
    it was changed. is_at_least: whether the generator was the limit with the change, so that the true gain is
    larger. aside: what else the experiment has shown, as a clause.
    """

    lever: Lever
    title: str
    measure: Measure
    ratio: float | None
    elasticity: Elasticity | None
    gain: Gain
    standing: Standing
    cost: str
    parts: tuple[Measurement, ...]
    is_mend: bool = False
    setting: Setting | None = None
    beside: Mapping[tuple[str, str], Mapping[bool, float]] = field(default_factory=dict)
    is_at_least: bool = False
    aside: str = ""

    @property
    def kind(self) -> Kind:
        """Kind of the experiment, which follows from what was changed."""
        return "live" if self.lever.change in LIVE else "trials"

    @property
    def trial(self) -> int:
        """Number of the first trial of the experiment."""
        return min((part.trial for part in self.parts), default=0)

    @property
    def blocks(self) -> int:
        """Number of blocks in which the outcome was measured with the change and without it."""
        changed = {part.block for part in self.measurements(True)}
        return len(changed & {part.block for part in self.measurements(False)})

    @property
    def unchanged(self) -> float:
        """Median outcome without the change."""
        return statistics.median(part.outcome for part in self.measurements(False))

    @property
    def changed(self) -> float:
        """Median outcome with the change."""
        return statistics.median(part.outcome for part in self.measurements(True))

    def measurements(self, is_changed: bool) -> list[Measurement]:
        """Return what was measured with the change, or without it."""
        return [part for part in self.parts if part.is_changed == is_changed]

    @property
    def says(self) -> str:
        """Return a sentence: what was changed, what moved, how sure that is, and what else was seen."""
        return f"{self._moved}; {self.aside}" if self.aside else self._moved

    @property
    def _moved(self) -> str:
        measure, says = TEXTS.measures[self.measure], TEXTS.moved_by
        if self.is_at_least:
            says = TEXTS.moved_at_least_by
        moved = says(self.title, measure, _percent(self.gain.value))
        if self.measure in ("dips", "growth"):
            ends = show(self.unchanged, self.measure), show(self.changed, self.measure)
            moved = TEXTS.went_to(self.title, measure, *ends)
        if self.elasticity is not None and self.kind == "live":
            slope = self.elasticity
            return TEXTS.with_elasticity(moved, f"{slope.value:.2f}", f"{slope.low:.2f}", f"{slope.high:.2f}")
        return TEXTS.with_interval(moved, _percent(self.gain.low), _percent(self.gain.high))


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


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.0f} %"
