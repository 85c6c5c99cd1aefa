"""Randomised blocks: every block runs each setting once, in an order of its own, and the base twice.

What drifts (temperature, neighbours, caches) hits all settings of a block alike, or at random; the
base against itself shows how far noise alone goes. Source: Abedi & Brecht, ICPE 2017 (randomised
multiple interleaved trials).
"""

from collections import Counter, defaultdict
from collections.abc import Sequence

from loadrig.base.setting import Setting
from loadrig.plan.model import Plan
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.study.yardstick import Yardstick
from loadrig.trial.spec import TrialSpec


class RandomisedBlocks:
    """Strategy that every study with blocks uses. settings: the base first.

    base_runs: how often a block runs the base. repeats_lost: False where a lost trial is not to be repeated.
    A void trial, or one in which the base failed, is repeated once, at the end of its block. A
    setting with which the target failed is not tried again once any trial has worked: before that
    the fault may lie elsewhere.

    """

    by: Yardstick | None = None

    def __init__(
        self,
        plan: Plan,
        settings: Sequence[Setting],
        *,
        blocks: int,
        base_runs: int = 2,
        repeats_lost: bool = True,
    ) -> None:
        self.plan = plan
        self.settings = tuple(settings)
        self._blocks = blocks
        self._wanted = [base_runs if position == 0 else 1 for position in range(len(settings))]
        self._place = {key(setting): position for position, setting in enumerate(self.settings)}
        self._repeats_lost = repeats_lost
        self._trials: list[DoneTrial] = []
        self._done: defaultdict[int, list[tuple[int, DoneTrial]]] = defaultdict(list)
        """Trials of each block that are over, each behind the position of its setting."""

    @property
    def total(self) -> int:
        """Return the trials that ran and those still ahead; repeats of void ones count once they are due."""
        return sum(
            len(self._done[block]) + len(self._positions_ahead(block)) for block in range(self._blocks)
        )

    def ask(self) -> list[TrialSpec]:
        """Return the trials ahead in the first block that is not done."""
        for block in range(self._blocks):
            if ahead := self.specs_ahead(block):
                return ahead
        return []

    def ahead(self, running: Sequence[TrialSpec]) -> dict[int, list[TrialSpec]]:
        """Return the trials ahead of all blocks: none waits for another one."""
        del running
        blocks = {block: self.specs_ahead(block) for block in range(self._blocks)}
        return {block: ahead for block, ahead in blocks.items() if ahead}

    def specs_ahead(self, block: int) -> list[TrialSpec]:
        """Return the trials ahead in a block, in order. A strategy of experiments puts them in here."""
        settings = [self.settings[position] for position in self._positions_ahead(block)]
        return specs(self.plan, self._trials, block, settings, self.settings[0])

    def tell(self, trial: DoneTrial) -> None:
        """Take a trial that is over."""
        self._trials.append(trial)
        position = self._place.get(key(trial.setting))
        if position is not None:
            self._done[trial.block].append((position, trial))

    def order(self, block: int) -> list[int]:
        """Return positions of settings in the order in which a block runs them, the same for a seed."""
        positions = [position for position, runs in enumerate(self._wanted) for _ in range(runs)]
        if len(positions) > 1:  # a single one has no order, and the library takes 2 ms to import
            import random

            random.Random(f"{self.plan.seed}/{block}").shuffle(positions)
        return positions

    def _positions_ahead(self, block: int) -> list[int]:
        """Return positions still to run in a block: first runs in its order, then repeats of lost ones."""
        runs: defaultdict[int, list[bool]] = defaultdict(list)
        for position, trial in self._done[block]:
            runs[position].append(trial.is_usable)
        given_up = self._given_up()
        counts: Counter[int] = Counter()
        first = []
        for position in self.order(block):
            counts[position] += 1
            if counts[position] > len(runs[position]) and position not in given_up:
                first.append(position)
        again = []
        for position, wanted in enumerate(self._wanted):
            lost = runs[position][:wanted].count(False)
            repeated = max(0, len(runs[position]) - wanted)
            if self._repeats_lost and position not in given_up:
                again += [position] * (lost - repeated)
        return first + again

    def _given_up(self) -> set[int]:
        if not any(trial.is_usable for trial in self._trials):
            return set()
        return {
            position
            for trials in self._done.values()
            for position, trial in trials
            if trial.validity == "failed" and not trial.is_base
        }


def specs(
    plan: Plan, trials: Sequence[DoneTrial], block: int, settings: Sequence[Setting], base: Setting
) -> list[TrialSpec]:
    """Return a trial of a block for each of these settings, in their order, after those that are over."""
    runs = Counter(key(trial.setting) for trial in trials if trial.block == block)
    trial_specs = []
    for index, setting in enumerate(settings, max((trial.index for trial in trials), default=0) + 1):
        name = key(setting)
        # One seed a block: all its trials meet the same arrivals, which is less noise.
        seed = plan.seed + block
        trial_specs.append(
            TrialSpec(plan, setting, seed, index, block=block, repeat=runs[name], is_base=name == key(base))
        )
        runs[name] += 1
    return trial_specs
