"""Use of a machine's cores, from the series of the probe `system_cpu`: in use by anybody, or stolen."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from loadrig.base.later import Later
from loadrig.recording.steps import Floats

if TYPE_CHECKING:
    import numpy as np
else:
    np = Later("numpy")

Subjects = Callable[[str, str, str], Mapping[str, Floats]]
"""Series of a component, a probe and a metric on the steps of the load, by subject."""

USED = ("user_s", "nice_s", "system_s", "irq_s", "softirq_s")
"""States of a core in which the core is in use. Time stolen by a hypervisor is not among them."""


def used(subjects: Subjects, host: str, cpus: Iterable[int] = ()) -> "Floats | None":
    """Return how many cores of a machine are in use; where cores are named, only those count."""
    parts = [summed(_named_cores(subjects(host, "system_cpu", metric), cpus)) for metric in USED]
    return summed({str(n): part for n, part in enumerate(parts) if part is not None})


def stolen(subjects: Subjects, host: str, cpus: Iterable[int] = ()) -> "Floats | None":
    """Return how many cores of a machine the hypervisor has taken.

    Where cores are named, only those count.
    """
    return summed(_named_cores(subjects(host, "system_cpu", "steal_s"), cpus))


def _named_cores(by_core: Mapping[str, Floats], cpus: Iterable[int]) -> Mapping[str, Floats]:
    wanted = {f"cpu{number}" for number in cpus}
    return {core: values for core, values in by_core.items() if not wanted or core in wanted}


def summed(parts: Mapping[str, Floats]) -> "Floats | None":
    """Return the sum of parts, or None where there is no part.

    A part whose value is unknown in a step adds nothing to that step.
    """
    if not parts:
        return None
    table = np.array(list(parts.values()))
    total: Floats = np.nansum(table, axis=0)
    total[~np.isfinite(table).any(axis=0)] = np.nan
    return total
