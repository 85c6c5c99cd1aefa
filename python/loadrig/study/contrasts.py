"""One measure over all trials of a study: one number a block and setting, and differences between them."""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.stats.compare import PAIRS_NEEDED, Effect, known_noise, paired_differences
from loadrig.stats.intervals import wilson_share
from loadrig.stats.nested import NestedFit, nested_design
from loadrig.stats.noise import BlockFit
from loadrig.stats.verdict import Scale
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class TrialReading:
    """Value of the measure in one trial, on the scale on which it is compared (logs, for ratios)."""

    trial: DoneTrial
    setting: int
    y: float


class TrialReadings:
    """Readings of one measure from usable trials.

    A trial without the measure is left out; so is one whose value is not above zero where ratios
    are compared (a server that gave no good answer has no latency and a throughput of 0).

    Settings are compared on the same node: what a block ran on another node, where its own was lost, is a
    block of its own.
    """

    def __init__(
        self,
        settings: Sequence[Setting],
        trials: Sequence[DoneTrial],
        measure: str,
        scale: Scale,
        unit: str = "",
    ) -> None:
        place = {key(setting): number for number, setting in enumerate(settings)}
        self.measure = measure
        self.scale = scale
        self.unit = unit
        parts = sorted({(trial.block, trial.node) for trial in trials})
        self._part = {part: number for number, part in enumerate(parts)}
        self.nodes = tuple(sorted({trial.node for trial in trials}))
        """Names of the nodes on which trials ran, in ascending order; of one node its name may be empty."""
        seconds: Counter[int] = Counter()
        for trial in trials:
            seconds[trial.block] += round(trial.seconds)
        self.block_s = float(max(seconds.values(), default=0))
        """Duration of a whole block, in seconds: that of the longest so far."""
        self._contrasts: dict[tuple[tuple[tuple[int, float], ...], int], Effect | None] = {}
        self.rows: list[TrialReading] = []
        for trial in trials:
            estimate = trial.measures.get(measure)
            number = place.get(key(trial.setting))
            if number is None or estimate is None or not trial.is_usable:
                continue
            if scale == "difference":
                self.rows.append(TrialReading(trial, number, estimate.value))
            elif estimate.value > 0:
                self.rows.append(TrialReading(trial, number, math.log(estimate.value)))

    def part(self, trial: DoneTrial) -> int:
        """Return the number of a trial's block, or of the part of it that ran on the trial's node."""
        return self._part[trial.block, trial.node]

    @cached_property
    def by_block(self) -> Mapping[int, Mapping[int, float]]:
        """Return, for each block, the number of each setting there: the mean of its readings."""
        ys_by_block: defaultdict[int, defaultdict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in self.rows:
            ys_by_block[self.part(row.trial)][row.setting].append(row.y)
        return {
            block: {setting: sum(ys) / len(ys) for setting, ys in of_block.items()}
            for block, of_block in ys_by_block.items()
        }

    def of_node(self, node: str, setting: int) -> tuple[float, ...]:
        """Return the numbers that a setting has on a node, one for each block there."""
        parts = [number for part, number in self._part.items() if part[1] == node]
        rows = (self.by_block.get(number, {}) for number in parts)
        return tuple(ys[setting] for ys in rows if setting in ys)

    @cached_property
    def nested(self) -> NestedFit | None:
        """Return blocks, settings and nodes fitted together; None without readings or common blocks."""
        if not self.rows:
            return None
        try:
            return nested_design(
                [row.y for row in self.rows],
                [self.part(row.trial) for row in self.rows],
                [row.setting for row in self.rows],
                [self.nodes.index(row.trial.node) for row in self.rows],
            )
        except ValueError:
            return None

    @property
    def fit(self) -> BlockFit | None:
        """Return blocks and settings fitted together; None without readings or common blocks."""
        return None if self.nested is None else self.nested.fit

    @property
    def differs_by_node(self) -> bool:
        """Return whether settings gain more on one node than on another, so that intervals are wider."""
        return self.nested is not None and not self.nested.is_pooled

    @cached_property
    def settings(self) -> tuple[int, ...]:
        """Return the settings with at least one reading."""
        return tuple(sorted({row.setting for row in self.rows}))

    @property
    def knows_noise(self) -> bool:
        """Return whether differences have an interval at all."""
        return self.fit is not None and self.fit.df > 0

    @cached_property
    def pairs(self) -> tuple[tuple[TrialReading, TrialReading], ...]:
        """Return the A/A pairs: the base's first two readings of each block, in the order they ran."""
        rows_by_block: defaultdict[int, list[TrialReading]] = defaultdict(list)
        for row in self.rows:
            if row.trial.is_base:
                rows_by_block[self.part(row.trial)].append(row)
        return tuple((rows[0], rows[1]) for rows in rows_by_block.values() if len(rows) > 1)

    def effect(self, a: int, b: int) -> Effect | None:
        """Estimate how much larger setting b is than a, judged with one comparison for each other setting."""
        return self.contrast({a: -1.0, b: 1.0}, max(1, len(self.settings) - 1))

    def contrast(self, weights: Mapping[int, float], among: int) -> Effect | None:
        """Estimate a weighted sum of settings (weights add up to 0) with its interval; None where unknown.

        among: of how many comparisons this is one, all to be judged together. With so many blocks
        that the exact test can pass Holm's strictest step, each block's own difference is taken, and
        no law of the noise is supposed; with fewer, the noise pooled over the whole design. Where
        settings gain more on one node than on another, blocks of a node are no longer independent: the
        variance between nodes widens the interval.
        """
        # The judge asks for a contrast with the base, with the best and of a knob; each is a bootstrap.
        question = (tuple(weights.items()), among)
        if question not in self._contrasts:
            self._contrasts[question] = self._estimated(weights, among)
        return self._contrasts[question]

    def _estimated(self, weights: Mapping[int, float], among: int) -> Effect | None:
        fit = self.fit
        if self.nested is None or fit is None or any(setting not in fit.treatments for setting in weights):
            return None
        differences = [
            sum(weight * ys[setting] for setting, weight in weights.items())
            for ys in self.by_block.values()
            if all(setting in ys for setting in weights)
        ]
        n = len(differences)
        if not self.differs_by_node and n >= PAIRS_NEEDED and 2.0 ** (1 - n) * among <= ALPHA:
            return paired_differences(differences)
        if not self.knows_noise:
            return None
        vector = np.array([weights.get(setting, 0.0) for setting in fit.treatments])
        error, df = self.nested.error(vector)
        return known_noise(float(vector @ fit.effects), error, df, n=max(1, n))

    def itself(self) -> Effect | None:
        """Estimate the second run of the base against the first, over all blocks; None where unknown."""
        differences = [second.y - first.y for first, second in self.pairs]
        n = len(differences)
        if n >= PAIRS_NEEDED:
            return paired_differences(differences)
        noise = self.repeatability()
        if not n or noise is None:
            return None
        return known_noise(sum(differences) / n, noise[0] * math.sqrt(2 / n), noise[1], n=n)

    def repeatability(self) -> tuple[float, int] | None:
        """Return the standard deviation of one trial and its degrees of freedom, from all repetitions."""
        if self.nested is None or not self.knows_noise:
            return None
        if self.nested.is_pooled:
            return self.nested.fit.sd, self.nested.fit.df
        return self.nested.sd, self.nested.df


def summary(readings: TrialReadings, setting: int) -> Estimate | None:
    """Estimate what a setting reached over all its blocks, in the measure's unit; None without a reading.

    The interval is that of the setting in an average block of this study, on the pooled noise: two
    settings may be compared by it, another day may be faster or slower as a whole. A share of
    counted requests has Wilson's interval of all its requests; a single trial keeps its own.
    """
    rows = [row for row in readings.rows if row.setting == setting]
    if not rows:
        return None
    unit = readings.unit
    estimates = [row.trial.measures[readings.measure] for row in rows]
    warnings = tuple(dict.fromkeys(text for estimate in estimates for text in estimate.warnings))
    counted = [(estimate.value, estimate.n) for estimate in estimates if estimate.of == "requests"]
    if readings.scale == "difference" and len(counted) == len(rows) and all(n > 0 for _, n in counted):
        n = sum(n for _, n in counted)
        share = wilson_share(round(sum(value * n for value, n in counted)), n)
        return Estimate(share.value, unit, share.low, share.high, n=n, of="requests", warnings=warnings)
    if len(rows) == 1:
        return estimates[0]
    blocks = len({row.trial.block for row in rows})
    noise = readings.repeatability()
    fit = readings.fit
    if fit is None or noise is None:
        centre = sum(row.y for row in rows) / len(rows)
        return Estimate(back(centre, readings.scale), unit, n=blocks, of="blocks", warnings=warnings)
    position = fit.treatments.index(setting)
    centre = float(fit.effects[position])
    own = known_noise(centre, noise[0] * math.sqrt(float(fit.covariance[position, position])), noise[1])
    low, high = (back(bound, readings.scale) for bound in (own.low, own.high))
    if readings.scale == "difference":
        low, high = max(0.0, low), min(1.0, high)
    return Estimate(back(centre, readings.scale), unit, low, high, n=blocks, of="blocks", warnings=warnings)


def back(y: float, scale: Scale) -> float:
    """Return a number on the scale of comparison as a value. Bounds of unknown noise may pass all floats."""
    return y if scale == "difference" else math.exp(min(y, 700.0))
