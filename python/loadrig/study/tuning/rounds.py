"""Trials of a block that are left, and their specs."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from loadrig.base.setting import Setting
from loadrig.study import blocks
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning import race
from loadrig.study.tuning.ground import Ground
from loadrig.trial.spec import TrialSpec


def in_block(trials: Sequence[DoneTrial], block: int) -> list[DoneTrial]:
    """Return the trials of a block that are over."""
    return [trial for trial in trials if trial.block == block]


def ahead(
    ground: Ground, trials: Sequence[DoneTrial], block: int, design: Sequence[Setting]
) -> list[TrialSpec]:
    """Return what is ahead of a block's design: a void trial is repeated once, a failed setting not."""
    if not design:
        return []
    runs: defaultdict[str, list[DoneTrial]] = defaultdict(list)
    for trial in in_block(trials, block):
        runs[key(trial.setting)].append(trial)
    failed = {key(trial.setting) for trial in trials if trial.validity == "failed" and not trial.is_base}
    counts: Counter[str] = Counter()
    for setting, count in Counter(key(setting) for setting in design).items():
        void = sum(trial.validity == "void" for trial in runs[setting])
        if setting not in failed:
            counts[setting] = count - (len(runs[setting]) - min(void, count))
    settings_ahead: list[Setting] = []
    for at in race.order(range(len(design)), ground.plan.seed, block):
        if counts[key(design[at])] > 0:
            counts[key(design[at])] -= 1
            settings_ahead.append(design[at])
    return specs(ground, trials, block, settings_ahead)


def specs(
    ground: Ground, trials: Sequence[DoneTrial], block: int, settings: Sequence[Setting]
) -> list[TrialSpec]:
    """Return one trial for each of these settings, in their order, as long as the block's stage asks for."""
    plan = ground.plan.lasting(ground.sizes.seconds(ground.stage_of(block)))
    return blocks.specs(plan, trials, block, settings, ground.base)
