"""Orders to a run while its load goes on, as small files in its folder: no rig listens for them anywhere.

Whoever steers writes RUN/orders/ID.json; the rig takes it, carries it out or refuses it, and adds a line to
RUN/orders/answers.jsonl. The folder is this user's alone, so nobody else can steer the load; what cannot be
read as an order is refused and removed.
"""

import contextlib
import os
import time
from typing import Annotated, Literal

import msgspec

from loadrig.base import own_files
from loadrig.base.documents import Document, Says
from loadrig.base.errors import RigError
from loadrig.recording.layout import RunFolder
from loadrig.recording.lines import objects
from loadrig.recording.orders import ANSWERS, TakenOrder

MOST_BYTES = 4096
"""Largest size of an order, in bytes: a few hundred are needed, and a mark may have some lines of text."""

MOST_TEXT = 500
"""Largest number of characters in a mark's text: it stands beside the time axis."""


class Pause(Document, frozen=True, tag_field="do", tag="pause"):
    """Order to send nothing until `resume`."""


class Resume(Document, frozen=True, tag_field="do", tag="resume"):
    """Order to go on with the load as it was before `pause`."""


class End(Document, frozen=True, tag_field="do", tag="end"):
    """Order to end the load now and to keep what was measured."""


class SetLevel(Document, frozen=True, tag_field="do", tag="level"):
    """Order to give the load another level."""

    to: Annotated[float, Says("users, or requests a second, as the plan's load has it"), msgspec.Meta(ge=0)]


class HandMark(Document, frozen=True, tag_field="do", tag="mark"):
    """Order to note an event by hand."""

    text: Annotated[str, Says("what happened"), msgspec.Meta(min_length=1, max_length=MOST_TEXT)]


Order = Pause | Resume | End | SetLevel | HandMark


class OrderAnswer(Document, frozen=True, kw_only=True):
    """Outcome of an order."""

    id: Annotated[str, Says("which order")]
    wall_ns: Annotated[int, Says("when it was carried out or refused, in ns since 1970")]
    outcome: Annotated[Literal["done", "refused"], Says("what came of it")]
    text: Annotated[str, Says("what was done, or why it was not")]


def ask(run: RunFolder, order: Order) -> str:
    """Give an order to the rig that runs in a folder; return the order's id. Raises OSError."""
    name = f"{time.time_ns():020d}-{os.getpid()}"
    with own_files.opened(run.orders, make=True) as folder:
        own_files.write(folder, f"{name}.json", msgspec.json.encode(order))
    return name


def answers(run: RunFolder) -> list[OrderAnswer]:
    """Return the answers to the orders of a run so far, in the order of time."""
    rows = []
    with contextlib.suppress(OSError, RigError):
        rows = list(objects(run.orders / ANSWERS))
    read = []
    for row in rows:
        with contextlib.suppress(msgspec.ValidationError):
            read.append(msgspec.convert(row, OrderAnswer))
    return read


def order_in(folder: int, name: str) -> TakenOrder:
    """Return the order in a file of an open folder, or why it is none."""
    order_id = name.removesuffix(".json")
    try:
        content = own_files.read(folder, name, MOST_BYTES)
        return TakenOrder(order_id, msgspec.json.decode(content, type=Order))
    except (OSError, ValueError) as error:
        return TakenOrder(order_id, None, f"it is no order: {error}")
