"""Outcomes of trials of their own: which of them count, and what base and changes differ by.

Trials of one setting are taken to differ at least as much as restarts usually make them differ, as two or
three blocks cannot show how much that is.
"""

import math
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from loadrig.base.component import SERVER
from loadrig.base.errors import RigError
from loadrig.interventions import Variant
from loadrig.proving import outcome
from loadrig.proving.outcome import NS, Measure
from loadrig.proving.results import Gain, Measurement, Result, trial_standing
from loadrig.proving.signals import signal_text, strength
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.stats.distributions import normal_quantile, t_quantile
from loadrig.stats.elasticity import BASE, Elasticity, Standing
from loadrig.trial.result import result_of

BETWEEN: Mapping[Measure, float] = {"throughput": 0.05, "latency": 0.07, "dips": 0.3, "growth": 0.08}
"""Standard deviation of the logarithm of the outcome between trials of one setting, by measure. It is
assumed until blocks show more."""

FEWEST_PAIRED_BLOCKS = 2
"""Least number of blocks of a change."""
MANY_TIMES = 3.0
"""Ratio of throughputs that a single block proves: restarts and neighbours move throughput by tenths, not
by multiples."""
OF_GENERATOR = frozenset({"G1", "G2", "G3", "G4", "G7", "G10"})
"""Checks that say that the generator was the limit, or hindered: the server can do more than it showed."""

HARMLESS: Mapping[Measure, frozenset[str]] = {
    "throughput": frozenset(), "latency": frozenset(), "dips": frozenset({"G2"}), "growth": OF_GENERATOR
}  # fmt: skip
"""Checks that do not spoil a measure: what is late by milliseconds moves no whole second, and the server
itself shows its memory."""

SPOILING = frozenset({"grave", "void"})
"""Levels of reasons that spoil a trial of a pair, as they may hide the effect of a change."""

BOUNDED = frozenset({"throughput", "dips"})
"""Measures that a hindered generator can only make look worse."""


MB = 1e6
OF_A_MEDIAN, TEETH = 1.25, 2.0
"""OF_A_MEDIAN: error of a median over that of a mean. TEETH: factor by which readings that depend on each
other make the error larger."""
FEWEST_MEMORY_READINGS = 6
"""Least number of readings: with fewer, a third of them is one or two."""


@dataclass(slots=True)
class TrialLog:
    """What the trials of base and changes have shown.

    scatter: standard deviation of the logarithm of a trial's outcome, where it is known to be larger than
    usual. blamed: series of what each cause blames in its component. outcomes: of the trials that count, each
    with the number of its change, BASE for none. bounded: numbers of trials in which the generator was the
    limit. spoilt: why a trial of a change was spoilt. signals: strengths of what is blamed, with the change.
    """

    measure: Measure
    scatter: float = 0.0
    blamed: Mapping[tuple[str, str], Sequence[str]] = field(default_factory=dict)
    outcomes: list[tuple[int, Measurement]] = field(default_factory=list)
    bounded: set[int] = field(default_factory=set)
    spoilt: dict[int, str] = field(default_factory=dict)
    signals: list[tuple[int, tuple[str, str], float]] = field(default_factory=list)

    def has_added(self, folder: RunFolder, index: int, block: int, change: int) -> bool:
        """Add what one trial has shown; return whether it counts: not if it is spoilt or says nothing."""
        try:
            recording = Recording.open(folder.trial(index).path)
            validity = result_of(recording).validity
        except RigError:
            return False
        void = {reason.check for reason in validity.reasons if reason.level in SPOILING}
        void -= HARMLESS[self.measure]
        if void and not (change != BASE and void <= OF_GENERATOR and self.measure in BOUNDED):
            self.spoilt[change] = next(reason.text for reason in validity.reasons if reason.check in void)
            return False
        figure = self._figure(recording)
        if figure is None:
            return False
        self.bounded |= {index} if void else set()
        for key, names in self.blamed.items():
            seen = strength(recording, key[1], names)
            if seen is not None:
                self.signals.append((change, key, seen))
        window, start_ns = recording.measured, recording.start_ns
        from_s, length_s = (window.from_ns - start_ns) / NS, (window.to_ns - window.from_ns) / NS
        self.outcomes.append((change, Measurement(index, from_s, length_s, block, change != BASE, *figure)))
        return True

    def _figure(self, recording: Recording) -> tuple[float, float] | None:
        """Return the outcome of a trial, and its standard deviation where that is known from within."""
        if self.measure == "growth":
            return growth(recording)
        ticks = [outcome.recorded_tick(frame) for frame in recording.inside]
        value = outcome.outcome_of(self.measure, ticks)
        return None if value is None else (value, 0.0)

    def results(self, variants: Sequence[Variant]) -> list[Result]:
        """Return the result of each change that counts in a block with the base; variants: the base first."""
        base = [part for change, part in self.outcomes if change == BASE]
        return [
            result
            for change in range(1, len(variants))
            for result in self._of(change, variants[change], base)
        ]

    def _of(self, change: int, variant: Variant, base: Sequence[Measurement]) -> Iterator[Result]:
        # Under a hindered generator a change that did better is better; one that did worse says nothing.
        own = [
            part
            for whose, part in self.outcomes
            if whose == change and (part.trial not in self.bounded or self._is_better(part, base))
        ]
        blocks = {part.block for part in own} & {part.block for part in base}
        if not blocks:
            return
        gain = gain_of(self.measure, base, own, self.scatter)
        ratio, elasticity = variant.ratio, None
        if ratio and variant.lever.change == "load":
            # Half the load is twice the capacity for each request.
            ratio = 1 / ratio
        if ratio and ratio != 1:
            scale = math.log(ratio) * (1 if outcome.IS_MORE_BETTER[self.measure] else -1)
            low, high = sorted((math.log(gain.low) / scale, math.log(gain.high) / scale))
            elasticity = Elasticity(math.log(gain.value) / scale, low, high, gain.value, ratio, len(blocks))
        beside = self._beside(change)
        yield Result(
            variant.lever, variant.title, "trials", self.measure, ratio, elasticity, gain,
            _standing(self.measure, gain, elasticity, variant, len(blocks)), len(blocks),
            statistics.median(part.outcome for part in base),
            statistics.median(part.outcome for part in own),
            f"{len(own) + len(base)} trials, the server started anew for each",
            tuple(sorted((*base, *own), key=lambda part: part.trial)),
            is_mend=variant.is_mend, setting=dict(variant.setting), beside=beside,
            is_at_least=any(part.trial in self.bounded for part in own),
            # Other measures than dips show the events that are blamed in their figures.
            aside="; ".join(filter(None, (signal_text(*key, each) for key, each in beside.items())))
            if self.measure == "dips" else "",
        )  # fmt: skip

    def _is_better(self, part: Measurement, base: Sequence[Measurement]) -> bool:
        """Return whether a trial did better than every trial of the base; False where the base has none."""
        is_more = outcome.IS_MORE_BETTER[self.measure]
        return bool(base) and all(is_more == (part.outcome > base_part.outcome) for base_part in base)

    def _beside(self, change: int) -> dict[tuple[str, str], dict[bool, float]]:
        """Return the mean strength of what each cause blames, without and with a change."""
        strengths: dict[tuple[str, str], dict[bool, float]] = {}
        for key in self.blamed:
            for is_changed, whose in ((False, BASE), (True, change)):
                values = [seen for number, of_key, seen in self.signals if (number, of_key) == (whose, key)]
                if values:
                    strengths.setdefault(key, {})[is_changed] = statistics.fmean(values)
        return strengths


def _standing(
    measure: Measure, gain: Gain, elasticity: Elasticity | None, variant: Variant, blocks: int
) -> Standing:
    """Return whether a change limits, is cleared or is not sure.

    The elasticity decides for less load: half the load halves what each request leaves behind.
    One block alone is not enough, as nobody knows how much two trials of one setting would have differed. The
    exception is a throughput that is many times as high: where ports are used up there is no time for a
    second block.
    """
    if blocks < FEWEST_PAIRED_BLOCKS and not (measure == "throughput" and gain.low > MANY_TIMES):
        return "unsure"
    if elasticity is not None and variant.lever.change == "load":
        return elasticity.standing
    return trial_standing(measure, gain)


def growth(recording: Recording) -> tuple[float, float] | None:
    """Return the growth of the server's memory in MB a minute, and its standard deviation.

    It is the growth between the first and the last third of the measured part. Memory that replaced processes
    gave back counts as not grown, as a bound on memory is what is wanted. The standard deviation comes from
    the scatter of the readings; collections of garbage make teeth, whose readings depend on each other. None
    where memory was not seen.
    """
    window = recording.measured
    series_by_key = recording.series(probe="process", metric="rss_bytes", component=SERVER)
    tree = next((series for key, series in series_by_key.items() if key.subject == "tree"), None)
    if tree is None:
        return None
    inside = (tree.t_ns >= window.from_ns) & (tree.t_ns <= window.to_ns)
    values = tree.value[inside]
    if values.size < FEWEST_MEMORY_READINGS:
        return None
    third = values.size // 3
    grown = float(np.median(values[-third:]) - np.median(values[:third]))
    # The middles of the first and the last third are two thirds of the time apart.
    minutes = float(tree.t_ns[inside][-1] - tree.t_ns[inside][0]) / NS * 2 / 3 / 60
    seconds = (tree.t_ns[inside] - tree.t_ns[inside][0]) / NS
    scatter = float(np.std(values - np.polyval(np.polyfit(seconds, values, 1), seconds)))
    off = OF_A_MEDIAN * TEETH * np.sqrt(2 / third) * scatter
    return max(grown / MB / minutes, outcome.LEAST["growth"]), float(off / MB / minutes)


def gain_of(
    measure: Measure, base: Sequence[Measurement], own: Sequence[Measurement], scatter: float = 0.0
) -> Gain:
    """Return outcome with the change over that of the base, by blocks that have both, with 95 % interval.

    The noise is the largest of the differences between blocks, BETWEEN and `scatter`. With few degrees of
    freedom the differences between blocks alone would make two lucky blocks sure.
    """
    if measure == "growth":
        return gain_of_growth(base, own)
    pairs: list[float] = []
    for number in sorted({part.block for part in own}):
        here = [math.log(part.outcome) for part in own if part.block == number]
        beside = [math.log(part.outcome) for part in base if part.block == number]
        if here and beside:
            pairs.append(statistics.fmean(here) - statistics.fmean(beside))
    if not pairs:
        pairs = [
            statistics.fmean(math.log(part.outcome) for part in own)
            - statistics.fmean(math.log(part.outcome) for part in base)
        ]
    n, known = len(pairs), math.sqrt(2) * max(BETWEEN[measure], scatter)
    seen = statistics.stdev(pairs) if n > 1 else 0.0
    if seen > known:
        reach = t_quantile(0.975, max(n - 1, 1) + 2) * seen / math.sqrt(n)
    else:
        reach = normal_quantile(0.975) * known / math.sqrt(n)
    value = statistics.fmean(pairs)
    return Gain(math.exp(value), math.exp(value - reach), math.exp(value + reach))


def gain_of_growth(base: Sequence[Measurement], own: Sequence[Measurement]) -> Gain:
    """Return growth with the change over growth of the base, with its 95 % interval.

    Growth may have stopped, and a value near zero has no logarithm to compute with.
    """
    without, changed = (statistics.fmean(part.outcome for part in whose) for whose in (base, own))
    of_base, of_own = (
        statistics.fmean((BETWEEN["growth"] * part.outcome) ** 2 + part.scatter**2 for part in whose)
        / len(whose)
        for whose in (base, own)
    )
    ratio = changed / without
    reach = normal_quantile(0.975) * math.sqrt(of_own + ratio**2 * of_base) / without
    least = outcome.LEAST["growth"] / without
    return Gain(ratio, max(ratio - reach, least), ratio + reach)
