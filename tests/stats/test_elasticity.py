import math
from collections.abc import Iterator

import numpy as np
import pytest

from loadrig.stats.elasticity import BASE, Elasticity, Slot, elasticities
from tests.lengths import fewest, length, most

DEMANDS = (0.005, 0.0036, 0.001)
"""Seconds of each of three tiers that a request takes: the first is the limit."""


def throughput(capacities: tuple[float, ...]) -> float:
    """Return the throughput of a saturated closed system: the least of its tiers', smooth where two meet."""
    limits = np.array([capacity / demand for capacity, demand in zip(capacities, DEMANDS, strict=True)])
    return float(np.sum(limits**-12.0) ** (-1 / 12.0))


def measured(blocks: int, noise: float, seed: int, ratio: float = 0.8) -> list[Slot]:
    """Return slots: a block has the base and each tier with less capacity, in random order, with a drift."""
    rng = np.random.default_rng(seed)
    slots = []
    for block in range(blocks):
        drift = math.exp(0.02 * rng.standard_normal())
        for change in range(len(DEMANDS) + 1):
            capacities = tuple(ratio if tier == change - 1 else 1.0 for tier in range(len(DEMANDS)))
            outcome = throughput(capacities) * drift * math.exp(noise * rng.standard_normal())
            slots.append(Slot(block, change, outcome))
    return slots


def truth(change: int, ratio: float = 0.8) -> float:
    capacities = tuple(ratio if tier == change - 1 else 1.0 for tier in range(len(DEMANDS)))
    return math.log(throughput(capacities) / throughput((1.0, 1.0, 1.0))) / math.log(ratio)


def test_the_limit_is_told_from_what_is_near_and_far_from_it() -> None:
    elasticity_by_change = elasticities(measured(8, 0.01, 1), {1: 0.8, 2: 0.8, 3: 0.8})
    assert elasticity_by_change[1].standing == "limits"
    assert elasticity_by_change[3].standing == "cleared"
    assert elasticity_by_change[1].value == pytest.approx(truth(1), abs=0.15)


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    held = 0
    for seed in range(1_000):
        elasticity_by_change = elasticities(measured(4, 0.03, seed), {1: 0.8, 2: 0.8, 3: 0.8})
        held += sum(
            elasticity_by_change[change].low <= truth(change) <= elasticity_by_change[change].high
            for change in (1, 2, 3)
        )
    # 3,000 intervals at 95 %, three of which share their noise.
    assert 0.935 <= held / 3_000 <= 0.965


def test_looking_again_and_again_does_not_accuse_the_innocent() -> None:
    accused = 0
    for seed in range(length(100, 300)):
        accused += any(by_change[3].standing == "limits" for by_change in looked_at(measured(10, 0.03, seed)))
    assert accused <= 3


def test_all_looks_together_keep_the_confidence() -> None:
    missed = once = 0
    runs = length(250, 1_000)
    for seed in range(runs):
        slots = measured(10, 0.03, seed)
        missed += any(not holds(by_change[2], truth(2)) for by_change in looked_at(slots))
        once += any(not holds(by_change[2], truth(2)) for by_change in looked_at(slots, is_paid_for=False))
    assert fewest(runs, 0.045) <= missed <= most(runs, 0.045)
    assert once > most(runs, 0.05), "looking as if each look were the only one errs more than twice as often"


AT = (3, 5, 8, 10)


def looked_at(slots: list[Slot], *, is_paid_for: bool = True) -> Iterator[dict[int, Elasticity]]:
    """Yield what is found at each look."""
    for number, blocks in enumerate(AT, start=1):
        looks = [look / AT[-1] for look in AT[:number]] if is_paid_for else [1.0]
        early_slots = [slot for slot in slots if slot.block < blocks]
        yield elasticities(early_slots, {1: 0.8, 2: 0.8, 3: 0.8}, looks=looks)


def holds(estimate: Elasticity, true: float) -> bool:
    return estimate.low <= true <= estimate.high


def test_more_capacity_and_less_say_the_same() -> None:
    less = elasticities(measured(8, 0.01, 5, 0.8), {1: 0.8})[1]
    more = elasticities(measured(8, 0.01, 5, 1 / 0.8), {1: 1 / 0.8})[1]
    assert less.low > 0.5
    assert more.value < less.value, "beyond the next limit more of the first gives nothing"


@pytest.mark.parametrize(
    "slots",
    [
        [],
        [Slot(0, BASE, 100.0)],
        [Slot(0, BASE, 100.0), Slot(0, 1, 80.0)],
        [Slot(0, 1, 80.0), Slot(1, 1, 81.0)],
    ],
    ids=["nothing", "the base alone", "one block", "no base"],
)
def test_too_little_says_nothing(slots: list[Slot]) -> None:
    assert elasticities(slots, {1: 0.8}) == {}


def test_a_slot_without_an_answer_is_left_out_and_a_ratio_of_1_is_refused() -> None:
    slots = [*measured(4, 0.02, 2), Slot(4, BASE, 0.0)]
    assert elasticities(slots, {1: 0.8}) == elasticities(slots[:-1], {1: 0.8})
    with pytest.raises(ValueError, match="not 1"):
        elasticities(slots, {1: 1.0})
