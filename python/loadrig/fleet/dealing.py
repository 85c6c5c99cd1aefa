"""Generators of a large fleet, dealt to the mergers of their frames."""

from itertools import pairwise


def dealt(count: int, mergers: int) -> list[range]:
    """Return the generators of each merger: as many each as can be, and none of them without any."""
    mergers = min(mergers, count)
    cuts = [count * number // mergers for number in range(mergers + 1)]
    return [range(first, last) for first, last in pairwise(cuts)]
