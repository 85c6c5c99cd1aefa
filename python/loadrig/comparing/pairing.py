"""Trials of both sides that ran side by side: only those may be compared pair by pair.

Blocks of one study are pairs by their number. Runs apart are pairs where they took turns (A B A B, or
A B B A): what drifts with time then hits both alike. Two studies one after the other are no pairs,
however many blocks they have: what changed between them would count as a difference of the two.
"""

from dataclasses import dataclass

from loadrig.comparing.document import Turns
from loadrig.comparing.side import Measured, Side

Block = tuple[Measured, ...]

MOST_LEFT = 0.25
"""Share of the shorter side's blocks without a neighbour of the other, above which they took no turns."""


@dataclass(frozen=True)
class Pairing:
    """Trials side by side. pairs: of blocks, A's first; empty where they ran apart.

    is_one_sided: A came first in every pair, so that what drifts favours one of them.
    """

    how: Turns
    pairs: tuple[tuple[Block, Block], ...]
    is_one_sided: bool = False


def pairing(a: Side, b: Side) -> Pairing:
    """Return the pairs of two sides, by the blocks of their study or by the order in which they ran."""
    if len(a.runs) == len(b.runs) == 1 and a.runs[0].resolve() == b.runs[0].resolve():
        blocks_a, blocks_b = ({trials[0].block: trials for trials in side.blocks} for side in (a, b))
        common = [number for number in blocks_a if number in blocks_b]
        if common:
            return _with_order("blocks", [(blocks_a[number], blocks_b[number]) for number in common])
    return _in_turns(a, b)


def _in_turns(a: Side, b: Side) -> Pairing:
    """Pair neighbours in time, one of each side; no pairs where one side ran first and then the other."""
    if not all(trial.began_s for side in (a, b) for trial in side.usable):
        return Pairing("apart", ())
    line = sorted(
        [(_began(block), 0, block) for block in a.blocks] + [(_began(block), 1, block) for block in b.blocks],
        key=lambda entry: entry[0],
    )
    pairs, place = [], 0
    while place + 1 < len(line):
        (_, side_of_first, first), (_, side_of_second, second) = line[place : place + 2]
        if side_of_first == side_of_second:
            place += 1
            continue
        pairs.append((first, second) if side_of_first == 0 else (second, first))
        place += 2
    shorter = min(len(a.blocks), len(b.blocks))
    if len(pairs) < 2 or len(pairs) < (1 - MOST_LEFT) * shorter:
        return Pairing("apart", ())
    return _with_order("turns", pairs)


def _with_order(how: Turns, pairs: list[tuple[Block, Block]]) -> Pairing:
    ahead = [_began(first) < _began(second) for first, second in pairs]
    return Pairing(how, tuple(pairs), is_one_sided=len(pairs) > 2 and len(set(ahead)) == 1)


def _began(block: Block) -> float:
    return sum(trial.began_s for trial in block) / len(block)
