"""Winner, runner-up and default side by side, in six shuffled blocks, the server started anew each time.

Only these trials decide: the two were chosen by others, so that luck in the search cannot speak for them.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Knob, Setting
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyTuningConfirmTexts
from loadrig.plan.model import Goal
from loadrig.stats.compare import PAIRS_NEEDED, Effect, known_noise, paired_differences
from loadrig.stats.equivalence import is_equivalent
from loadrig.stats.nested import nested_design
from loadrig.stats.verdict import Verdict
from loadrig.stats.verdict import judge as judge_effect
from loadrig.study.choose import Candidate, cheapest
from loadrig.study.space import key
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning.objective import Objective, slacks

TEXTS = texts_of(StudyTuningConfirmTexts)

Part = tuple[int, str]
"""Number of a block, and name of the node on which it, or this part of it, ran."""

BLOCKS = PAIRS_NEEDED
"""Confirming blocks: the exact test on fewer pairs cannot decide anything."""

UNSTABLE_FROM = 0.3
"""Share by which one redeployment of a setting is worse than the median, from which the setting is unstable.
Source: TUNA."""


@dataclass(frozen=True, slots=True)
class Confirmation:
    """Result of the confirming blocks.

    best: None where no finalist keeps the goals. reason: why it is the best, as a clause. means: of each
    setting on the scale of comparison, less the means of its blocks, by key. unstable: finalists of
    which one redeployment was far worse than the others.
    """

    best: Setting | None
    reason: str
    means: Mapping[str, float]
    unstable: tuple[Setting, ...]


def confirmed(
    objective: Objective,
    goals: Sequence[Goal],
    trials: Sequence[DoneTrial],
    finalists: Sequence[Setting],
    target_knobs: Mapping[str, Knob],
    base: Setting,
    margin: float,
) -> Confirmation:
    """Judge the confirming trials. finalists: the default among them. margin: on the scale of comparison.

    The best finalist that keeps every goal is chosen, or a cheaper one that is shown to be equivalent to the
    best (TOST within the margin): the one with fewest processes, then threads, then least memory.
    """
    means = _adjusted(objective, trials)
    able = [setting for setting in finalists if keeps_goals(goals, trials, setting) and key(setting) in means]
    unstable = tuple(setting for setting in finalists if is_unstable(objective, trials, setting))
    if not able:
        return Confirmation(None, "", means, unstable)
    best = max(able, key=lambda setting: means[key(setting)])
    equal = [best]
    for setting in able:
        difference = effect(objective, trials, best, setting)
        if setting is not best and difference is not None and is_equivalent(difference, margin):
            equal.append(setting)
    candidates = [
        Candidate(number, setting, means[key(setting)], _memory(trials, setting))
        for number, setting in enumerate(equal)
    ]
    chosen, why = cheapest(candidates, target_knobs, base)
    if chosen.setting is best:
        return Confirmation(best, TEXTS.best_finalists, means, unstable)
    return Confirmation(chosen.setting, TEXTS.equivalent_best_finalists(why), means, unstable)


def effect(objective: Objective, trials: Sequence[DoneTrial], a: Setting, b: Setting) -> Effect | None:
    """Estimate how much better b is than a, from the blocks with both; None where they are fewer than six.

    Where b gains more on one node than on another, the variance between nodes widens the interval.
    """
    both = [
        (part, means[key(a)], means[key(b)])
        for part, means in _by_block(objective, trials).items()
        if key(a) in means and key(b) in means
    ]
    if len(both) < PAIRS_NEEDED:
        return None
    pairs = [of_b - of_a for _, of_a, of_b in both]
    names = sorted({node for (_, node), _, _ in both})
    nodes = [names.index(node) for (_, node), _, _ in both]
    nested = nested_design(
        [y for _, *ys in both for y in ys],
        np.repeat(np.arange(len(both)), 2),
        [0, 1] * len(both),
        np.repeat(nodes, 2),
    )
    if nested.is_pooled:
        return paired_differences(pairs)
    weights = np.array([-1.0, 1.0])
    error, df = nested.error(weights)
    return known_noise(float(weights @ nested.fit.effects), error, df, n=len(both))


def verdict(measured: Effect | None, objective: Objective, margin: float) -> Verdict | None:
    """Return the verdict on an effect of `effect`; that is already turned so that more is better."""
    if measured is None:
        return None
    if objective.is_share:
        return judge_effect(measured, margin, "higher", scale="difference")
    return judge_effect(measured, math.expm1(margin), "higher")


def keeps_goals(goals: Sequence[Goal], trials: Sequence[DoneTrial], setting: Setting) -> bool:
    """Return whether a setting keeps every goal on average, and never failed.

    A goal that was not told is kept.
    """
    own = [trial for trial in trials if key(trial.setting) == key(setting)]
    if any(trial.validity == "failed" for trial in own):
        return False
    rows = np.array([slacks(goals, trial) for trial in own if trial.is_usable], dtype=np.float64)
    if rows.size == 0:
        return bool(own)
    for column in rows.T:
        slack = column[np.isfinite(column)]
        if slack.size and slack.mean() < 0:
            return False
    return True


def is_unstable(objective: Objective, trials: Sequence[DoneTrial], setting: Setting) -> bool:
    """Return whether one redeployment was far worse than the others: the setting may do so again.

    Redeployments are compared on the same node: a slow node makes no setting unstable.
    """
    by_node: defaultdict[str, list[float]] = defaultdict(list)
    for (_, node), means in _by_block(objective, trials).items():
        if key(setting) in means:
            by_node[node].append(means[key(setting)])
    return any(_has_far_worse(objective, here) for here in by_node.values())


def _has_far_worse(objective: Objective, here: Sequence[float]) -> bool:
    if len(here) < 3:
        return False
    if objective.is_share:
        return bool(np.median(here) - min(here) > UNSTABLE_FROM)
    return bool(min(here) < np.median(here) + math.log1p(-UNSTABLE_FROM))


def _by_block(objective: Objective, trials: Sequence[DoneTrial]) -> Mapping[Part, Mapping[str, float]]:
    """Return, for each block on its node and each setting, the mean of the setting's readings there."""
    figures: defaultdict[Part, defaultdict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for trial in trials:
        read = objective.read(trial)
        if read is not None:
            figures[trial.block, trial.node][key(trial.setting)].append(read[0])
    return {
        block: {name: float(np.mean(values)) for name, values in of_block.items()}
        for block, of_block in figures.items()
    }


def _adjusted(objective: Objective, trials: Sequence[DoneTrial]) -> dict[str, float]:
    """Return the mean of each setting less the mean of its blocks, over the blocks in which it ran."""
    apart: defaultdict[str, list[float]] = defaultdict(list)
    for of_block in _by_block(objective, trials).values():
        middle = float(np.mean(list(of_block.values())))
        for name, value in of_block.items():
            apart[name].append(value - middle)
    return {name: float(np.mean(values)) for name, values in apart.items()}


def _memory(trials: Sequence[DoneTrial], setting: Setting) -> Estimate | None:
    return next(
        (
            trial.measures["memory"]
            for trial in trials
            if key(trial.setting) == key(setting) and "memory" in trial.measures
        ),
        None,
    )
