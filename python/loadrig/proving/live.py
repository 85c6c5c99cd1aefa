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
from collections.abc import Callable

from loadrig.interventions import Lever, Scene, Step
from loadrig.judgement.experiments.credence import LEAST_BITS, OPEN, Doubt, most_telling
from loadrig.judgement.experiments.outcome import Measure, counts_in
from loadrig.judgement.experiments.results import Measurement, Result
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingLiveErrors
from loadrig.language.en.proving import ProvingLiveTexts
from loadrig.proving.changes import OUT_OF_TIME, Changes, skip
from loadrig.proving.document import InterventionBand, SkippedExperiment
from loadrig.proving.slots import Rota, SlotLog, SlotTimes
from loadrig.proving.use import CpuUse
from loadrig.recording.frame import Frame
from loadrig.recording.steps import NS
from loadrig.stats.elasticity import BASE
from loadrig.trial.spec import Experiment

TEXTS = texts_of(ProvingLiveTexts)
ERRORS = texts_of(ProvingLiveErrors)

FRAME_S = 0.1
"""Length of a frame of the generator during an experiment, in seconds."""

FEWEST_ANSWERS = 20
"""Least number of answers before anything is changed. A server that hardly answers has no throughput that
slots of seconds could compare."""

LOOKS_AT = (3, 5, 8, 12, 18, 27)
"""Numbers of blocks after which the results are judged: each time about half as many again."""

FEWEST_BLOCKS = LOOKS_AT[0]
"""Least number of blocks before an experiment may end or ask about other levers."""

USEFUL_BLOCKS = LOOKS_AT[1]
"""Number of blocks that must fit into the time, or fewer levers are tried at once: an interval from three
blocks says little. After so many, what tells most is no longer tried alone."""

Chooser = Callable[[Scene, float], tuple[list[Step], list[SkippedExperiment]]]
"""Function that chooses the changes from what runs and from the mean response time in seconds. It returns
the changes, and the levers that it skipped."""


def untold(title: str, part: Measurement) -> None:
    """Do nothing with a slot that is over."""
    del title, part


class LiveProof(Experiment):
    """Experiment of a trial, see trial.spec. Once it is over it has results, skipped and bands.

    choose: chooses what to change. warm_up_s: time before that choice, in seconds. most_s: greatest time for
    slots, in seconds. number: number of the trial. tell: takes each slot that is over, with what was
    changed in it. clock: returns the time in nanoseconds, as frames have it. Its figures belong to several
    states of the server, so that none of them is an estimate of the trial.
    """

    frame_s = FRAME_S

    def __init__(
        self,
        choose: Chooser,
        measure: Measure,
        *,
        warm_up_s: float,
        most_s: float,
        seed: int,
        number: int = 1,
        doubt: Doubt = OPEN,
        tell: Callable[[str, Measurement], None] = untold,
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self._choose, self._doubt, self._use = choose, doubt, CpuUse()
        self._rota, self._times = Rota(random.Random(seed)), SlotTimes(warm_up_s, most_s, clock)
        self._log, self._changes = SlotLog(measure, number), Changes(number, clock)
        self._tell = tell
        self.skipped: list[SkippedExperiment] = []

    def see(self, frame: Frame) -> None:
        """Take in a frame of the generator, and change what is due."""
        tick = counts_in(frame)
        since_s = (tick.end_ns - self._stage.start_ns) / NS
        if self._why or since_s <= 0:
            return
        self._log.ticks.append(tick)
        if not self._changes.steps:
            if since_s >= self._times.warm_up_s / 2:
                self._use.look(self._stage.components())
            if since_s >= self._times.warm_up_s:
                self._prepare()
        elif self._log.is_slot_over:
            self._changes.take_back()
            part = self._log.end_slot(self._rota.block, self._stage.start_ns)
            if part is not None:
                self._tell(self._changes.steps[part.change - 1].title if part.is_changed else "", part)
            self._next()

    @property
    def results(self) -> list[Result]:
        """Results of the changes, by the slots that were judged."""
        return self._log.results

    @property
    def bands(self) -> list[InterventionBand]:
        """Stretches in which something was changed."""
        return self._changes.bands

    @property
    def ended(self) -> int:
        """Number of requests that have ended, whatever their outcome."""
        return sum(tick.ended for tick in self._log.ticks)

    def close(self) -> None:
        """Undo every change, and judge what was measured since the last look."""
        self._changes.close()
        self._log.judge(self._changes.steps, self._rota.active, 1.0)

    def _prepare(self) -> None:
        """Choose what is changed, by what runs and what was answered in the second half of the warm-up."""
        ticks = self._log.ticks[len(self._log.ticks) // 2 :]
        seconds = sum(tick.len_ns for tick in ticks) / NS
        ended = sum(tick.ended for tick in ticks)
        if ended < FEWEST_ANSWERS:
            self._why = TEXTS.hardly_anything_answered
            wording = ERRORS.hardly_anything_answered()
            self.skipped.append(skip(Lever("load"), wording.what, wording.mend, "prove.unanswered"))
            return
        response_s = sum(tick.in_flight_s for tick in ticks) / ended
        components = tuple(self._stage.components())
        generator = sum(tick.generator_ns for tick in ticks) / NS / seconds
        used = self._use.cores(components)
        strangers = self._use.strangers(components, used, self._stage.cpus, generator)
        scene = Scene(components, used, self._stage.cpus, generator, strangers)
        steps, self.skipped = self._choose(scene, response_s)
        self.skipped += self._changes.prepare(steps, self._stage)
        if not self._changes.steps:
            self._why = TEXTS.nothing_could_changed
            return
        self._times.begin(response_s, sum(tick.good for tick in ticks) / seconds)
        self._rota.waiting = list(range(1, len(self._changes.steps) + 1))
        if self._has_brought_in():
            self._next()
        else:
            self._why = TEXTS.no_change_would

    def _has_brought_in(self) -> bool:
        """Try those of the waiting changes that tell most; return whether there are any.

        So many are tried at once as some useful blocks have time for, if there is time for the fewest.
        """
        rota, steps, times = self._rota, self._changes.steps, self._times
        if times.left_s < times.needed_s(2 * FEWEST_BLOCKS):
            wording = ERRORS.short_time(f"{times.most_s:.0f}")
            self.skipped += [
                skip(steps[change - 1].lever, wording.what, wording.mend, OUT_OF_TIME)
                for change in rota.waiting
            ]
            rota.waiting = []
        bits = self._doubt.tells([steps[change - 1] for change in rota.waiting], self.results)
        room = int(times.left_s / times.needed_s(USEFUL_BLOCKS)) - 1 - len(rota.active)
        chosen = [rota.waiting[place] for place in most_telling(bits)][: max(room, 1)]
        if chosen:
            rota.bring_in(chosen)
        return bool(chosen)

    def _drop_uninformative(self) -> None:
        """Try those changes no more whose answer would hardly tell who is right, however unsure it is."""
        active = {change: self._changes.steps[change - 1] for change in self._rota.active}
        bits = self._doubt.tells(list(active.values()), self.results)
        self._rota.drop(
            {
                change
                for (change, step), bit in zip(active.items(), bits, strict=True)
                if bit < LEAST_BITS and not self._doubt.is_awaited(step.lever, self.results)
            }
        )

    def _next(self) -> None:
        """Begin the next slot, with the next change that can be made, unless it is over."""
        while not self._why:
            if not self._rota.row:
                self._look()
                if self._why:
                    break
                self._rota.turn()
            change = self._rota.row.pop()
            if change == BASE or self._make(change):
                self._log.begin_slot(change, *self._times.next_slot())
                return

    def _make(self, change: int) -> bool:
        """Make a change, and return whether that worked; a change that failed is skipped from then on."""
        failed = self._changes.make(change)
        if failed is None:
            return True
        self.skipped.append(failed)
        self._rota.drop({change})
        if not self._rota.active and not self._has_brought_in():
            self._why = TEXTS.nothing_could_changed_any
        return False

    def _look(self) -> None:
        """Judge what was measured after some blocks, and see whether it is enough."""
        rota, times = self._rota, self._times
        is_last = times.needed_s(len(rota.active) + 1) > times.left_s
        if rota.blocks < FEWEST_BLOCKS or not (is_last or rota.blocks in LOOKS_AT):
            return
        share = 1.0 if is_last and not rota.waiting else min(1 - times.left_s / times.most_s, 1.0)
        self._log.judge(self._changes.steps, rota.active, share)
        sure = {result.title for result in self.results if result.standing != "unsure"}
        rota.drop({change for change, step in enumerate(self._changes.steps, 1) if step.title in sure})
        if rota.blocks >= USEFUL_BLOCKS:
            self._drop_uninformative()
        is_enough = not rota.active or is_last or rota.blocks >= USEFUL_BLOCKS
        if self._doubt.is_decided(self.results):
            self._why = TEXTS.what_asked_sure
        elif is_enough and self._has_brought_in():
            return
        elif not rota.active:
            is_every_sure = len(sure) == len(self.results)
            self._why = TEXTS.every_answer_sure if is_every_sure else TEXTS.no_change_would
        elif rota.blocks >= LOOKS_AT[-1]:
            self._why = TEXTS.more_blocks_would
        elif is_last:
            self._why = TEXTS.time_experiments_up
