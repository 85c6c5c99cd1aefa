"""Fitting the chance that a finding is right, and looking whether it holds on stacks that were left out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from bench.figures import markdown
from bench.zoo.judge import ZooVerdict
from loadrig.judgement.chance import COEFFICIENTS, TERMS, chance_of, has_chance, terms_of
from loadrig.stats.intervals import wilson_share

Floats = NDArray[np.float64]

STIFFNESS = 0.25
"""Penalty on the square of a coefficient, in squares of natural logarithms of odds: a normal prior with a
standard deviation of 1.4, so that no few cases make a finding certain (Gelman et al. 2008)."""

EDGES = (0.0, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
"""Edges of the classes of chances in the reliability table."""


@dataclass(frozen=True)
class Example:
    """A finding whose truth is known. stack: that it was recorded on. terms: of the model."""

    stack: str
    terms: tuple[float, ...]
    is_right: bool
    shown: float


def examples(verdicts: Sequence[ZooVerdict]) -> list[Example]:
    """Return the findings of all cases that have a truth."""
    return [
        Example(
            verdict.case.stack,
            terms_of(verdict.findings, place),
            finding.cause in (verdict.case.causes if verdict.is_sick else ("healthy",)),
            chance_of(verdict.findings, place),
        )
        for verdict in verdicts
        if verdict.counts
        for place, finding in enumerate(verdict.findings)
        if has_chance(finding)
    ]


def fitted(examples: Sequence[Example]) -> Floats:
    """Return the coefficients that make the truth likeliest: float64[terms]."""
    terms = np.array([example.terms for example in examples])
    signs = np.array([1.0 if example.is_right else -1.0 for example in examples])

    def loss(weights: Floats) -> float:
        return float(
            np.logaddexp(0, -signs * (terms @ weights)).sum() + STIFFNESS * weights[1:] @ weights[1:]
        )

    return np.asarray(minimize(loss, np.zeros(len(TERMS))).x)


def left_out(examples: Sequence[Example]) -> list[tuple[float, bool]]:
    """Return the chance of each finding by a fit without its stack, and whether the finding is right."""
    chances = []
    for stack in sorted({example.stack for example in examples}):
        rest = [example for example in examples if example.stack != stack]
        if rest:
            weights = fitted(rest)
            chances += [
                (chance(example, weights), example.is_right) for example in examples if example.stack == stack
            ]
    return chances


def chance(example: Example, weights: Floats) -> float:
    """Return the chance of a finding by some coefficients."""
    return 1 / (1 + float(np.exp(-(np.array(example.terms) @ weights))))


def text_of(verdicts: Sequence[ZooVerdict]) -> str:
    """Tell the coefficients, and how well they hold on stacks that were left out of the fit."""
    found_examples = examples(verdicts)
    weights, chances = fitted(found_examples), left_out(found_examples)
    right = np.array([is_right for _, is_right in chances], float)
    error = np.array([value for value, _ in chances]) - right
    brier, plain = float(np.mean(error**2)), float(np.mean(right) * (1 - np.mean(right)))
    rows = [
        [name, f"{weight:+.2f}", f"{shown:+.2f}"]
        for name, weight, shown in zip(TERMS, weights, COEFFICIENTS, strict=True)
    ]
    count = f"{len(chances)} findings of {len(verdicts)} recordings."
    scores = f"Brier score with a stack left out: {brier:.3f}; of the mean share alone: {plain:.3f}."
    shown = reliability([(example.shown, example.is_right) for example in found_examples])
    return "\n\n".join(
        [
            markdown(["term", "fitted", "told to users"], rows),
            f"With each stack by a fit without it:\n\n{reliability(chances)}",
            f"As told to users:\n\n{shown}",
            f"{count} {scores}",
        ]
    )


def reliability(chances: Sequence[tuple[float, bool]]) -> str:
    """Return the table of the shares that were right by the chance that was said, with Wilson's intervals."""
    rows = []
    for low, high in pairwise(EDGES):
        among = [(value, is_right) for value, is_right in chances if low <= value < high]
        if among:
            hits = sum(is_right for _, is_right in among)
            span = wilson_share(hits, len(among))
            mean = sum(value for value, _ in among) / len(among)
            rows.append(
                [
                    f"{low:.0%} – {high:.0%}", str(len(among)), f"{mean:.0%}",
                    f"{hits}/{len(among)} = {span.value:.0%} ({span.low:.0%} – {span.high:.0%})",
                ]
            )  # fmt: skip
    return markdown(["chance said", "findings", "mean chance", "right"], rows)
