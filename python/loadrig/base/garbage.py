"""How often Python looks for garbage in cycles: seldom while a command starts, often while it loads.

Objects made while a command starts stay, and to look through them again and again takes a tenth of the start.
Objects made while load runs are thrown away, and some of them refer to themselves (Arrow's batches do):
collected as seldom as at the start, a soak grows by tens of megabytes before the first memory is given back.
"""

import gc

SELDOM, OFTEN = 100_000, 10_000
"""Numbers of objects that are alive more than before, at which Python collects garbage (700 by default)."""


def look_seldom() -> None:
    """Collect garbage seldom, while the program starts. A caller that imports loadrig keeps its own rule."""
    gc.set_threshold(SELDOM)


def look_often() -> None:
    """Collect garbage often from now on. Do nothing unless it was collected seldom.

    Objects that exist now are left out of every later collection: they stay until the program ends.
    """
    if gc.get_threshold()[0] == SELDOM:
        gc.freeze()
        gc.set_threshold(OFTEN)
