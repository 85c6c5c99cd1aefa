"""Experiments that need a trial of their own: a knob, or another shape of the load, in shuffled blocks.

Each trial starts the server anew, and one number comes of it. Before each block the changes are chosen that
tell most by then.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from loadrig.base.error_words import ErrorWords
from loadrig.base.errors import Interrupted, TargetError, VoidError
from loadrig.interventions import Variant
from loadrig.judgement.experiments.credence import OPEN, Doubt, most_telling
from loadrig.judgement.experiments.results import Result
from loadrig.judgement.experiments.trial_gains import FEWEST_PAIRED_BLOCKS
from loadrig.language.choice import texts_of
from loadrig.language.en.errors.proving import ProvingPairsErrors
from loadrig.proving import rest
from loadrig.proving.changes import OUT_OF_TIME, skip, skip_for
from loadrig.proving.document import SkippedExperiment
from loadrig.proving.trials import ProvingPlace, TrialLog, TrialRunner
from loadrig.stats.elasticity import BASE

ERRORS = texts_of(ProvingPairsErrors)

MOST_BLOCKS = 6
"""Greatest number of blocks of a change."""

SPOILT = "prove.spoilt"
"""Code of a change whose trials were spoilt."""


@dataclass(slots=True)
class TrialTimes:
    """Time for trials, of which some is left.

    ends: instant of time.monotonic() after which no trial may run. trial_s: time that a trial takes, in
    seconds, until trials have shown it.
    """

    ends: float
    trial_s: float

    @property
    def left_s(self) -> float:
        """Time that is left, in seconds."""
        return self.ends - time.monotonic()

    @property
    def has_room(self) -> bool:
        """Whether a trial fits into the time that is left, with the wait for free ports before it."""
        return self.trial_s + (rest.MOST_S if rest.is_needed() else 0.0) <= self.left_s


class Pairs:
    """Runner of base and changes in blocks, until every answer is sure or the time is up.

    variants: the base first, then the changes. log: for what the trials show. wanted: titles of changes that
    are tried even where the answer is sure.
    Once it has run, skipped holds the changes of which no trial could be believed, and why.
    """

    def __init__(
        self,
        variants: Sequence[Variant],
        runner: TrialRunner,
        log: TrialLog,
        times: TrialTimes,
        *,
        wanted: Collection[str] = (),
        doubt: Doubt = OPEN,
    ) -> None:
        self._variants, self._runner, self._log, self._times = variants, runner, log, times
        self._doubt, self._wanted = doubt, wanted
        self._random = random.Random(runner.seed)
        self._tried, self._failed, self._blocks = Counter[int](), set[int](), 0
        self._lock = threading.Lock()
        self.skipped: list[SkippedExperiment] = []

    def run(self) -> list[Result]:
        """Run the trials and return the results. Raises Interrupted, and the error of a failed base trial."""
        while changes := self._in_time(self._wished()):
            self._run_blocks(changes)
        for change in self._wished():
            if not self._tried[change]:
                self._skip(change, ERRORS.no_time(self._variants[change].title), OUT_OF_TIME)
        results = self._log.results(self._variants)
        self._skip_spoilt({result.title for result in results})
        return results

    def _wished(self) -> list[int]:
        """Return the changes for the next block: those just begun, else those that tell most by now."""
        results = self._log.results(self._variants)
        sure = {result.title for result in results if result.standing != "unsure"}
        unsure = [
            change
            for change in range(1, len(self._variants))
            if change not in self._failed and self._tried[change] < MOST_BLOCKS
            if self._variants[change].title not in sure or self._tried[change] < FEWEST_PAIRED_BLOCKS
        ]
        begun = [change for change in unsure if 0 < self._tried[change] < FEWEST_PAIRED_BLOCKS]
        if begun:
            return begun
        named = [change for change in unsure if self._variants[change].title in self._wanted]
        if self._doubt.is_decided(results):
            return named
        telling = most_telling(self._doubt.tells([self._variants[change] for change in unsure], results))
        return list(dict.fromkeys([*(unsure[place] for place in telling), *named]))

    def _in_time(self, changes: Sequence[int]) -> Sequence[int]:
        """Return as many changes as there is time for, in all blocks that they need at least."""
        blocks = 1 if all(self._tried[change] for change in changes) else self._fewest_in_turn
        room = int(self._times.left_s / (blocks * self._times.trial_s)) - 1
        return changes[: max(room, 0 if self._tried else 1)]

    @property
    def _fewest_in_turn(self) -> int:
        """Least number of blocks of a change that run one after the other."""
        return FEWEST_PAIRED_BLOCKS

    def _run_blocks(self, changes: Sequence[int]) -> None:
        """Run the next block of these changes."""
        block = self._next_block()
        for change in self._row(changes):
            self.run_change(change, block)

    def _next_block(self) -> int:
        self._blocks += 1
        return self._blocks - 1

    def _row(self, changes: Sequence[int]) -> list[int]:
        """Return the base and these changes in the order of a block."""
        row = [BASE, *changes]
        self._random.shuffle(row)
        return row

    def run_change(self, change: int, block: int, place: ProvingPlace | None = None) -> None:
        """Run a change of a block, or its base, on a place; once more where it was spoilt."""
        with self._lock:
            self._tried[change] += 1
        if block and not self._times.has_room:
            return
        # A neighbour may have spoilt it: once more, as studies do.
        if not self._run_once(change, block, place) and change not in self._failed and self._times.has_room:
            self._run_once(change, block, place)

    def _run_once(self, change: int, block: int, place: ProvingPlace | None) -> bool:
        """Run one trial; return whether it has a usable outcome."""
        variant, times = self._variants[change], self._times
        try:
            number, took_s = self._runner.run(
                variant.plan, variant.setting, most_rest_s=max(times.left_s, 0.0), block=block,
                is_base=change == BASE, place=place,
            )  # fmt: skip
        except Interrupted:
            raise
        except (TargetError, VoidError) as error:
            if change == BASE:
                raise
            if isinstance(error, VoidError):
                self._runner.failure = self._runner.failure or error
            self._failed.add(change)
            self.skipped.append(skip_for(variant.lever, error))
            return False
        with self._lock:
            times.trial_s = max(0.5 * times.trial_s, took_s)
            has_added = self._log.has_added(self._runner.folder, number, block, change)
            if has_added:
                title = variant.title if change != BASE else ""
                self._runner.note(title, self._log.outcomes[-1], measure=self._log.measure, is_live=False)
        return has_added

    def _skip(self, change: int, wording: ErrorWords, code: str) -> None:
        self.skipped.append(skip(self._variants[change].lever, wording.what, wording.mend, code))

    def _skip_spoilt(self, measured: Collection[str]) -> None:
        """Skip the changes that have no result, as their own trials or all of the base were spoilt."""
        has_base = not all(part.is_changed for part in self._log.outcomes)
        spoilt = ERRORS.spoilt_change if has_base else ERRORS.spoilt_base
        for change, variant in enumerate(self._variants):
            why = self._log.spoilt.get(change if has_base else BASE)
            is_tried = change != BASE and self._tried[change] and change not in self._failed
            if is_tried and variant.title not in measured and why:
                self._skip(change, spoilt(variant.title, why), SPOILT)
