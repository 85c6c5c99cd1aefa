"""Sentences of `memory_pressure` in English."""


class MemoryPressureTexts:
    """Sentences of `causes.memory_pressure`."""

    title = "memory is short"
    memory_or_disk = "memory, or for the disk to read it back,"
    how_long_tasks = "how long tasks waited for memory was not read: boot with psi=1"
    mend = (
        "raise the memory limit (docker update --memory; Kubernetes: resources.limits.memory), or start"
        " fewer workers or give heap and caches less"
    )
    decides = "the same load with twice the memory, or half the workers: the waiting goes"
    read_pages_back = "it read {} pages back from the disk every second"
    pages_swapped_every = "{} pages were swapped in every second"
    how_much_memory = "how much memory is left was not read"
    no_limit_read = "no limit was read"

    def tasks_waited_time(self, what: str, waits: str) -> str:
        return f"tasks waited for {what} {waits} of the time"

    def group_ran_into(self, group: str) -> str:
        return f"the group {group} ran into its limit {{}} times a second"

    def group_uses_may(self, high: str, median: str) -> str:
        return f"its group uses {high} of the {median} that it may"

    def machine_memory(self, share: str) -> str:
        return f"{share} of the machine's memory was left"
