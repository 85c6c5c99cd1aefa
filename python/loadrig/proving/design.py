"""Order of slots and trials: shuffled blocks, each with every change once and the base beside them.

What drifts within a run (caches that fill, a neighbour who comes) hits every change alike, as each block has
all of them and the order within a block is random. Source: Abedi & Brecht, ICPE 2017 (randomised multiple
interleaved trials); Box, Hunter & Hunter 2005, Statistics for Experimenters, ch. 4.
"""

import random
from collections.abc import Sequence

from loadrig.stats.elasticity import BASE

TWICE_FROM = 3
"""Number of changes from which on the base comes twice in a block. All changes are compared with the base,
so its noise is in every comparison."""

LOOKS_AT = (3, 5, 8, 12, 18, 27)
"""Numbers of blocks after which the results are judged: each time about half as many again."""


def block(changes: Sequence[int], chance: random.Random) -> list[int]:
    """Return the slots of one block in random order: BASE, which changes nothing, and every change once."""
    row = [BASE, *changes] + ([BASE] if len(changes) >= TWICE_FROM else [])
    chance.shuffle(row)
    return row
