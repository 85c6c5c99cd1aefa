"""Trials of a proof: how one is run, which of them count, and what base and changes differ by."""

import math
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Protocol

import numpy as np

from loadrig.base.claims import Claim
from loadrig.base.component import SERVER
from loadrig.base.errors import RigError, VoidError
from loadrig.base.setting import Setting
from loadrig.interventions import Variant
from loadrig.judgement.experiments.credence import NORMAL_95
from loadrig.judgement.experiments.outcome import (
    IS_MORE_BETTER,
    LEAST,
    UNITS,
    FrameCounts,
    Measure,
    counts_in,
    outcome_of,
)
from loadrig.judgement.experiments.results import Measurement, Result
from loadrig.judgement.experiments.signals import signal_text, strength
from loadrig.judgement.experiments.suspects import Accused
from loadrig.judgement.experiments.trial_gains import gain_of, trial_standing
from loadrig.language.choice import texts_of
from loadrig.language.en.proving import ProvingTrialsTexts
from loadrig.plan.model import Plan
from loadrig.proving import rest
from loadrig.recording import proof_blocks
from loadrig.recording.layout import RunFolder
from loadrig.recording.proof_blocks import BlockOutcome
from loadrig.recording.reader import Recording
from loadrig.recording.steps import NS
from loadrig.stats.elasticity import BASE, Elasticity
from loadrig.trial.result import result_of
from loadrig.trial.spec import Experiment, TrialSpec
from loadrig.trial.validity import Validity

if TYPE_CHECKING:
    from loadrig.proving.live_order import LiveFindings, LiveOrder

TEXTS = texts_of(ProvingTrialsTexts)

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

CLAIM: Mapping[Measure, Claim] = {"throughput": "rates", "latency": "times"}
"""Claim of a trial that each measure rests on. A disturbance that weakens it makes the trial less sure."""

FEWEST_OF_A_TRIAL = 4
"""Least number of seconds from which the scatter of a trial is computed: the standard deviation of fewer is
off by half."""

MB = 1e6
OF_A_MEDIAN, TEETH = 1.25, 2.0
"""OF_A_MEDIAN: error of a median over that of a mean. TEETH: factor by which readings that depend on each
other make the error larger."""

FEWEST_MEMORY_READINGS = 6
"""Least number of readings: with fewer, a third of them is one or two."""


class ProvingPlace(Protocol):
    """Place that runs one trial of a proof at a time, in the proof's folder. name: as in manifests."""

    name: str

    def run(self, spec: TrialSpec, rest_s: float) -> None:
        """Run a trial once enough ports are free there; rest_s: longest wait for them, in seconds.

        Raises what trial.runner.run_trial raises.
        """

    def prove(self, spec: TrialSpec, order: "LiveOrder", findings: "LiveFindings", rest_s: float) -> None:
        """Make an experiment in a trial, and add to the findings what was found, also where it fails.

        spec: the trial, without its experiment. rest_s: longest wait for free ports before it. Raises what a
        trial raises, and side_by_side.LostPlace.
        """

    def stop(self) -> None:
        """Ask the place to end its trial now, as Ctrl-C does. Called from another thread than `run`."""


def _unwatched(spec: TrialSpec) -> None:
    del spec


@dataclass(slots=True)
class TrialRunner:
    """Runner of the trials of a proof.

    folder: of the proof. run_trial: runs a trial into that folder. seed: of the plan. number: of the next
    trial, from 1. failure: the first failure of the rig itself that ended no more than a trial. begins: takes
    each trial that begins on a place.
    """

    folder: RunFolder
    run_trial: Callable[[TrialSpec, RunFolder], None]
    seed: int
    number: int = 1
    failure: VoidError | None = None
    begins: Callable[[TrialSpec], object] = _unwatched
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def note(self, title: str, part: Measurement, *, measure: Measure, is_live: bool) -> None:
        """Tell whoever watches what one block has shown. title: what was changed, "" for nothing."""
        outcome = BlockOutcome(
            trial=part.trial, is_live=is_live, block=part.block, title=title, measure=measure,
            unit=UNITS[measure], value=part.outcome,
        )  # fmt: skip
        proof_blocks.add(self.folder, outcome)

    def run(
        self,
        plan: Plan,
        setting: Setting,
        *,
        most_rest_s: float,
        block: int = 0,
        is_base: bool = False,
        experiment: Experiment | None = None,
        place: ProvingPlace | None = None,
    ) -> tuple[int, float]:
        """Run a trial once enough ports are free, and return its number and how long it took, in seconds.

        most_rest_s: longest wait for the ports. place: where it runs; None: here. Raises what the trial
        raises.
        """
        rest_s = min(rest.MOST_S, most_rest_s)
        if place is not None:
            began = time.monotonic()
            spec = self.begun(plan, setting, node=place.name, block=block, is_base=is_base)
            place.run(spec, rest_s)
            return spec.index, time.monotonic() - began
        rest.wait(rest_s)
        began, number = time.monotonic(), self.number
        self.number += 1
        spec = TrialSpec(plan, setting, self.seed + block, number, block, 0, is_base, experiment)
        self.run_trial(spec, self.folder)
        return number, time.monotonic() - began

    def begun(
        self,
        plan: Plan,
        setting: Setting,
        *,
        node: str,
        block: int = 0,
        is_base: bool = False,
        number: int = 0,
    ) -> TrialSpec:
        """Return a trial that begins on a node. number: that it has already; 0: the next one."""
        with self._lock:
            if not number:
                number = self.number
            self.number = max(self.number, number + 1)
            spec = TrialSpec(plan, setting, self.seed + block, number, block, 0, is_base, node=node)
            self.begins(spec)
        return spec


@dataclass(slots=True)
class TrialLog:
    """Log of what the trials of base and changes have shown.

    scatter: standard deviation of the logarithm of a trial's outcome, where it is known to be larger than
    usual. blamed: series of what each cause blames in its component. outcomes: of the trials that count.
    bounded: numbers of trials in which the generator was the limit. spoilt: why a trial of a change was
    spoilt. signals: strengths of what is blamed, by the change.
    """

    measure: Measure
    scatter: float = 0.0
    blamed: Mapping[Accused, Sequence[str]] = field(default_factory=dict)
    outcomes: list[Measurement] = field(default_factory=list)
    bounded: set[int] = field(default_factory=set)
    spoilt: dict[int, str] = field(default_factory=dict)
    signals: dict[tuple[Accused, int], list[float]] = field(default_factory=dict)

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
        figure = self._figure(recording, validity)
        if figure is None:
            return False
        self.bounded |= {index} if void else set()
        for key, names in self.blamed.items():
            signal = strength(recording, key[1], names)
            if signal is not None:
                self.signals.setdefault((key, change), []).append(signal)
        window, start_ns = recording.measured, recording.start_ns
        from_s, length_s = (window.from_ns - start_ns) / NS, (window.to_ns - window.from_ns) / NS
        self.outcomes.append(Measurement(index, from_s, length_s, block, change, *figure))
        return True

    def _figure(self, recording: Recording, validity: Validity) -> tuple[float, float] | None:
        """Return the outcome of a trial, and its standard deviation where that is known from within."""
        if self.measure == "growth":
            return growth(recording)
        ticks = [counts_in(frame) for frame in recording.inside]
        value = outcome_of(self.measure, ticks)
        if value is None:
            return None
        weakened = validity.of(CLAIM[self.measure]) if self.measure in CLAIM else None
        # The share is how far the end of a 95 % interval is moved.
        disturbed = (weakened.by or 0.0) / NORMAL_95 if weakened is not None else 0.0
        return value, math.hypot(scatter_within(self.measure, ticks), disturbed)

    def results(self, variants: Sequence[Variant]) -> list[Result]:
        """Return the result of each change that counts in a block with the base; variants: the base first."""
        base = [part for part in self.outcomes if not part.is_changed]
        return [
            result
            for change in range(1, len(variants))
            for result in self._of(change, variants[change], base)
        ]

    def _of(self, change: int, variant: Variant, base: Sequence[Measurement]) -> Iterator[Result]:
        # Under a hindered generator a change that did better is better; one that did worse says nothing.
        own = [
            part
            for part in self.outcomes
            if part.change == change and (part.trial not in self.bounded or self._is_better(part, base))
        ]
        blocks = {part.block for part in own} & {part.block for part in base}
        if not blocks:
            return
        gain = gain_of(self.measure, base, own, self.scatter)
        ratio, elasticity, is_load = variant.ratio, None, variant.lever.change == "load"
        if ratio and is_load:
            # Half the load is twice the capacity for each request.
            ratio = 1 / ratio
        if ratio and ratio != 1:
            better, slope = gain.better(self.measure), 1 / math.log(ratio)
            low, high = sorted((math.log(better.low) * slope, math.log(better.high) * slope))
            value = math.log(better.value) * slope
            elasticity = Elasticity(value, low, high)
        beside = self._beside(change)
        yield Result(
            variant.lever, variant.title, self.measure, ratio, elasticity, gain,
            trial_standing(self.measure, gain, len(blocks), elasticity if is_load else None),
            TEXTS.trials_server_started(str(len(own) + len(base))),
            tuple(sorted((*base, *own), key=lambda part: part.trial)),
            is_mend=variant.is_mend, setting=dict(variant.setting), beside=beside,
            is_at_least=any(part.trial in self.bounded for part in own),
            # Other measures than dips show the events that are blamed in their figures.
            aside="; ".join(filter(None, (signal_text(*key, each) for key, each in beside.items())))
            if self.measure == "dips" else "",
        )  # fmt: skip

    def _is_better(self, part: Measurement, base: Sequence[Measurement]) -> bool:
        """Return whether a trial did better than every trial of the base; False where the base has none."""
        is_more = IS_MORE_BETTER[self.measure]
        return bool(base) and all(is_more == (part.outcome > base_part.outcome) for base_part in base)

    def _beside(self, change: int) -> dict[Accused, dict[bool, float]]:
        """Return the mean strength of what each cause blames, without and with a change."""
        return {
            key: {
                whose != BASE: fmean(self.signals[key, whose])
                for whose in (BASE, change)
                if (key, whose) in self.signals
            }
            for key in self.blamed
        }


def scatter_within(measure: Measure, ticks: Sequence[FrameCounts]) -> float:
    """Return the standard deviation of the logarithm of a trial's outcome, as its own seconds show it.

    0 of a measure that a second does not show, and of a trial of fewer than FEWEST_OF_A_TRIAL.
    """
    if measure not in CLAIM or not ticks:
        return 0.0
    start_ns, seconds = ticks[0].end_ns - ticks[0].len_ns, dict[int, list[FrameCounts]]()
    for tick in ticks:
        seconds.setdefault(int((tick.end_ns - tick.len_ns // 2 - start_ns) // NS), []).append(tick)
    outcomes = [outcome_of(measure, second) for second in seconds.values()]
    logarithms = [math.log(outcome) for outcome in outcomes if outcome]
    if len(logarithms) < FEWEST_OF_A_TRIAL:
        return 0.0
    return stdev(logarithms) / math.sqrt(len(logarithms))


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
    return max(grown / MB / minutes, LEAST["growth"]), float(off / MB / minutes)
