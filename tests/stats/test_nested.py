import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from loadrig.stats.arrays import Floats
from loadrig.stats.distributions import f_above, t_quantile
from loadrig.stats.nested import POOLED_FROM_P, NestedFit, nested_design
from loadrig.stats.noise import block_design
from tests.lengths import length


def drawn(
    seed: int,
    *,
    nodes: int,
    treatments: int,
    blocks: int,
    spread: float = 0.0,
    noise: float = 0.02,
    base_runs: int = 2,
) -> tuple[Floats, list[int], list[int], list[int]]:
    """Return logs, blocks, treatments and nodes of a design whose treatments are equal in truth."""
    random = np.random.default_rng([seed, nodes, treatments, blocks])
    level, gain = random.normal(0, 0.2, nodes), random.normal(0, spread, (nodes, treatments))
    logs, block_of, treatment_of, node_of = [], [], [], []
    for block in range(blocks):
        node, drift = block % nodes, random.normal(0, 0.1)
        for treatment in [0] * (base_runs - 1) + list(range(treatments)):
            logs.append(level[node] + drift + gain[node, treatment] + random.normal(0, noise))
            block_of.append(block)
            treatment_of.append(treatment)
            node_of.append(node)
    return np.array(logs), block_of, treatment_of, node_of


def of_two(fit: NestedFit) -> tuple[float, float, float]:
    """Return the difference of the first two treatments, its standard error and degrees of freedom."""
    weights = np.zeros(len(fit.fit.treatments))
    weights[:2] = -1, 1
    return (float(weights @ fit.fit.effects), *fit.error(weights))


@given(f=st.floats(0, 50), df=st.integers(1, 30), below=st.integers(1, 30))
def test_tails_of_f_are_those_of_scipy(f: float, df: int, below: int) -> None:
    assert f_above(f, df, below) == pytest.approx(stats.f.sf(f, df, below), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_two_treatments_on_nodes_that_differ_are_judged_by_the_nodes_own_differences(seed: int) -> None:
    y, block, treatment, node = drawn(seed, nodes=4, treatments=2, blocks=12, spread=0.2, base_runs=1)
    nested = nested_design(y, block, treatment, node)
    assert not nested.is_pooled
    pairs = (y[1::2] - y[::2]).reshape(3, 4)  # blocks are dealt to nodes in turn
    means = pairs.mean(axis=0)
    difference, error, df = of_two(nested)
    assert difference == pytest.approx(means.mean())
    assert error == pytest.approx(means.std(ddof=1) / 2)
    assert df == pytest.approx(3)


@pytest.mark.parametrize("seed", range(5))
def test_every_difference_of_a_balanced_design_is_judged_by_node_and_treatment_together(seed: int) -> None:
    """The textbook's mixed model: treatments against the mean square of node by treatment."""
    y, block, treatment, node = drawn(seed, nodes=3, treatments=5, blocks=9, spread=0.1, base_runs=1)
    nested = nested_design(y, block, treatment, node)
    cells = y.reshape(3, 3, 5).mean(axis=0)  # node, treatment
    residual = cells - cells.mean(axis=0) - cells.mean(axis=1, keepdims=True) + cells.mean()
    mean_square = 3 * float((residual**2).sum()) / 8
    assert nested.mean_square == pytest.approx(mean_square)
    assert nested.spread**2 == pytest.approx((mean_square - nested.sd**2) / 3)
    _, error, df = of_two(nested)
    assert error == pytest.approx(math.sqrt(2 * mean_square / 9))
    assert df == pytest.approx(8)
    assert nested.of_all_pairs().contrast(0, 1)[1] == pytest.approx(error)
    assert nested.of_all_pairs().df == 8


@given(seed=st.integers(0, 10**6), blocks=st.integers(2, 6))
def test_one_node_is_a_design_of_blocks(seed: int, blocks: int) -> None:
    y, block, treatment, node = drawn(seed, nodes=1, treatments=3, blocks=blocks)
    nested, plain = nested_design(y, block, treatment, node), block_design(y, block, treatment)
    assert nested.is_pooled
    assert of_two(nested)[:2] == pytest.approx(plain.contrast(0, 1))
    assert of_two(nested)[2] == plain.df
    assert nested.of_all_pairs() is nested.fit


@given(seed=st.integers(0, 10**6), nodes=st.integers(2, 4), holes=st.integers(0, 3))
def test_faster_nodes_change_nothing_and_no_interval_breaks_down(seed: int, nodes: int, holes: int) -> None:
    y, block, treatment, node = drawn(seed, nodes=nodes, treatments=4, blocks=2 * nodes, spread=0.03)
    rows = np.sort(np.random.default_rng(seed).permutation(y.size)[holes:])
    y, labels = y[rows], [np.array(labels)[rows] for labels in (block, treatment, node)]
    nested = nested_design(y, *labels)
    other = nested_design(y + 0.5 * (labels[2] == 0), *labels)
    assert of_two(other) == pytest.approx(of_two(nested), rel=1e-6)
    assert all(math.isfinite(number) for number in of_two(nested))
    assert nested.is_pooled or nested.p < POOLED_FROM_P


@pytest.mark.parametrize(
    ("nodes", "treatments", "blocks", "least"),
    [(4, 2, 12, 0.9), (2, 5, 8, 0.91), (2, 9, 6, 0.92), (4, 5, 8, 0.92), (2, 2, 8, 0.8)],
)
@pytest.mark.parametrize("spread", length([0.01], [0.0, 0.01, 0.03]))
def test_intervals_cover_the_truth_about_as_often_as_they_claim(
    nodes: int, treatments: int, blocks: int, least: float, spread: float
) -> None:
    """Two nodes and two settings have one degree of freedom between them, and cover some 85 %."""
    hits, draws = 0, length(75, 150)
    for seed in range(draws):
        design = drawn(seed, nodes=nodes, treatments=treatments, blocks=blocks, spread=spread)
        difference, error, df = of_two(nested_design(*design))
        hits += abs(difference) <= t_quantile(0.975, df) * error
    assert hits / draws >= least - 2 * math.sqrt(least * (1 - least) / draws)


def test_treatments_that_share_no_block_are_refused_as_on_one_node() -> None:
    with pytest.raises(ValueError, match="share no block"):
        nested_design([1, 2, 3, 4], [0, 0, 1, 1], [0, 1, 2, 3], [0, 0, 1, 1])
