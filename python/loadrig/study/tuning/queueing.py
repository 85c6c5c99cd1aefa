"""Queueing model that foretells settings not yet tried: more slots help until the cores are full.

A request needs D seconds of a core and W seconds of waiting for others. A slot (a worker or one of its
threads) is held for both, so N slots do at most N / (D + W) requests a second, and m cores at most m / D.
Between them the network is solved exactly: m cores and a delay, N customers (mean value analysis).
So processes are near the cores and threads near 1 + W / D where throughput levels off; what is lost beyond
(memory, switching, locks) the model does not know, and the trials have to say.

Sources: Lazowska, Zahorjan, Graham & Sevcik 1984, Quantitative System Performance, ch. 5 and 6; Seidmann,
Schweitzer & Shalev-Oren 1987, Large Scale Systems 12 (several cores as one fast core and a delay).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from loadrig.base.setting import Knob, Setting
from loadrig.stats import closed
from loadrig.study.choose import PROCESSES, THREADS
from loadrig.study.trials import DoneTrial


@dataclass(frozen=True, slots=True)
class Demand:
    """Demand of a request: cpu_s of a core, wait_s of waiting for others; and how many cores there are."""

    cpu_s: float
    wait_s: float
    cores: float


def slots(setting: Setting, target_knobs: Mapping[str, Knob]) -> float:
    """Return how many requests a setting serves at once: processes times threads; 1 if neither is known."""
    return _product(setting, target_knobs, PROCESSES) * _product(setting, target_knobs, THREADS)


def demand(trial: DoneTrial, target_knobs: Mapping[str, Knob], cores: float) -> Demand | None:
    """Return what a trial at its limit says of a request; None where CPU or throughput was not measured.

    Slots are taken to be all held: (D + W) = slots / throughput, with D read from the CPU. Where fewer were
    held this overstates W, and the trend is the weaker for it; the trials that follow set it right.
    """
    cpu, per_second = trial.measures.get("cpu_per_request"), trial.measures.get("throughput")
    if cpu is None or per_second is None or cpu.value <= 0 or per_second.value <= 0 or cores <= 0:
        return None
    held = slots(trial.setting, target_knobs) / per_second.value
    return Demand(cpu.value, max(0.0, held - cpu.value), cores)


@cache
def throughput(need: Demand, customers: int) -> float:
    """Return requests a second of slots that are never idle: m cores and a delay, by mean value analysis."""
    delay = need.wait_s + need.cpu_s * (need.cores - 1) / need.cores if need.cores > 1 else need.wait_s
    return closed.throughput(customers, delay, [need.cpu_s / need.cores])


def trend(settings: Sequence[Setting], target_knobs: Mapping[str, Knob], need: Demand) -> NDArray[np.float64]:
    """Return the ln(throughput) that the model foretells of each setting."""
    return np.array(
        [math.log(throughput(need, max(1, round(slots(setting, target_knobs))))) for setting in settings]
    )


def _product(setting: Setting, target_knobs: Mapping[str, Knob], cost: int) -> float:
    product = 1.0
    for name, knob in target_knobs.items():
        if knob.cost != cost:
            continue
        value = setting.get(name, knob.default)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            product *= float(value)
    return product
