"""Experiments that need a trial of their own: a knob, or another shape of the load, in shuffled blocks.

Each trial starts the server anew, and one number comes of it. What trials of one setting differ by is taken
as at least what restarts usually differ by, as two or three blocks cannot tell it themselves.
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
from loadrig.proving.signals import said, strength
from loadrig.recording.layout import RunFolder
from loadrig.recording.reader import Recording
from loadrig.stats.distributions import normal_quantile, t_quantile
from loadrig.stats.elasticity import BASE, Elasticity, Standing
from loadrig.trial.result import result_of
from loadrig.trial.spec import TrialSpec

BETWEEN: Mapping[Measure, float] = {"throughput": 0.05, "latency": 0.07, "dips": 0.3, "growth": 0.08}
"""Standard deviation of the log between trials of one setting, to be reckoned with until blocks show more."""

FEWEST_BLOCKS, MOST_BLOCKS = 2, 6
MANY_TIMES = 3.0
"""Restarts and neighbours move throughput by tenths of it, not by multiples."""
MOST_FIRST = 2
"""Changes for the first suspect: it is proved by one, and the other may be another way to mend it."""

OF_GENERATOR = frozenset({"G1", "G2", "G3", "G4", "G7", "G10"})
"""Checks that say that the generator was the limit, or hindered: the server can do more than it showed."""

HARMLESS: Mapping[Measure, frozenset[str]] = {
    "throughput": frozenset(), "latency": frozenset(), "dips": frozenset({"G2"}), "growth": OF_GENERATOR
}  # fmt: skip
"""Checks that do not spoil this figure: what is late by milliseconds moves no whole second, and memory is
told by the server itself."""

SPOILING = frozenset({"grave", "void"})
"""Levels of reasons that spoil a trial of a pair: what an experiment moves is smaller than that."""

BOUNDED = frozenset({"throughput", "dips"})
"""What a hindered generator can only make look worse."""

SPOILT = ("run it again while nothing else runs here", "prove.spoilt")

RunTrial = Callable[[TrialSpec, RunFolder], None]


@dataclass(frozen=True, slots=True)
class Unit:
    """How long each trial is loaded, in seconds: before it counts, and while it counts."""

    warm_up_s: float
    measure_s: float

    @property
    def seconds(self) -> float:
        """Of load."""
        return self.warm_up_s + self.measure_s


@dataclass(frozen=True, slots=True)
class Arm:
    """A plan and a setting to be tried. variant: None for the base.

    is_first: of the first suspect; such are tried before the others. is_wanted: whether the plan names it,
    or it may hide behind the first, so that it is tried also when the answer is sure.
    """

    plan: Plan
    variant: Variant | None
    setting: Mapping[str, object]
    is_first: bool = False
    is_wanted: bool = False


class Pairs:
    """Runs base and variants in blocks into a folder, until every answer is sure or the time is up.

    arms: the base first. folder: of the proof; first: number of its first trial. unit: of each trial.
    scatter: of the logarithm of a trial, where it is known to be larger than usual.
    ends: the instant of time.monotonic() after which no trial is to be going on. blamed: series of what each
    cause blames in its component. is_decided: whether the results are enough although some are not sure.
    Afterwards skipped has the changes of which no trial could be believed, and why; failure is the first of
    the rig itself.
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
        """Number of the trial that would come next."""
        return self._number

    def run(self) -> list[Result]:
        """Run, and say what was found. Raises Interrupted, and what a base trial raises that fails."""
        arms = [arm for arm, chosen in enumerate(self._arms) if chosen.variant is not None]
        first = [arm for arm in arms if self._arms[arm].is_first][:MOST_FIRST]
        others = self._still_asked([arm for arm in arms if arm not in first])
        if first:
            others = self._still_asked([*self._try(first), *others])
        while others:
            left = self._try(others)
            is_over = len(left) == len(others)
            others = self._still_asked(left)
            if is_over:
                break
        self._leave_out(others)
        found = self._results()
        self._tell_spoilt({one.title for one in found})
        return found

    def _still_asked(self, arms: Sequence[int]) -> list[int]:
        """Those that are to be tried: where the answer is sure only what the plan names."""
        is_decided = self._is_decided(self._results())
        return [arm for arm in arms if self._arms[arm].is_wanted or not is_decided]

    def _leave_out(self, arms: Sequence[int]) -> None:
        for chosen in (self._arms[arm].variant for arm in arms):
            if chosen is not None:
                why = f"{chosen.title}: the time was not enough for it"
                self.skipped.append(Skipped(chosen.lever, why, "raise --budget", OUT_OF_TIME))

    def _try(self, arms: Sequence[int]) -> list[int]:
        """Run blocks of the base and these, as many of them as there is time for; returns the others."""
        fitting = int((self._ends - time.monotonic()) / (FEWEST_BLOCKS * self._trial_s)) - 1
        fewest = 0 if self._known else 1
        active = list(arms[: max(fitting, fewest)])
        left = list(arms[len(active) :])
        for turn in range(MOST_BLOCKS):
            if not active or (turn >= FEWEST_BLOCKS and not self._fits(len(active) + 1)):
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
                if not self._one(arm, number) and arm not in self._failed and self._fits(1):
                    self._one(arm, number)  # a neighbour may have spoilt it: once more, as studies do
            if turn + 1 >= FEWEST_BLOCKS:
                results = self._results()
                sure = {one.title for one in results if one.standing != "unsure"}
                active = [arm for arm in active if arm not in self._failed and self._title(arm) not in sure]
                if self._is_decided(results):
                    break
        return left

    def _tell_spoilt(self, known: Collection[str]) -> None:
        """Say of which changes nothing is known, as their own trials or all of the base were spoilt."""
        has_base = any(arm == BASE for arm, _ in self._known)
        for arm, chosen in enumerate(self._arms):
            why = self._spoilt.get(arm if has_base else BASE)
            if chosen.variant is None or arm in self._failed or chosen.variant.title in known or why is None:
                continue
            whose = "its trials" if has_base else "the trials without it"
            told = f"{chosen.variant.title}: {whose} were spoilt: {why}"
            self.skipped.append(Skipped(chosen.variant.lever, told, *SPOILT))

    def _title(self, arm: int) -> str:
        variant = self._arms[arm].variant
        return variant.title if variant is not None else ""

    def _fits(self, trials: int) -> bool:
        rest_s = rest.MOST_S if rest.is_needed() else 0.0
        return time.monotonic() + trials * self._trial_s + rest_s <= self._ends

    def _one(self, arm: int, number: int) -> bool:
        """Run one trial; returns whether it says anything."""
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
        """What one trial comes to; None of one that is void or says nothing."""
        try:
            recording = Recording.open(self._folder.trial(index).path)
            validity = result_of(recording).validity
        except RigError:
            return None
        void = {reason.check for reason in validity.reasons if reason.level in SPOILING}
        void -= HARMLESS[self._measure]
        if void and not (arm != BASE and void <= OF_GENERATOR and self._measure in BOUNDED):
            self._spoilt[arm] = next(one.text for one in validity.reasons if one.check in void)
            return None
        window, start_ns = recording.measured, int(recording.manifest["start_ns"])
        if self._measure == "growth":
            found = growth(recording)
        else:
            value = outcome.outcome_of(
                self._measure, [outcome.recorded_tick(one) for one in recording.inside]
            )
            found = None if value is None else (value, 0.0)
        if found is None:
            return None
        self._bounded |= {index} if void else set()
        for key, names in self._blamed.items():
            seen = strength(recording, key[1], names)
            if seen is not None:
                self._signals.append((arm, key, seen))
        from_s, length_s = (window.from_ns - start_ns) / NS, (window.to_ns - window.from_ns) / NS
        return Part(index, from_s, length_s, number, arm != BASE, *found)

    def _results(self) -> list[Result]:
        found = []
        base = [part for arm, part in self._known if arm == BASE]
        for arm, chosen in enumerate(self._arms):
            # What a hindered generator has seen do better than the base can do it; worse says nothing.
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
            parts = tuple(sorted((*base, *own), key=lambda one: one.trial))
            beside = self._beside(arm)
            found.append(
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
        return found

    def _aside(self, beside: Mapping[tuple[str, str], Mapping[bool, float]]) -> str:
        """Beside dips that are gone what is blamed for them must be told; elsewhere it is in the figures."""
        if self._measure != "dips":
            return ""
        return "; ".join(filter(None, (said(*key, each) for key, each in beside.items())))

    def _is_better(self, part: Part, base: Sequence[Part]) -> bool:
        """Whether it did better than every trial of the base; not where there is none."""
        is_more = outcome.IS_MORE_BETTER[self._measure]
        return bool(base) and all(is_more == (part.outcome > one.outcome) for one in base)

    def _beside(self, arm: int) -> dict[tuple[str, str], dict[bool, float]]:
        """Mean strength of what each cause blames, without and with the change."""
        found: dict[tuple[str, str], dict[bool, float]] = {}
        for key in self._blamed:
            for is_changed, whose in ((False, BASE), (True, arm)):
                values = [seen for one, of, seen in self._signals if one == whose and of == key]
                if values:
                    found.setdefault(key, {})[is_changed] = statistics.fmean(values)
        return found


def _standing(
    measure: Measure, gain: Gain, elasticity: Elasticity | None, variant: Variant, blocks: int
) -> Standing:
    """Of less load the elasticity tells: half of it halves what each request leaves behind.

    One block alone says nothing, as nobody knows what two trials of the same setting would have differed by,
    but of throughput that is many times as much: where ports are used up there is time for no second one.
    """
    if blocks < FEWEST_BLOCKS and not (measure == "throughput" and gain.low > MANY_TIMES):
        return "unsure"
    if elasticity is not None and variant.lever.change == "load":
        return live_standing(elasticity)
    return trial_standing(measure, gain)


def gain_of(measure: Measure, base: Sequence[Part], own: Sequence[Part], scatter: float = 0.0) -> Gain:
    """Outcome of the own trials over that of the base, by blocks where both are there, with 95 % interval.

    The noise is the largest of what blocks differ by, BETWEEN and `scatter`; with its few degrees of freedom
    what blocks differ by alone would make two lucky blocks sure.
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
    """The same of growth, which may have stopped: what is nearly nothing has no logarithm to reckon with."""
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
