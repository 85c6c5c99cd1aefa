"""The cheapest of the settings that cannot be told from the best."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from loadrig.base import members
from loadrig.base.estimate import Estimate
from loadrig.base.setting import Knob, Setting
from loadrig.base.units import show_size
from loadrig.plan.model import Plan

PROCESSES, THREADS, MEMORY = 3, 2, 1
"""Kinds of cost, as in Knob.cost."""

SAME_MEMORY = 0.05
"""Share by which peaks of memory may differ and still be the same: they differ by it from run to run."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Setting that may be chosen. lead: how good it is, larger is better. memory: its peak, if known."""

    number: int
    setting: Setting
    lead: float
    memory: Estimate | None


def catalogue(plan: Plan) -> Mapping[str, Knob]:
    """Return the knobs that the plan's target knows, by name."""
    module = members.load("loadrig.target", plan.target.member)
    knobs: Mapping[str, Knob] = (
        module.knobs(plan.target.options) if hasattr(module, "knobs") else module.KNOBS
    )
    return knobs


def cheapest(
    candidates: Sequence[Candidate], knobs: Mapping[str, Knob], base: Setting
) -> tuple[Candidate, str]:
    """Return the candidate with the fewest processes, then threads, then least memory; and why it is.

    Where these are equal: the one with the fewest changes from the base, then the best.
    The reason is a clause such as "it needs the fewest processes"; empty for a single candidate.
    """
    remaining = list(candidates)
    deciding: list[str] = []
    for kind, words in ((PROCESSES, "processes"), (THREADS, "threads"), (MEMORY, "memory set aside")):
        costs = {candidate.number: _cost(candidate.setting, knobs, kind) for candidate in remaining}
        least = min(costs.values())
        kept = [candidate for candidate in remaining if costs[candidate.number] == least]
        if len(kept) < len(remaining):
            deciding.append(f"the fewest {words}" if kind != MEMORY else f"the least {words}")
        remaining = kept
    remaining = _least_memory(remaining, deciding)
    changes = {candidate.number: _changes(candidate.setting, base) for candidate in remaining}
    fewest = min(changes.values())
    kept = [candidate for candidate in remaining if changes[candidate.number] == fewest]
    if len(kept) < len(remaining):
        deciding.append("the fewest changes from the base")
    chosen = max(kept, key=lambda candidate: candidate.lead)
    if len(kept) > 1:
        deciding.append("the best figure among equals in cost")
    return chosen, f"it has {', then '.join(deciding)}" if deciding else ""


def _least_memory(candidates: list[Candidate], deciding: list[str]) -> list[Candidate]:
    if any(candidate.memory is None for candidate in candidates) or len(candidates) < 2:
        return candidates
    peaks = {candidate.number: candidate.memory.value for candidate in candidates if candidate.memory}
    least = min(peaks.values())
    kept = [candidate for candidate in candidates if peaks[candidate.number] <= least * (1 + SAME_MEMORY)]
    if len(kept) < len(candidates):
        deciding.append(f"the least memory ({show_size(least)})")
    return kept


def _cost(setting: Setting, knobs: Mapping[str, Knob], kind: int) -> float:
    """Return the sum of the knobs of one kind of cost; a knob that is not set counts with its default."""
    total = 0.0
    for name, knob in knobs.items():
        if knob.cost == kind:
            value = setting.get(name, knob.default)
            if isinstance(value, int | float) and math.isfinite(value):
                total += float(value)
    return total


def _changes(setting: Setting, base: Setting) -> int:
    return sum(setting.get(name) != base.get(name) for name in {*setting, *base})
