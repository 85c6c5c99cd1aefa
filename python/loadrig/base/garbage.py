"""How often Python looks for garbage in cycles: seldom while a command starts, often while it loads.

What is made while a command starts stays, and to look through it again and again takes a tenth of the start.
What is made while load runs is thrown away, and some of it refers to itself (Arrow's batches do): looked at
as seldom, a soak grows by tens of megabytes before the first of it is given back.
"""

import gc

SELDOM, OFTEN = 100_000, 10_000
"""Objects made, and not thrown away by themselves, before it looks (700 by default)."""


def look_seldom() -> None:
    """For the program's own start; who calls loadrig from a program has a rule of its own."""
    gc.set_threshold(SELDOM)


def look_often() -> None:
    """From here on garbage is to be expected. Does nothing unless it was looked for seldom.

    What there is now is left out of every later look: it stays until the program ends.
    """
    if gc.get_threshold()[0] == SELDOM:
        gc.freeze()
        gc.set_threshold(OFTEN)
