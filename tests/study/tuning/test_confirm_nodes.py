"""Confirming blocks that ran on several nodes."""

import math

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Setting
from loadrig.study.trials import DoneTrial
from loadrig.study.tuning.confirm import effect, is_unstable
from loadrig.study.tuning.objective import Objective

BASE: Setting = {"workers": 1}
OTHER: Setting = {"workers": 2}
THROUGHPUT = Objective("throughput", "higher")
SPEEDS = {"left": 1.0, "right": 0.5}


def confirming(gains: dict[str, float], noise: float = 0.01) -> list[DoneTrial]:
    """Return eight blocks, dealt to nodes in turn. gains: logarithm of what OTHER gains on each node."""
    random = np.random.default_rng(1)
    trials: list[DoneTrial] = []
    for block in range(8):
        node = list(SPEEDS)[block % 2]
        for setting in (BASE, OTHER):
            gain = gains[node] if setting == OTHER else 0.0
            value = 100 * SPEEDS[node] * math.exp(gain + random.normal(0, noise))
            trials.append(
                DoneTrial(
                    index=len(trials) + 1, block=block, repeat=0, is_base=setting == BASE, seed=1,
                    setting=setting, validity="valid", reasons=(), goals=(), folder="", seconds=5.0,
                    measures={"throughput": Estimate(value, "1/s")}, node=node,
                )
            )  # fmt: skip
    return trials


def test_a_slow_node_makes_no_setting_unstable_and_no_difference() -> None:
    trials = confirming({"left": 0.1, "right": 0.1})
    assert not is_unstable(THROUGHPUT, trials, BASE)
    measured = effect(THROUGHPUT, trials, BASE, OTHER)
    assert measured is not None
    assert measured.how == "paired"
    assert 0.08 < measured.low < measured.high < 0.12


def test_what_is_gained_on_one_node_only_is_not_confirmed_for_all() -> None:
    measured = effect(THROUGHPUT, confirming({"left": 0.2, "right": 0.0}), BASE, OTHER)
    assert measured is not None
    assert measured.df == 1
    assert measured.low < 0 < measured.high
