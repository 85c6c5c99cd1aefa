"""Resources that requests get one after the other, by causes that stand by signs: a lock, a disk.

Who has the turn keeps it for as long as it waits itself. So a lock whose holder makes data durable, or waits
for pages that are read back, is not short: it is the queue for the disk or for memory.
"""

from collections.abc import Iterable, Iterator

from loadrig.judgement.evidence import Finding
from loadrig.judgement.facts.case import Case
from loadrig.judgement.facts.disks import EACH_REQUEST, are_flushed_in_turn, gain_of_turns
from loadrig.judgement.facts.memory import reads_back
from loadrig.judgement.limits.kinds import Resource

ONE_AFTER_THE_OTHER = frozenset({"row_lock", "lock_contention", "disk_io"})
"""Causes that say, by signs of their own, that requests get something one after the other: a lock, a disk."""

WAITS_WITHIN = frozenset({"lock_contention", "disk_io"})
"""Causes whose signs show as well where whoever has the turn waits for pages that are read back."""


def turns(case: Case, standing: Iterable[Finding]) -> Iterator[Resource]:
    """Yield what requests get one after the other. standing: causes that stand by signs of their own."""
    likely = [finding for finding in standing if finding.verdict == "likely"]
    short = {
        finding.component
        for finding in likely
        if finding.cause == "memory_pressure" and _reads_back(case, finding.component)
    }
    flushing = {finding.component for finding in likely if _takes_turns_at_disk(case, finding)}
    for finding in likely:
        is_of_memory = finding.cause in WAITS_WITHIN and finding.component in short
        if finding.cause not in ONE_AFTER_THE_OTHER or is_of_memory:
            continue
        if finding.component not in flushing:
            if finding.detail != EACH_REQUEST:  # those that write at the same time are made durable together
                yield Resource("lock", finding.component, 1.0, 1.0, True, cause=finding.cause)
        elif finding.cause == "disk_io":
            gain = gain_of_turns(case, case.tiers[finding.component])
            yield Resource("lock", finding.component, 1.0, 1.0, True, cause=finding.cause, counted_gain=gain)


def _takes_turns_at_disk(case: Case, finding: Finding) -> bool:
    """Return whether a finding is of requests that make their data durable one after the other."""
    if finding.cause != "disk_io" or finding.detail != EACH_REQUEST or finding.component not in case.tiers:
        return False
    return are_flushed_in_turn(case, finding.component)


def _reads_back(case: Case, component: str) -> bool:
    tier = case.tiers.get(component)
    return tier is not None and reads_back(tier)
