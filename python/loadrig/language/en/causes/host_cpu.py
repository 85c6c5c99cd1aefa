"""Sentences of `host_cpu` in English."""


class HostCpuTexts:
    """Sentences of `causes.host_cpu`."""

    title = "the CPU is used up"

    def most_cpu_time(self, top: str) -> str:
        return f"most of its CPU time went to {top}"

    def threads_waited_core(self, mean: str) -> str:
        return f"its threads waited for a core {mean} s every second"

    def make_cheaper_or(self, top: str) -> str:
        return f"make {top} cheaper, or more cores, or another instance"
