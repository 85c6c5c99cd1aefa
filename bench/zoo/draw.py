"""Drawing cases by chance, so that what is recorded first is a fair sample of what there is."""

import random
from collections.abc import Sequence

from bench.zoo.cases import LOADS, SEVERITIES, ZooCase, ZooFault, of_fault

WELL_SHARE = 0.12
"""Share of cases that have no fault at all: enough to say whether one of ten is accused."""

SEVERITY_WEIGHTS = {"invisible": 1, "slight": 2, "mild": 4, "strong": 7, "severe": 6}
"""Times that each severity is drawn beside the others: those without harm say least."""

LOAD_WEIGHTS = {"": 8, "open40": 1, "open60": 2, "open80": 2, "open100": 2, "open120": 1, "ramp": 2}
"""Times that each load is drawn beside the others: the load of its own suits most faults best."""

DECOY_WEIGHTS = {"": 7, "time_wait": 1, "busy_core": 1, "idle_crowd": 1}
"""Times that each decoy is drawn beside the others: most servers have none."""


def drawn(faults: Sequence[ZooFault], well: Sequence[ZooCase], count: int, seed: int) -> list[ZooCase]:
    """Return different cases in the order in which they are drawn; as many as are asked for, or exist.

    Each stack is as likely as any other, however many faults it has, and so is each fault of a stack.
    """
    chance = random.Random(seed)
    stacks = sorted({fault.stack for fault in faults})
    cases: dict[str, ZooCase] = {}
    most = len(faults) * len(SEVERITIES) * len(LOADS)  # without decoys: an end of the drawing for sure
    for _ in range(20 * most):
        if len(cases) >= min(count, most):
            break
        if well and chance.random() < WELL_SHARE:
            case = chance.choice(well)
        else:
            stack = chance.choice(stacks)
            fault = chance.choice([fault for fault in faults if fault.stack == stack])
            decoy = _weighed(chance, DECOY_WEIGHTS)
            decoys = [decoy] if decoy and decoy not in fault.decoys else []
            case = of_fault(fault, _weighed(chance, SEVERITY_WEIGHTS), _weighed(chance, LOAD_WEIGHTS), decoys)
        cases.setdefault(case.name, case)
    return list(cases.values())


def _weighed(chance: random.Random, weights: dict[str, int]) -> str:
    return chance.choices(list(weights), list(weights.values()))[0]
