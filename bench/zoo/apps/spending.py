"""CPU time that applications spend on purpose."""

import threading
import time

STRETCH_S = 0.1
"""Length of a stretch of background work and the pause after it, in seconds."""


def work(rounds: int) -> int:
    """Spend some of the interpreter's time."""
    total = 0
    for n in range(rounds):
        total += n * n % 7
    return total


def begin_statistics(share: float) -> None:
    """Begin to keep figures fresh in the background, in a share of a core."""

    def keep() -> None:
        while True:
            end = time.monotonic() + share * STRETCH_S
            while time.monotonic() < end:
                work(2_000)
            time.sleep((1 - share) * STRETCH_S)

    if share:
        threading.Thread(target=keep, daemon=True, name="statistics").start()
