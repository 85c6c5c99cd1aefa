"""Experiments that need a trial of their own: a knob, or another shape of the load, in shuffled blocks.

Each trial starts the server anew, and one number comes of it. Trials of one setting are taken to differ at
least as much as restarts usually make them differ, as two or three blocks cannot show how much that is.
"""

import math
import random
import statistics
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.errors import Interrupted, RigError, TargetError, VoidError
from loadrig.interventions import Variant
from loadrig.plan.model import Plan
from loadrig.proving import outcome, rest
from loadrig.proving.live import NS, OUT_OF_TIME, Skipped
from loadrig.proving.memory import growth
from loadrig.proving.outcome import Measure
from loadrig.proving.results import Gain, Part, Result, live_standing, trial_standing
from loadrig.proving.signals import signal_text, strength
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.stats.distributions import normal_quantile, t_quantile
from loadrig.stats.elasticity import BASE, Elasticity, Standing
from loadrig.trial.result import result_of
from loadrig.trial.spec import TrialSpec

BETWEEN: Mapping[Measure, float] = {"throughput": 0.05, "latency": 0.07, "dips": 0.3, "growth": 0.08}
"""Standard deviation of the logarithm of the outcome between trials of one setting, by measure. It is
assumed until blocks show more."""

FEWEST_PAIRED_BLOCKS, MOST_BLOCKS = 2, 6
"""Least and greatest number of blocks of a change."""
MANY_TIMES = 3.0
"""Ratio of throughputs that a single block proves: restarts and neighbours move throughput by tenths, not
by multiples."""
MOST_FIRST = 2
"""Greatest number of changes that are tried first for the first suspect: one proves it, and the other may
be another way to mend it."""

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

SPOILT = ("run it again while nothing else runs here", "prove.spoilt")
"""Mend and code of a change whose trials were spoilt."""

RunTrial = Callable[[TrialSpec, RunFolder], None]
"""Function that runs a trial into a folder."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Length of the load of each trial, in seconds: before it counts, and while it counts."""

    warm_up_s: float
    measure_s: float

    @property
    def seconds(self) -> float:
        """Return the seconds of load in a trial."""
        return self.warm_up_s + self.measure_s


@dataclass(frozen=True, slots=True)
class Arm:
    """A plan and a setting to be tried.

    variant: what was changed; None for the base. is_first: whether it is for the first suspect; such arms are
    tried before the others. is_wanted: whether the plan names it, or it belongs to a suspect that may hide
    behind the first, so that it is tried even when the answer is sure.
    """

    plan: Plan
    variant: Variant | None
    setting: Mapping[str, object]
    is_first: bool = False
    is_wanted: bool = False


class Pairs:
    """Runner of base and variants in blocks, until every answer is sure or the time is up.

    arms: what is tried, the base first. folder: folder of the proof. first: number of its first trial. unit:
    length of each trial. scatter: standard deviation of the logarithm of a trial's outcome, where it is known
    to be larger than usual. ends: instant of time.monotonic() after which no trial may run. costs_s: time of
    a trial beside its load, in seconds. blamed: series of what each cause blames in its component.
    is_decided: whether the results are enough although some are not sure.
    Once it has run, skipped holds the changes of which no trial could be believed, and why; failure is the
    first failure of the rig itself.
    """

    def __init__(
        self,
        arms: Sequence[Arm],
        measure: Measure,
        folder: RunFolder,
        *,
        first: int,
        unit: Unit,
        ends: float,
        seed: int,
        run_trial: RunTrial,
        costs_s: float,
        blamed: Mapping[tuple[str, str], Sequence[str]] | None = None,
        is_decided: Callable[[Sequence[Result]], bool] = lambda _: False,
        scatter: float = 0.0,
    ) -> None:
        self._arms, self._measure, self._folder = list(arms), measure, folder
        self._number, self._unit, self._ends = first, unit, ends
        self._run_trial, self._random, self._seed = run_trial, random.Random(seed), seed
        self._trial_s = unit.seconds + costs_s
        self._block, self._scatter = 0, scatter
        self._known: list[tuple[int, Part]] = []
        self._failed: dict[int, str] = {}
        self._bounded: set[int] = set()
        self._blamed = dict(blamed or {})
        self._is_decided = is_decided
        self._spoilt: dict[int, str] = {}
        self._signals: list[tuple[int, tuple[str, str], float]] = []
        self.skipped: list[Skipped] = []
        self.failure: VoidError | None = None

    @property
    def next_number(self) -> int:
        """Return the number of the trial that would come next."""
        return self._number

    def run(self) -> list[Result]:
        """Run the trials and return the results. Raises Interrupted, and the error of a failed base trial."""
        arms = [arm for arm, chosen in enumerate(self._arms) if chosen.variant is not None]
        first = [arm for arm in arms if self._arms[arm].is_first][:MOST_FIRST]
        others = self._still_asked([arm for arm in arms if arm not in first])
        if first:
            others = self._still_asked([*self._run_blocks(first), *others])
        while others:
            untried = self._run_blocks(others)
            is_over = len(untried) == len(others)
            others = self._still_asked(untried)
            if is_over:
                break
        self._leave_out(others)
        results = self._results()
        self._skip_spoilt({result.title for result in results})
        return results

    def _still_asked(self, arms: Sequence[int]) -> list[int]:
        """Return the arms to be tried: those that the plan names, and others while the answer is not sure."""
        is_decided = self._is_decided(self._results())
        return [arm for arm in arms if self._arms[arm].is_wanted or not is_decided]

    def _leave_out(self, arms: Sequence[int]) -> None:
        for chosen in (self._arms[arm].variant for arm in arms):
            if chosen is not None:
                why = f"{chosen.title}: the time was not enough for it"
                self.skipped.append(Skipped(chosen.lever, why, "raise --budget", OUT_OF_TIME))

    def _run_blocks(self, arms: Sequence[int]) -> list[int]:
        """Run blocks of the base and as many arms as there is time for; return the other arms."""
        fitting = int((self._ends - time.monotonic()) / (FEWEST_PAIRED_BLOCKS * self._trial_s)) - 1
        fewest = 0 if self._known else 1
        active = list(arms[: max(fitting, fewest)])
        untried = list(arms[len(active) :])
        for turn in range(MOST_BLOCKS):
            if not active or (turn >= FEWEST_PAIRED_BLOCKS and not self._fits(len(active) + 1)):
                break
            number = self._block
            self._block += 1
            row = [BASE, *active]
            self._random.shuffle(row)
            for arm in row:
                if self._known and not self._fits(1):
                    break
                if arm in self._failed:
                    continue
                if not self._run_once(arm, number) and arm not in self._failed and self._fits(1):
                    self._run_once(arm, number)  # a neighbour may have spoilt it: once more, as studies do
            if turn + 1 >= FEWEST_PAIRED_BLOCKS:
                results = self._results()
                sure = {result.title for result in results if result.standing != "unsure"}
                active = [arm for arm in active if arm not in self._failed and self._title(arm) not in sure]
                if self._is_decided(results):
                    break
        return untried

    def _skip_spoilt(self, known: Collection[str]) -> None:
        """Skip the changes of which nothing is known, as their own trials or all of the base were spoilt."""
        has_base = any(arm == BASE for arm, _ in self._known)
        for arm, chosen in enumerate(self._arms):
            why = self._spoilt.get(arm if has_base else BASE)
            if chosen.variant is None or arm in self._failed or chosen.variant.title in known or why is None:
                continue
            whose = "its trials" if has_base else "the trials without it"
            text = f"{chosen.variant.title}: {whose} were spoilt: {why}"
            self.skipped.append(Skipped(chosen.variant.lever, text, *SPOILT))

    def _title(self, arm: int) -> str:
        variant = self._arms[arm].variant
        return variant.title if variant is not None else ""

    def _fits(self, trials: int) -> bool:
        rest_s = rest.MOST_S if rest.is_needed() else 0.0
        return time.monotonic() + trials * self._trial_s + rest_s <= self._ends

    def _run_once(self, arm: int, number: int) -> bool:
        """Run one trial; return whether it has a usable outcome."""
        chosen = self._arms[arm]
        spec = TrialSpec(
            chosen.plan, dict(chosen.setting), self._seed + number, self._number, number, 0, arm == BASE  # type: ignore[arg-type]
        )  # fmt: skip
        rest.wait(min(rest.MOST_S, max(self._ends - time.monotonic(), 0.0)))
        began = time.monotonic()
        index = self._number
        self._number += 1
        try:
            self._run_trial(spec, self._folder)
        except Interrupted:
            raise
        except (TargetError, VoidError) as error:
            if arm == BASE or chosen.variant is None:
                raise
            if isinstance(error, VoidError):
                self.failure = self.failure or error
            self._failed[arm] = error.problems[0].what
            problem = error.problems[0]
            self.skipped.append(Skipped(chosen.variant.lever, problem.what, problem.mend, problem.code))
            return False
        self._trial_s = max(0.5 * self._trial_s, time.monotonic() - began)
        part = self._part(index, number, arm)
        if part is None:
            return False
        self._known.append((arm, part))
        return True

    def _part(self, index: int, number: int, arm: int) -> Part | None:
        """Return the outcome of one trial; None where the trial is void or says nothing."""
        try:
            recording = Recording.open(self._folder.trial(index).path)
            validity = result_of(recording).validity
        except RigError:
            return None
        void = {reason.check for reason in validity.reasons if reason.level in SPOILING}
        void -= HARMLESS[self._measure]
        if void and not (arm != BASE and void <= OF_GENERATOR and self._measure in BOUNDED):
            self._spoilt[arm] = next(reason.text for reason in validity.reasons if reason.check in void)
            return None
        window, start_ns = recording.measured, int(recording.manifest["start_ns"])
        if self._measure == "growth":
            figure = growth(recording)
        else:
            value = outcome.outcome_of(
                self._measure, [outcome.recorded_tick(frame) for frame in recording.inside]
            )
            figure = None if value is None else (value, 0.0)
        if figure is None:
            return None
        self._bounded |= {index} if void else set()
        for key, names in self._blamed.items():
            seen = strength(recording, key[1], names)
            if seen is not None:
                self._signals.append((arm, key, seen))
        from_s, length_s = (window.from_ns - start_ns) / NS, (window.to_ns - window.from_ns) / NS
        return Part(index, from_s, length_s, number, arm != BASE, *figure)

    def _results(self) -> list[Result]:
        results = []
        base = [part for arm, part in self._known if arm == BASE]
        for arm, chosen in enumerate(self._arms):
            # Under a hindered generator a change that did better is better; one that did worse says nothing.
            own = [
                part
                for whose, part in self._known
                if whose == arm and (part.trial not in self._bounded or self._is_better(part, base))
            ]
            if arm == BASE or chosen.variant is None or not own or not base:
                continue
            blocks = {part.block for part in own} & {part.block for part in base}
            if not blocks:
                continue
            gain = gain_of(self._measure, base, own, self._scatter)
            variant = chosen.variant
            ratio, elasticity = variant.ratio, None
            if ratio and variant.lever.change == "load":
                # Half the load is twice the capacity for each request.
                ratio = 1 / ratio
            if ratio and ratio != 1:
                scale = math.log(ratio) * (1 if outcome.IS_MORE_BETTER[self._measure] else -1)
                low, high = sorted((math.log(gain.low) / scale, math.log(gain.high) / scale))
                value = math.log(gain.value) / scale
                elasticity = Elasticity(value, low, high, gain.value, ratio, len(blocks))
            parts = tuple(sorted((*base, *own), key=lambda part: part.trial))
            beside = self._beside(arm)
            results.append(
                Result(
                    variant.lever, variant.title, "trials", self._measure, ratio, elasticity, gain,
                    _standing(self._measure, gain, elasticity, variant, len(blocks)), len(blocks),
                    statistics.median(part.outcome for part in base),
                    statistics.median(part.outcome for part in own),
                    f"{len(own) + len(base)} trials, the server started anew for each", parts,
                    is_mend=variant.is_mend, setting=dict(variant.setting), beside=beside,
                    is_at_least=any(part.trial in self._bounded for part in own),
                    aside=self._aside(beside),
                )
            )  # fmt: skip
        return results

    def _aside(self, beside: Mapping[tuple[str, str], Mapping[bool, float]]) -> str:
        """Return a clause on the events blamed for dips; other measures show such events in their figures."""
        if self._measure != "dips":
            return ""
        return "; ".join(filter(None, (signal_text(*key, strengths) for key, strengths in beside.items())))

    def _is_better(self, part: Part, base: Sequence[Part]) -> bool:
        """Return whether a trial did better than every trial of the base; False where the base has none."""
        is_more = outcome.IS_MORE_BETTER[self._measure]
        return bool(base) and all(is_more == (part.outcome > base_part.outcome) for base_part in base)

    def _beside(self, arm: int) -> dict[tuple[str, str], dict[bool, float]]:
        """Return the mean strength of what each cause blames, without and with the change."""
        strengths: dict[tuple[str, str], dict[bool, float]] = {}
        for key in self._blamed:
            for is_changed, whose in ((False, BASE), (True, arm)):
                values = [seen for of_arm, of_key, seen in self._signals if of_arm == whose and of_key == key]
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
        return live_standing(elasticity)
    return trial_standing(measure, gain)


def gain_of(measure: Measure, base: Sequence[Part], own: Sequence[Part], scatter: float = 0.0) -> Gain:
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


def gain_of_growth(base: Sequence[Part], own: Sequence[Part]) -> Gain:
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
