"""Sentences of `host_cpu` in English."""


class HostCpuTexts:
    """Sentences about a program that uses up the CPU of its machine."""

    title = "the CPU is used up"

    def most_time_in(self, function: str) -> str:
        return f"most of its CPU time went to {function}"

    def waited_for_core(self, seconds: str) -> str:
        return f"its threads waited for a core {seconds} s every second"

    def mend(self, function: str) -> str:
        return f"make {function} cheaper, or add cores or another instance"

    mend_unnamed_node = (
        "more cores or another instance; before that, the function that takes most of the time, "
        "which the next run names with --permit node-inspector"
    )
