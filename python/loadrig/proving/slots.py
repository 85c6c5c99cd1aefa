"""Slots of time while load runs: how long they are, which change has which slot, and what they show."""

import math
import random
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from loadrig.interventions import Step
from loadrig.judgement.experiments.outcome import IS_MORE_BETTER, FrameCounts, Measure, outcome_of
from loadrig.judgement.experiments.results import Gain, Measurement, Result
from loadrig.judgement.experiments.trial_gains import standing_by_gain
from loadrig.recording.steps import NS
from loadrig.stats.elasticity import BASE, Elasticity, Slot, elasticities

SETTLE_S, SETTLE_RESPONSES, SETTLE_MOST_S = 0.7, 4.0, 4.0
"""Time left out after each change: at least SETTLE_S and at most SETTLE_MOST_S seconds, else
SETTLE_RESPONSES mean response times. Requests move from one queue to another that long, and what is
measured before then belongs to neither state (bench/interventions)."""

SLOT_S = (1.5, 3.0)
"""Least and greatest length of a slot, in seconds."""

ANSWERS_A_SLOT = 250
"""Answers that a slot should have: with random arrivals a rate is known to 6 % from so many. Servers at
their limit are steadier."""

TWICE_FROM = 3
"""Number of changes from which on the base comes twice in a block. All changes are compared with the base,
so its noise is in every comparison."""

MOST_LOG_GAIN = 50.0
"""Greatest logarithm of a gain that is written, beyond which a number has no meaning and may overflow."""


@dataclass(slots=True)
class SlotTimes:
    """Time for slots, of which some is left, and the length of each.

    warm_up_s: time before the first slot, in seconds. most_s: greatest time for slots, in seconds. clock:
    returns the time in nanoseconds, as frames have it.
    """

    warm_up_s: float
    most_s: float
    clock: Callable[[], int]
    _begins_ns: int = 0
    _settle_ns: int = 0
    _slot_ns: int = 0

    def begin(self, response_s: float, rate: float) -> None:
        """Begin, where a request takes response_s seconds and `rate` are answered a second."""
        self._begins_ns = self.clock()
        self._settle_ns = int(max(SETTLE_S, min(SETTLE_RESPONSES * response_s, SETTLE_MOST_S)) * NS)
        self._slot_ns = int(min(max(ANSWERS_A_SLOT / max(rate, 1.0), SLOT_S[0]), SLOT_S[1]) * NS)

    def next_slot(self) -> tuple[int, int]:
        """Return from when to when the slot counts that begins with a change made now."""
        from_ns = self.clock() + self._settle_ns
        return from_ns, from_ns + self._slot_ns

    @property
    def left_s(self) -> float:
        """Time that is left, in seconds."""
        return self.most_s - (self.clock() - self._begins_ns) / NS

    def needed_s(self, slots: int) -> float:
        """Return the time that some slots take, in seconds."""
        return slots * (self._settle_ns + self._slot_ns) / NS


@dataclass(slots=True)
class Rota:
    """Changes that are tried now, and those that wait; the slots left in this block, and its number.

    since: number of the first block with the changes that are tried now. order: that of the block, whole.
    """

    random: random.Random
    active: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    block: int = -1
    since: int = 0
    order: list[int] = field(default_factory=list)

    @property
    def blocks(self) -> int:
        """Number of whole blocks of the changes that are tried now."""
        return self.block + 1 - self.since

    def turn(self) -> None:
        """Begin the next block: every change once and the base beside them.

        Its order is random, or that of the block before it turned round: what drifts steadily over two such
        blocks (a leak, a queue that grows) then falls on every change alike. The row is read from its end.
        """
        self.block += 1
        row = [BASE, *self.active, *([BASE] if len(self.active) >= TWICE_FROM else [])]
        if (self.block - self.since) % 2 and sorted(row) == sorted(self.order):
            row = self.order[::-1]
        else:
            self.random.shuffle(row)
        self.row, self.order = row, list(row)

    def drop(self, dropped: Collection[int]) -> None:
        """Try some changes no more."""
        self.active = [change for change in self.active if change not in dropped]
        self.row = [change for change in self.row if change not in dropped]

    def bring_in(self, changes: Sequence[int]) -> None:
        """Try some of the changes that wait beside those that are tried now, from the next block on."""
        self.active += changes
        self.waiting = [change for change in self.waiting if change not in changes]
        self.row, self.since = [], self.block + 1


class SlotLog:
    """Frames of a trial, the outcomes of its slots, and the results of its changes by those that were judged.

    number: number of the trial.
    """

    def __init__(self, measure: Measure, number: int) -> None:
        self._measure, self._number = measure, number
        self._slot: tuple[int, int, int] | None = None  # the change, and from when to when in ns it counts
        self._parts: list[Measurement] = []
        self._looks: list[float] = []
        self._judged = 0  # number of slots at the last look
        self.ticks: list[FrameCounts] = []
        self.results: list[Result] = []

    def begin_slot(self, change: int, from_ns: int, to_ns: int) -> None:
        """Begin the slot of a change, BASE for none, which counts from and to some instants."""
        self._slot = change, from_ns, to_ns

    @property
    def is_slot_over(self) -> bool:
        """Whether the last frame is the last of the slot."""
        return self._slot is not None and self.ticks[-1].end_ns >= self._slot[2]

    def end_slot(self, block: int, start_ns: int) -> Measurement | None:
        """Take in the slot that is over, and return it; None where it shows nothing.

        start_ns: when the load began.
        """
        assert self._slot is not None
        (change, from_ns, _), self._slot = self._slot, None
        inside = [tick for tick in self.ticks if tick.end_ns - tick.len_ns >= from_ns]
        value = outcome_of(self._measure, inside)
        if value is None:
            return None
        start_s = (inside[0].end_ns - inside[0].len_ns - start_ns) / NS
        length_s = sum(tick.len_ns for tick in inside) / NS
        self._parts.append(Measurement(self._number, start_s, length_s, block, change, value))
        return self._parts[-1]

    def judge(self, steps: Sequence[Step], active: Collection[int], share: float) -> None:
        """Compute the results, if there are new slots; those of changes that are no longer tried are kept.

        steps: the changes, from 1 on. share: of all that may be measured, what was; see stats.elasticity.
        """
        if self._judged == len(self._parts):
            return
        self._judged = len(self._parts)
        self._looks.append(share)
        sign = 1 if IS_MORE_BETTER[self._measure] else -1
        slots = [Slot(part.block, part.change, part.outcome**sign) for part in self._parts]
        ratios = {change: step.ratio for change, step in enumerate(steps, start=1) if step.ratio}
        fitted = elasticities(slots, ratios, looks=self._looks)
        before = {result.title: result for result in self.results}
        self.results = []
        for change, step in enumerate(steps, start=1):
            if change not in active and step.title in before:
                self.results.append(before[step.title])
            elif change in fitted:
                self.results.append(self._result(change, step, ratios[change], fitted[change]))

    def _result(self, change: int, step: Step, ratio: float, elasticity: Elasticity) -> Result:
        parts = tuple(part for part in self._parts if part.change in (BASE, change))
        # An elasticity above zero means a better outcome: of latency it is that of the inverse.
        scale = math.log(ratio) * (1 if IS_MORE_BETTER[self._measure] else -1)
        logarithms = (elasticity.value * scale, elasticity.low * scale, elasticity.high * scale)
        value, *ends = (
            math.exp(min(MOST_LOG_GAIN, max(-MOST_LOG_GAIN, logarithm))) for logarithm in logarithms
        )
        gain = Gain(value, *sorted(ends))
        if step.lever.change == "precedence":
            # How much more it gets by going first is not known, so the gain alone is judged.
            standing = standing_by_gain(self._measure, gain)
            return Result(
                step.lever, step.title, self._measure, None, None, gain, standing, step.cost, parts,
                is_mend=True,
            )  # fmt: skip
        return Result(
            step.lever, step.title, self._measure, ratio, elasticity, gain,
            elasticity.standing, step.cost, parts, is_mend=ratio > 1,
        )  # fmt: skip
