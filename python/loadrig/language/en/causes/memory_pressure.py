"""Sentences of `memory_pressure` in English, and the sections of its page.

## Signature

The group is at its memory limit, or the machine has little left; and tasks stand still for memory (PSI), or
read back from the disk what had been thrown out (major faults, swap).

## Data

Memory and limit of the control group, pages that it reads back, available memory of the machine, PSI of
memory, major faults of the program, pages swapped in; the time that requests wait for the disk, and CPU time
in the kernel: finding room for a page and reading it back costs both.

## Deciding test

`--prove` starts fewer workers, or gives less to heap or caches, in turns, where these are knobs: the waiting
goes, and throughput rises. A higher limit shows the same.

## Guard

A group that has filled its limit with cached files runs into it all the time and loses nothing. So the
time that is lost decides, not the count. Files that are read for the first time make major faults as well.
While pages are read back, threads, the disk and whatever is done one request at a time look short, too.

## Fix

More memory, fewer workers, a smaller heap or cache; a leak, if it grows.
"""


class MemoryPressureTexts:
    """Sentences about memory that is short."""

    title = "memory is short"
    stalls_unread = "the time that tasks waited for memory was not read: boot with psi=1"
    mend = (
        "raise the memory limit (docker update --memory; Kubernetes: resources.limits.memory), or start"
        " fewer workers or give heap and caches less"
    )
    decides = "the same load with twice the memory, or half the workers: the waiting vanishes"

    def waited_for_memory(self, share: str) -> str:
        return f"tasks waited for memory {share} of the time"

    def waited_for_memory_or_disk(self, share: str) -> str:
        return f"tasks waited for memory, or for the disk to read it back, {share} of the time"

    def reads_take(self, share: str) -> str:
        return (
            f"reading evicted pages back, and making room for them, takes {share} of a request, waiting for"
            " other requests left out"
        )

    def read_back(self, pages: str) -> str:
        return f"it read {pages} evicted pages back from the disk every second"

    def swapped_in(self, pages: str) -> str:
        return f"{pages} pages were swapped in every second"

    def ran_into_limit(self, group: str, times: str) -> str:
        return f"the control group {group} reached its memory limit {times} times a second"
