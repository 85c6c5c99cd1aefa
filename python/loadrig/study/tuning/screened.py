"""Results of the trials of a screening, and of those that put its results in doubt."""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning import screen
from loadrig.study.tuning.ground import Ground
from loadrig.study.tuning.objective import slacks
from loadrig.study.tuning.rounds import in_block
from loadrig.study.tuning.screen import Inert, Screening

NOTHING = Screening((), False)


def screening(ground: Ground, trials: Sequence[DoneTrial]) -> Screening:
    """Return effects of the knobs, and which of them are inert; empty where nothing was screened."""
    if not ground.sizes.is_screening or not trials:
        return NOTHING
    block = in_block(trials, ground.first["screen"])
    trials_by_setting: defaultdict[str, list[DoneTrial]] = defaultdict(list)
    for trial in block:
        if trial.is_usable:
            trials_by_setting[key(trial.setting)].append(trial)
    y: list[float] = []
    rooms: list[list[float]] = [[] for _ in ground.plan.goals]
    for setting in screen.design(ground.space):
        here = trials_by_setting[key(setting)]
        # A setting that stands twice in a small design gives each place a trial of its own.
        own_trial = here.pop(0) if len(here) > 1 else here[0] if here else None
        read = ground.objective.read(own_trial) if own_trial else None
        y.append(read[0] if read else math.nan)
        slack = slacks(ground.plan.goals, own_trial) if own_trial else (math.nan,) * len(rooms)
        for room, value in zip(rooms, slack, strict=True):
            room.append(value)
    return screen.analyse(ground.space, y, _of_base(ground, block), rooms, ground.margin)


def inert(ground: Ground, trials: Sequence[DoneTrial], result: Screening) -> tuple[Inert, ...]:
    """Return the knobs shown inert, without those that a doubted setting speaks against."""
    if not result.inert:
        return ()
    block = in_block(trials, ground.first["doubt"])
    tried: defaultdict[str, list[float]] = defaultdict(list)
    for trial in block:
        name = screen.differing_knob(ground.space, trial.setting)
        read = ground.objective.read(trial)
        if name and read:
            tried[name].append(read[0])
    bases = _of_base(ground, block)
    every = bases + _of_base(ground, in_block(trials, ground.first["screen"]))
    noise = float(np.std(every, ddof=1)) if len(every) > 1 else 0.0
    return screen.still_inert(result.inert, tried, bases, noise)


def _of_base(ground: Ground, trials: Sequence[DoneTrial]) -> list[float]:
    start = key(ground.base)
    reads = (ground.objective.read(trial) for trial in trials if key(trial.setting) == start)
    return [read[0] for read in reads if read is not None]
