"""Experiments that need a trial of their own: a knob, or another shape of the load, in shuffled blocks.

Each trial starts the server anew, and one number comes of it. Before each block the changes are chosen that
tell most by then.
"""

import random
import time
from collections import Counter
from collections.abc import Callable, Collection, Sequence

from loadrig.base.errors import Interrupted, TargetError, VoidError
from loadrig.interventions import Variant
from loadrig.proving import rest
from loadrig.proving.changes import OUT_OF_TIME, Skipped
from loadrig.proving.credence import Tells, most_telling, tell_alike
from loadrig.proving.results import Result
from loadrig.proving.trials import FEWEST_PAIRED_BLOCKS, TrialLog
from loadrig.recording.layout import RunFolder
from loadrig.stats.elasticity import BASE
from loadrig.trial.spec import TrialSpec

MOST_BLOCKS = 6
"""Greatest number of blocks of a change."""

SPOILT = ("run it again while nothing else runs here", "prove.spoilt")
"""Mend and code of a change whose trials were spoilt."""

RunTrial = Callable[[TrialSpec, RunFolder], None]
"""Function that runs a trial into a folder."""


class Pairs:
    """Runner of base and changes in blocks, until every answer is sure or the time is up.

    variants: the base first, then the changes. folder: folder of the proof. log: for what the trials show.
    number: of the next trial. ends: instant of time.monotonic() after which no trial may run. trial_s: time
    that a trial takes, in seconds, until trials have shown it. wanted: titles of changes that are tried even
    where the answer is sure. is_decided: whether the results are enough although some are not sure. tells:
    bits that changes would tell; without it all tell alike.
    Once it has run, skipped holds the changes of which no trial could be believed, and why; failure is the
    first failure of the rig itself.
    """

    def __init__(
        self,
        variants: Sequence[Variant],
        folder: RunFolder,
        log: TrialLog,
        *,
        number: int,
        ends: float,
        seed: int,
        run_trial: RunTrial,
        trial_s: float,
        wanted: Collection[str] = (),
        is_decided: Callable[[Sequence[Result]], bool] = lambda _: False,
        tells: Tells = tell_alike,
    ) -> None:
        self._variants, self._folder, self._log = variants, folder, log
        self._run_trial, self._seed, self._random = run_trial, seed, random.Random(seed)
        self._ends, self._trial_s, self._wanted = ends, trial_s, wanted
        self._is_decided, self._tells = is_decided, tells
        self._tried, self._failed = Counter[int](), set[int]()
        self.number = number
        self.skipped: list[Skipped] = []
        self.failure: VoidError | None = None

    def run(self) -> list[Result]:
        """Run the trials and return the results. Raises Interrupted, and the error of a failed base trial."""
        block = 0
        while changes := self._in_time(self._wished()):
            self._run_block(block, changes)
            block += 1
        for change in self._wished():
            if not self._tried[change]:
                why = f"{self._variants[change].title}: the time was not enough for it"
                self._skip(change, why, "raise --budget", OUT_OF_TIME)
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
        if self._is_decided(results):
            return named
        telling = most_telling(self._tells([self._variants[change] for change in unsure], results))
        return list(dict.fromkeys([*(unsure[place] for place in telling), *named]))

    def _in_time(self, changes: Sequence[int]) -> Sequence[int]:
        """Return as many changes as there is time for, in all blocks that they need at least."""
        blocks = 1 if all(self._tried[change] for change in changes) else FEWEST_PAIRED_BLOCKS
        room = int((self._ends - time.monotonic()) / (blocks * self._trial_s)) - 1
        return changes[: max(room, 0 if self._tried else 1)]

    def _run_block(self, block: int, changes: Sequence[int]) -> None:
        row = [BASE, *changes]
        self._random.shuffle(row)
        for change in row:
            self._tried[change] += 1
            if block and not self._fits_one():
                continue
            # A neighbour may have spoilt it: once more, as studies do.
            if not self._run_once(change, block) and change not in self._failed and self._fits_one():
                self._run_once(change, block)

    def _skip(self, change: int, why: str, mend: str, code: str) -> None:
        self.skipped.append(Skipped(self._variants[change].lever, why, mend, code))

    def _skip_spoilt(self, known: Collection[str]) -> None:
        """Skip the changes of which nothing is known, as their own trials or all of the base were spoilt."""
        has_base = any(change == BASE for change, _ in self._log.outcomes)
        for change, variant in enumerate(self._variants):
            why = self._log.spoilt.get(change if has_base else BASE)
            if change != BASE and change not in self._failed and variant.title not in known and why:
                whose = "its trials" if has_base else "the trials without it"
                self._skip(change, f"{variant.title}: {whose} were spoilt: {why}", *SPOILT)

    def _fits_one(self) -> bool:
        rest_s = rest.MOST_S if rest.is_needed() else 0.0
        return time.monotonic() + self._trial_s + rest_s <= self._ends

    def _run_once(self, change: int, block: int) -> bool:
        """Run one trial; return whether it has a usable outcome."""
        variant, index = self._variants[change], self.number
        spec = TrialSpec(
            variant.plan, variant.setting, self._seed + block, index, block, 0, is_base=change == BASE
        )
        rest.wait(min(rest.MOST_S, max(self._ends - time.monotonic(), 0.0)))
        began = time.monotonic()
        self.number += 1
        try:
            self._run_trial(spec, self._folder)
        except Interrupted:
            raise
        except (TargetError, VoidError) as error:
            if change == BASE:
                raise
            if isinstance(error, VoidError):
                self.failure = self.failure or error
            self._failed.add(change)
            problem = error.problems[0]
            self._skip(change, problem.what, problem.mend, problem.code)
            return False
        self._trial_s = max(0.5 * self._trial_s, time.monotonic() - began)
        return self._log.has_added(self._folder, index, block, change)
