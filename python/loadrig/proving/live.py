"""Experiments while load runs: something is changed for a slot of time, changed back, and changed again.

After the warm-up the rig chooses what can be changed; then slots follow in shuffled blocks until every answer
is sure, what was asked is decided, or the time is up. The changes that tell most are tried first, alone; a
change that has its answer is left out of the blocks that follow.

What drifts within a run (caches that fill, a neighbour who comes) hits every change alike, as each block has
all of them and the order within a block is random. Source: Abedi & Brecht, ICPE 2017 (randomised multiple
interleaved trials); Box, Hunter & Hunter 2005, Statistics for Experimenters, ch. 4.
"""

import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from loadrig.base.estimate import Estimate
from loadrig.interventions import Lever, Scene, Step
from loadrig.proving import outcome
from loadrig.proving.changes import OUT_OF_TIME, Changes, Skipped
from loadrig.proving.credence import Tells, most_telling, tell_alike
from loadrig.proving.document import InterventionBand
from loadrig.proving.outcome import NS, FrameCounts, Measure
from loadrig.proving.results import Result, SlotLog
from loadrig.proving.use import CpuUse
from loadrig.stats.elasticity import BASE
from loadrig.trial.spec import Stage

FRAME_S = 0.1
"""Length of a frame of the generator during an experiment, in seconds."""

SETTLE_S, SETTLE_RESPONSES, SETTLE_MOST_S = 0.7, 4.0, 4.0
"""Time left out after each change: at least SETTLE_S and at most SETTLE_MOST_S seconds, else
SETTLE_RESPONSES mean response times. Requests move from one queue to another that long, and what is
measured before then belongs to neither state (bench/interventions)."""

SLOT_S = (1.5, 3.0)
"""Least and greatest length of a slot, in seconds."""
ANSWERS_A_SLOT = 250
"""Answers that a slot should have: with random arrivals a rate is known to 6 % from so many. Servers at
their limit are steadier."""

FEWEST_ANSWERS = 20
"""Least number of answers before anything is changed. A server that hardly answers has no throughput that
slots of seconds could compare."""

UNANSWERED = (
    "hardly anything was answered before anything was changed, so no moments could be compared",
    "let go what is used up, or ask for less",
    "prove.unanswered",
)

TWICE_FROM = 3
"""Number of changes from which on the base comes twice in a block. All changes are compared with the base,
so its noise is in every comparison."""

LOOKS_AT = (3, 5, 8, 12, 18, 27)
"""Numbers of blocks after which the results are judged: each time about half as many again."""

FEWEST_BLOCKS = LOOKS_AT[0]
"""Least number of blocks before an experiment may end or ask about other levers."""

USEFUL_BLOCKS = LOOKS_AT[1]
"""Number of blocks that must fit into the time, or fewer levers are tried at once: an interval from three
blocks says little. After so many, what tells most is no longer tried alone."""

TIME_UP = "the time for experiments was up"
"""Reason for the end of an experiment that used up its time."""

Chooser = Callable[[Scene, float], tuple[list[Step], list[Skipped]]]
"""Function that chooses the changes from what runs and from the mean response time in seconds. It returns
the changes, and the levers that it skipped."""


@dataclass(slots=True)
class _Rota:
    """Changes that are tried now, and those that wait; the slots left in this block, and its number.

    since: number of the first block with the changes that are tried now.
    """

    random: random.Random
    active: list[int] = field(default_factory=list)
    waiting: list[int] = field(default_factory=list)
    row: list[int] = field(default_factory=list)
    block: int = -1
    since: int = 0

    @property
    def blocks(self) -> int:
        """Return the number of whole blocks of the changes that are tried now."""
        return self.block + 1 - self.since

    def turn(self) -> None:
        """Begin the next block: every change once and the base beside them, in random order."""
        self.block += 1
        self.row = [BASE, *self.active, *([BASE] if len(self.active) >= TWICE_FROM else [])]
        self.random.shuffle(self.row)

    def drop(self, change: int) -> None:
        """Try a change no more."""
        self.active = [kept for kept in self.active if kept != change]
        self.row = [kept for kept in self.row if kept != change]

    def bring_in(self, changes: Sequence[int]) -> None:
        """Try some of the changes that wait beside those that are tried now, from the next block on."""
        self.active += changes
        self.waiting = [change for change in self.waiting if change not in changes]
        self.row, self.since = [], self.block + 1


class LiveProof:
    """An experiment of a trial, see trial.spec. Once it is over it has results, skipped and bands.

    choose: chooses what to change. warm_up_s: time before that choice, in seconds. most_s: greatest time for
    slots, in seconds. number: number of the trial. is_decided: whether the results are enough although some
    are not sure. tells: bits that changes would tell; without it all tell alike. clock: returns the time in
    nanoseconds, as frames have it.
    """

    frame_s = FRAME_S
    level_most = None

    def __init__(
        self,
        choose: Chooser,
        measure: Measure,
        *,
        warm_up_s: float,
        most_s: float,
        seed: int,
        number: int = 1,
        is_decided: Callable[[Sequence[Result]], bool] = lambda _: False,
        tells: Tells = tell_alike,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._choose, self._measure, self._clock = choose, measure, clock
        self._warm_up_s, self._most_s = warm_up_s, most_s
        self.number, self._is_decided, self._tells = number, is_decided, tells
        self._rota, self._log = _Rota(random.Random(seed)), SlotLog(measure, number)
        self._changes, self._use = Changes(number, clock), CpuUse()
        self._ticks: list[FrameCounts] = []
        self._slot: tuple[int, int] | None = None  # the change, and from when in ns its slot counts
        self._why = ""
        self.skipped: list[Skipped] = []

    def begin(self, stage: Stage) -> None:
        """Note that the load has begun."""
        self._stage = stage

    def see(self, frame: dict[str, Any]) -> None:
        """Take in a frame of the generator, and change what is due."""
        tick = outcome.tick(frame)
        since_s = (tick.end_ns - self._stage.start_ns) / NS
        if self._why or since_s <= 0:
            return
        self._ticks.append(tick)
        if not self._changes.steps:
            if since_s >= self._warm_up_s / 2:
                self._use.look(self._stage.components())
            if since_s >= self._warm_up_s:
                self._prepare()
        elif self._slot is not None and tick.end_ns >= self._slot[1] + self._slot_ns:
            self._end_slot()
            self._next()

    @property
    def results(self) -> list[Result]:
        """Return what the changes came to, by the slots that were judged."""
        return self._log.results

    @property
    def bands(self) -> list[InterventionBand]:
        """Return when something was changed."""
        return self._changes.bands

    @property
    def ended(self) -> int:
        """Return the number of requests that have ended, whatever their outcome."""
        return sum(tick.ended for tick in self._ticks)

    def why_over(self) -> str:
        """Return why nothing more is to be changed; empty while the experiment goes on."""
        return self._why

    def measured(self) -> None:
        """Do nothing: the trial's figures are those of its whole load."""

    def estimates(self) -> dict[str, Estimate]:
        """Return no estimates, as the figures of an experiment belong to several states of a server."""
        return {}

    def close(self) -> None:
        """Undo every change, and judge what was measured since the last look."""
        self._changes.close()
        self._log.judge(self._changes.steps, self._rota.active, 1.0)

    # --- before the first slot -------------------------------------------------------------------

    def _prepare(self) -> None:
        seen = self._ticks[len(self._ticks) // 2 :]
        seconds = sum(tick.len_ns for tick in seen) / NS
        ended = sum(tick.ended for tick in seen)
        if ended < FEWEST_ANSWERS:
            self._why = "hardly anything was answered"
            self.skipped.append(Skipped(Lever("load"), *UNANSWERED))
            return
        response_s = sum(tick.in_flight_s for tick in seen) / ended
        components = tuple(self._stage.components())
        generator = sum(tick.generator_ns for tick in seen) / NS / seconds
        scene = Scene(components, self._use.cores(components), self._stage.cpus, generator)
        rate = sum(tick.good for tick in seen) / seconds
        steps, self.skipped = self._choose(scene, response_s)
        self.skipped += self._changes.prepare(steps, self._stage)
        if not self._changes.steps:
            self._why = "nothing could be changed"
            return
        self._begins_ns = self._clock()
        self._settle_ns = int(max(SETTLE_S, min(SETTLE_RESPONSES * response_s, SETTLE_MOST_S)) * NS)
        self._slot_ns = int(min(max(ANSWERS_A_SLOT / max(rate, 1.0), SLOT_S[0]), SLOT_S[1]) * NS)
        self._rota.waiting = list(range(1, len(self._changes.steps) + 1))
        if self._has_brought_in():
            self._next()
        else:
            self._why = "no change would tell more"

    def _has_brought_in(self) -> bool:
        """Try those of the waiting changes that tell most; return whether there are any.

        So many are tried at once as some useful blocks have time for, if there is time for the fewest.
        """
        rota, steps = self._rota, self._changes.steps
        if self._left_s() < self._slots_s(2 * FEWEST_BLOCKS):
            for change in rota.waiting:
                why = f"{self._most_s:.0f} s were not enough for it beside what tells more"
                self.skipped.append(Skipped(steps[change - 1].lever, why, "raise --budget", OUT_OF_TIME))
            rota.waiting = []
        bits = self._tells([steps[change - 1] for change in rota.waiting], self.results)
        room = int(self._left_s() / self._slots_s(USEFUL_BLOCKS)) - 1 - len(rota.active)
        chosen = [rota.waiting[place] for place in most_telling(bits)][: max(room, 1)]
        if chosen:
            rota.bring_in(chosen)
        return bool(chosen)

    # --- slot by slot ----------------------------------------------------------------------------

    def _next(self) -> None:
        self._slot = None
        while not self._why:
            if not self._rota.row:
                self._look()
                if self._why:
                    break
                self._rota.turn()
            change = self._rota.row.pop()
            if change == BASE or self._make(change):
                self._slot = change, self._clock() + self._settle_ns
                return

    def _make(self, change: int) -> bool:
        """Make a change, and return whether that worked; a change that failed is skipped from then on."""
        failed = self._changes.make(change)
        if failed is None:
            return True
        self.skipped.append(failed)
        self._rota.drop(change)
        if not self._rota.active and not self._has_brought_in():
            self._why = "nothing could be changed any more"
        return False

    def _end_slot(self) -> None:
        assert self._slot is not None
        change, from_ns = self._slot
        inside = [tick for tick in self._ticks if tick.end_ns - tick.len_ns >= from_ns]
        self._changes.take_back()
        self._log.add(self._rota.block, change, inside, self._stage.start_ns)

    def _look(self) -> None:
        """Judge what was measured after some blocks, and see whether it is enough."""
        rota = self._rota
        is_last = self._slots_s(len(rota.active) + 1) > self._left_s()
        if rota.blocks < FEWEST_BLOCKS or not (is_last or rota.blocks in LOOKS_AT):
            return
        share = 1.0 if is_last and not rota.waiting else min(1 - self._left_s() / self._most_s, 1.0)
        self._log.judge(self._changes.steps, rota.active, share)
        sure = {result.title for result in self.results if result.standing != "unsure"}
        rota.active = [change for change in rota.active if self._changes.steps[change - 1].title not in sure]
        is_enough = not rota.active or is_last or rota.blocks >= USEFUL_BLOCKS
        if self._is_decided(self.results):
            self._why = "what was asked is sure"
        elif is_enough and self._has_brought_in():
            return
        elif not rota.active:
            self._why = "every answer is sure"
        elif rota.blocks >= LOOKS_AT[-1]:
            self._why = "more blocks would not tell more"
        elif is_last:
            self._why = TIME_UP

    def _left_s(self) -> float:
        return self._most_s - (self._clock() - self._begins_ns) / NS

    def _slots_s(self, number: int) -> float:
        """Return the time that some slots take, in seconds."""
        return number * (self._settle_ns + self._slot_ns) / NS
