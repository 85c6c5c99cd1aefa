"""The seed of a run whose plan names none: drawn once, written into the run's own plan.

A seed that is always the same makes the same mistake each time: Poisson arrivals at 1,000 a second were 978
in every run of the program. One seed for all trials of a run is kept, as settings are then compared under
the same arrivals.
"""

import os
from dataclasses import replace

from loadrig.plan.model import Plan
from loadrig.plan.node import at, plain
from loadrig.plan.overrides import rewritten
from loadrig.plan.syntax import parse

MOST = 2**31 - 1
"""Largest seed that is drawn: with the numbers of blocks added it still fits every library."""

KEY = "trial.seed"


def drawn() -> int:
    """Draw a seed from the operating system's random numbers, from 1 to MOST."""
    # 64 bits: that some seeds are drawn more often by one part in 2^33 is of no account.
    return 1 + int.from_bytes(os.urandom(8)) % MOST


def seeded(plan: Plan, seed: int | None = None) -> Plan:
    """Return the plan with a seed, its text included; a plan that names a seed stays as it is.

    seed: by default a fresh one.
    """
    if plan.trial.seed is not None:
        return plan
    seed = drawn() if seed is None else seed
    text = rewritten(plan.text, {KEY: str(seed)})
    return replace(plan, trial=replace(plan.trial, seed=seed), text=text)


def seed_in(text: str) -> int | None:
    """Return the seed that the text of a plan names; None where it names none."""
    root, _ = parse(text, "the run's plan")
    node = at(root, *KEY.split("."))
    seed = None if node is None else plain(node)
    return seed if isinstance(seed, int) else None
