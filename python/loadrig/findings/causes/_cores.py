"""Who used the cores that a program may run on: itself, other programs of the case, the rig, strangers."""

import math
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from loadrig.findings.case import Case
from loadrig.findings.tier import Tier
from loadrig.recording.steps import Floats

IN_PROGRAMS = ("user_s", "nice_s", "system_s")
IN_INTERRUPTS = ("irq_s", "softirq_s")
"""Time in interrupts is mostly the network's, which the load itself causes: it is nobody's in particular."""

WATCHING = 0.05
"""Cores that the rig itself takes on a machine where it watches. Source: `python -m bench`, probe costs."""

A_REQUEST_S = 200e-6
"""Where the generator did not say: CPU time that a request costs it at most, a connection for each included.
28 µs at 36,000/s to 320 µs at 90/s, where most of it is waking up, were seen. An upper bound is what is
wanted: of what is left over somebody is accused."""


@dataclass(frozen=True, eq=False)
class Use:
    """Use of some cores in the measured part, in cores. cores: their numbers.

    busy: by programs; interrupts: by none in particular; stolen: by other virtual machines. ours: at most so
    much of busy was used by programs of the case, the one asked about too; rig: at most so much by the rig
    and its generator. unseen: programs of this machine whose use is not known. sharers: those whose use is.
    """

    cores: tuple[int, ...]
    busy: float
    interrupts: float
    stolen: float
    ours: float
    rig: float
    unseen: tuple[str, ...]
    sharers: tuple[Tier, ...]

    @property
    def foreign(self) -> float:
        """Cores that were used by programs that are none of ours, at least."""
        left = self.busy - self.ours - self.rig
        return max(0.0, left) if math.isfinite(left) else math.nan

    @property
    def formula(self) -> str:
        """The arithmetic of `foreign`."""
        return f"{self.busy:.2f} cores busy - ours {self.ours:.2f} - the rig {self.rig:.2f} at most"

    @property
    def full_share(self) -> float:
        """Of these cores, what was in use or taken away."""
        return min(1.0, (self.busy + self.interrupts + self.stolen) / len(self.cores))


def use_of(case: Case, tier: Tier) -> Use | None:
    """The use of the cores that a program may run on; None where the machine's was not read."""
    host = case.tiers.get(tier.host)
    if host is None or host.track("system_cpu.user_s", f"cpu{(tier.cpus or (0,))[0]}") is None:
        return None
    every = host.parts("system_cpu.user_s")
    cores = tier.cpus or tuple(sorted(int(name.removeprefix("cpu")) for name in every))

    def sum_of(states: tuple[str, ...]) -> Floats:
        total = np.zeros(case.is_inside.size)
        for core in cores:
            for state in states:
                track = host.track(f"system_cpu.{state}", f"cpu{core}")
                if track is not None:
                    total += track.values
        return total

    around = [one for one in case.programs if one.host == tier.host and _may_meet(one, cores)]
    sharers = tuple(one for one in around if one.cpu is not None)
    return Use(
        cores,
        _mean(case, sum_of(IN_PROGRAMS)),
        _mean(case, sum_of(IN_INTERRUPTS)),
        _mean(case, sum_of(("steal_s",))),
        sum(one.cpu.mean for one in sharers if one.cpu is not None),
        _rig(case, tier, cores),
        tuple(one.name for one in around if one.cpu is None and _is_local(one)),
        sharers,
    )


def _mean(case: Case, values: Floats) -> float:
    known = values[case.is_inside & np.isfinite(values)]
    return float(known.mean()) if known.size else math.nan


def _may_meet(one: Tier, cores: Collection[int]) -> bool:
    return not one.cpus or bool(set(one.cpus) & set(cores))


def _is_local(one: Tier) -> bool:
    return one.pid is not None or one.address.startswith(("127.", "[::1]", "localhost", "/"))


def _rig(case: Case, tier: Tier, cores: Collection[int]) -> float:
    if "/" in tier.name:
        return WATCHING  # the generator is on another machine
    if case.generator_cpus and not set(case.generator_cpus) & set(cores):
        return WATCHING
    load = case.load
    if load.generator_cpu is not None:
        return min(float(len(cores)), WATCHING + load.mean(load.generator_cpu))
    return min(float(len(cores)), WATCHING + A_REQUEST_S * load.ended_rps)
