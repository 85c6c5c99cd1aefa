"""Room that the hosts of a Ray cluster have for generators, and beside those for mergers."""

from collections.abc import Sequence
from typing import Literal

MERGER_CPUS = 1
"""Cores that Ray keeps free for a merger: it takes half of one, and shares it with nobody who makes load."""


def room_for(cores: Sequence[float], cpus: int, spread: Literal["strict", "pack"]) -> int:
    """Return how many generators there is room for. cores: of each host, those that Ray may give away."""
    if spread == "strict":
        return sum(each >= cpus for each in cores)
    return sum(int(each // cpus) for each in cores)


def mergers_beside(cores: Sequence[float], cpus: int, generators: int) -> int:
    """Return how many mergers there is room for once all generators have theirs, below 0 where they have not.

    A core that is left is a merger's on whichever host it is, so it does not matter where the generators are.
    """
    return (sum(map(int, cores)) - generators * cpus) // MERGER_CPUS
