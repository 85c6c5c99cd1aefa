"""Sentences of `memory_pressure` in English."""


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
