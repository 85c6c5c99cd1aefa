"""Outcomes of a proof as they come, for whoever watches it: RUN/proof/blocks.jsonl, a line a slot or trial.

The proof itself goes by proof.json alone, and a full disk or a folder that is gone never stops it.
"""

import contextlib
from typing import Annotated

import msgspec

from loadrig.base import own_files
from loadrig.base.documents import Document, Says
from loadrig.recording.layout import RunFolder


class BlockOutcome(Document, frozen=True, kw_only=True):
    """Outcome of the unchanged server or of a change, in one block."""

    trial: Annotated[int, Says("number of the trial in the proof")]
    is_live: Annotated[bool, Says("whether changes were made while its load ran, block after block")]
    block: Annotated[int, Says("number of the block, from 0")]
    title: Annotated[str, Says('what was changed; `""` for nothing')]
    measure: Annotated[str, Says("name of the outcome: `throughput`, `latency`, `dips`, `growth`")]
    unit: Annotated[str, Says("unit of the outcome")]
    value: Annotated[float, Says("the outcome")]


def add(proof: RunFolder, outcome: BlockOutcome) -> None:
    """Append an outcome to the file of a proof."""
    line = msgspec.json.encode(outcome) + b"\n"
    with contextlib.suppress(OSError), own_files.opened(proof.path) as folder:
        own_files.append(folder, proof.blocks.name, line)
