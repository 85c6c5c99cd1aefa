"""The cheapest of the settings that cannot be told from the best."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from loadrig.base.estimate import Estimate
from loadrig.base.setting import Knob, Setting
from loadrig.base.units import show_size
from loadrig.language.choice import texts_of
from loadrig.language.en.study import StudyChooseTexts
from loadrig.language.labels import label

TEXTS = texts_of(StudyChooseTexts)

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


def cheapest(
    candidates: Sequence[Candidate], knobs: Mapping[str, Knob], base: Setting
) -> tuple[Candidate, str]:
    """Return the candidate with the fewest processes, then threads, then least memory; and why it is.

    Where these are equal: the one with the fewest changes from the base, then the best.
    The reason is a clause such as "it needs the fewest processes"; empty for a single candidate.
    """
    remaining = list(candidates)
    deciding: list[str] = []
    # What decides, the share by which two may differ and still cost the same, and the cost; None: not known.
    costs: tuple[tuple[str, float, Callable[[Candidate], float | None]], ...] = (
        (TEXTS.fewest_processes, 0.0, lambda candidate: _cost(candidate.setting, knobs, PROCESSES)),
        (TEXTS.fewest_threads, 0.0, lambda candidate: _cost(candidate.setting, knobs, THREADS)),
        (TEXTS.least_memory_set, 0.0, lambda candidate: _cost(candidate.setting, knobs, MEMORY)),
        (TEXTS.least_memory_least, SAME_MEMORY, _peak),
        (TEXTS.fewest_changes_from, 0.0, lambda candidate: _changes(candidate.setting, base)),
    )
    for words, within, cost in costs:
        values = [value for candidate in remaining if (value := cost(candidate)) is not None]
        if len(values) < len(remaining):
            continue
        least = min(values)
        equal = [
            candidate
            for candidate, value in zip(remaining, values, strict=True)
            if value <= least * (1 + within)
        ]
        if len(equal) < len(remaining):
            deciding.append(words.format(least=show_size(least)))
        remaining = equal
    if len(remaining) > 1:
        deciding.append(TEXTS.best_figure_among)
    chosen = max(remaining, key=lambda candidate: candidate.lead)
    return chosen, TEXTS.has(label(", then ").join(deciding)) if deciding else ""


def _peak(candidate: Candidate) -> float | None:
    return candidate.memory.value if candidate.memory else None


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
