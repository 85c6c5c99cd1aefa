"""Numbers that mean the same in several modules of this room, each with its unit and its reason."""

FULL_SHARE = 0.85
"""Share of the cores that a program may use, 0 to 1, from which on they are full; of one core where it does
one thing at a time. A request that needs 1 ms waits there for 6 (1 / (1 - U), M/M/1), and the rest is lost in
pauses of an uneven load. Above it use no longer follows the load."""

AT_LIMIT = 0.95
"""Share of a limit of the kernel in use, 0 to 1, from which on it is reached: memory is taken back only
there, and some entries of a full table end by themselves."""

FAIR_SHARE = 0.5
"""Share of the time in which a thread of the programs measured ran or wanted to, 0 to 1, below which cores
that others fill hold nobody up: who asks for less than its fair share of a core has one at once."""
