"""Frequency of Python's garbage collection: seldom while a command starts, often while it loads.

What is made while a command starts stays, and to look through it again and again takes a tenth of the start.
What is made while load runs is thrown away, and some of it refers to itself (Arrow's batches do): looked at
as seldom, a soak grows by tens of megabytes before the first of it is given back.
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
