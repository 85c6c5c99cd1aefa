"""Which trials of both sides ran side by side: only those may be compared pair by pair.

Blocks of one study are pairs by their number. Runs apart are pairs where they took turns (A B A B, or
A B B A): what drifts with time then hits both alike. Two studies one after the other are no pairs,
however many blocks they have: what changed between them would count as a difference of the two.
"""

from dataclasses import dataclass
from typing import Literal

from loadrig.comparing.side import Measured, Side

Block = tuple[Measured, ...]
How = Literal["blocks", "turns", "apart"]

MOST_LEFT = 0.25
"""Where more of the blocks of the shorter side have no neighbour of the other, they did not take turns."""


@dataclass(frozen=True)
class Pairing:
    """How trials stand side by side. pairs: of blocks, A's first; empty where they ran apart.

    is_one_sided: A came first in every pair, so that what drifts favours one of them.
    """

    how: How
    pairs: tuple[tuple[Block, Block], ...]
    is_one_sided: bool = False


def pairing(a: Side, b: Side) -> Pairing:
    """The pairs of two sides, by the blocks of their study or by the order in which they ran."""
    if len(a.runs) == len(b.runs) == 1 and a.runs[0].resolve() == b.runs[0].resolve():
        own, other = ({trials[0].block: trials for trials in side.blocks} for side in (a, b))
        common = [number for number in own if number in other]
        if common:
            return _made("blocks", [(own[number], other[number]) for number in common])
    return _in_turns(a, b)


def _in_turns(a: Side, b: Side) -> Pairing:
    """Neighbours in time, one of each side; none where one side ran first and then the other."""
    if not all(trial.began_s for side in (a, b) for trial in side.usable):
        return Pairing("apart", ())
    line = sorted(
        [(_began(block), 0, block) for block in a.blocks] + [(_began(block), 1, block) for block in b.blocks],
        key=lambda one: one[0],
    )
    pairs, place = [], 0
    while place + 1 < len(line):
        (_, one, first), (_, other, second) = line[place : place + 2]
        if one == other:
            place += 1
            continue
        pairs.append((first, second) if one == 0 else (second, first))
        place += 2
    shorter = min(len(a.blocks), len(b.blocks))
    if len(pairs) < 2 or len(pairs) < (1 - MOST_LEFT) * shorter:
        return Pairing("apart", ())
    return _made("turns", pairs)


def _made(how: How, pairs: list[tuple[Block, Block]]) -> Pairing:
    ahead = [_began(first) < _began(second) for first, second in pairs]
    return Pairing(how, tuple(pairs), is_one_sided=len(pairs) > 2 and len(set(ahead)) == 1)


def _began(block: Block) -> float:
    return sum(trial.began_s for trial in block) / len(block)
