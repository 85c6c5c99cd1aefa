"""Orders of a run as its rig takes them from RUN/orders/, and answers them there; see recording.steering.

What reads documents is imported only once an order lies there: the first request need not wait for it.
"""

import contextlib
import json
import os
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from loadrig.base import own_files, private
from loadrig.recording.layout import RunFolder

if TYPE_CHECKING:
    from loadrig.recording.steering import Order

ANSWERS = "answers.jsonl"

MOST_AT_ONCE = 100
"""Orders that are taken at one look. A person gives one at a time, so more are a fault and wait."""


@dataclass(frozen=True, slots=True)
class TakenOrder:
    """Order that the rig has taken from the folder. order: None where the file is no order, and why then."""

    id: str
    order: "Order | None"
    why: str = ""


class OrderInbox:
    """Orders of a run as its rig takes them. Cheap to look into while there are none."""

    def __init__(self, run: RunFolder) -> None:
        self._run = run

    def take(self) -> list[TakenOrder]:
        """Return the orders that wait, oldest first, and remove their files."""
        orders: list[TakenOrder] = []
        with contextlib.suppress(OSError), own_files.opened(self._run.orders) as folder:
            waiting = [name for name in own_files.names(folder) if name.endswith(".json") and name[0] != "."]
            for name in waiting[:MOST_AT_ONCE]:
                from loadrig.recording import steering

                orders.append(steering.order_in(folder, name))
                own_files.remove(folder, name)
        return orders

    def answer(self, order_id: str, outcome: Literal["done", "refused"], text: str) -> None:
        """Keep what came of an order; a folder that cannot be written loses only the answer."""
        answer = {"id": order_id, "wall_ns": time.time_ns(), "outcome": outcome, "text": text}
        line = json.dumps(answer, ensure_ascii=False).encode(errors="replace") + b"\n"
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with contextlib.suppress(OSError), own_files.opened(self._run.orders) as folder:
            handle = os.open(ANSWERS, flags, private.FILE_MODE, dir_fd=folder)
            try:
                os.write(handle, line)
            finally:
                os.close(handle)
