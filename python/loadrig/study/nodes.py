"""Nodes of a study against each other: the base on each of them, an A/A comparison across nodes.

Nodes are one machine for the verdicts only in what drops out with the blocks. A node that is faster or slower
than another is named, so that whoever reads figures rather than differences knows it.
"""

import math
from itertools import combinations

import numpy as np

from loadrig.base.estimate import Estimate
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyNodesTexts
from loadrig.stats.compare import Effect, holm, known_noise
from loadrig.stats.verdict import judge as judge_effect
from loadrig.study import notes
from loadrig.study.contrasts import TrialReadings, back
from loadrig.study.document import NodeDocument, NodesCompared, NodesDocument
from loadrig.study.yardstick import Yardstick

TEXTS = texts_of(StudyNodesTexts)


def among(readings: TrialReadings, by: Yardstick) -> NodesDocument | None:
    """Return how the nodes of a study differ; None of a study on one node."""
    if len(readings.nodes) < 2:
        return None
    bases = {node: readings.of_node(node, 0) for node in readings.nodes}
    rows = tuple(
        NodeDocument(
            name=node,
            trials=sum(row.trial.node == node for row in readings.rows),
            blocks=len({row.trial.block for row in readings.rows if row.trial.node == node}),
            base=_base(ys, by),
        )
        for node, ys in bases.items()
    )
    spread = None if readings.nested is None else readings.nested.spread
    return NodesDocument(nodes=rows, comparisons=_compared(bases, by), spread=spread)


def warnings(nodes: NodesDocument | None, by: Yardstick) -> list[str]:
    """Return which nodes differ in their base, by name, and whether settings gain otherwise on each."""
    if nodes is None:
        return []
    sentences = []
    for pair in nodes.comparisons:
        if pair.verdict in ("better", "worse"):
            difference = math.log(pair.effect) if by.scale == "ratio" else pair.effect
            slower, faster = pair.between if pair.verdict == "better" else reversed(pair.between)
            sentences.append(TEXTS.nodes_differ(faster, slower, notes.change(difference, by), by.name))
    if nodes.spread:
        sentences.append(TEXTS.gains_differ(notes.change(nodes.spread, by)))
    return sentences


def _base(ys: tuple[float, ...], by: Yardstick) -> Estimate | None:
    """Return what the base reached on a node, in an average block of it."""
    if not ys:
        return None
    return Estimate(back(sum(ys) / len(ys), by.scale), by.unit, n=len(ys), of="blocks")


def _compared(bases: dict[str, tuple[float, ...]], by: Yardstick) -> tuple[NodesCompared, ...]:
    """Compare the base of every two nodes, all judged together; without an answer where no node repeats it.

    The noise is that of the base from block to block, pooled over all nodes: drift is in it.
    """
    measured = {node: np.array(ys) for node, ys in bases.items() if ys}
    df = sum(ys.size - 1 for ys in measured.values())
    if df < 1:
        return ()
    squares = sum(float(((ys - ys.mean()) ** 2).sum()) for ys in measured.values())
    effects: dict[tuple[str, str], Effect] = {}
    for a, b in combinations(measured, 2):
        first, second = measured[a], measured[b]
        error = math.sqrt(squares / df * (1 / first.size + 1 / second.size))
        centre = float(second.mean() - first.mean())
        effects[a, b] = known_noise(centre, error, df, n=min(first.size, second.size))
    adjusted = holm([effect.p for effect in effects.values()])
    comparisons = []
    for (between, effect), p in zip(effects.items(), adjusted, strict=True):
        verdict = judge_effect(effect, by.equal_within, by.better, p=float(p), scale=by.scale)
        low, high = back(effect.low, by.scale), back(effect.high, by.scale)
        comparisons.append(
            NodesCompared(
                between=between, effect=back(effect.centre, by.scale), interval=(low, high),
                confidence=effect.confidence, verdict=verdict.word, p=float(p),
            )
        )  # fmt: skip
    return tuple(comparisons)
