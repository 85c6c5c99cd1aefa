"""Sentences of `oom_kill` in English."""


class OomKillTexts:
    """Sentences of `causes.oom_kill`."""

    title = "the kernel killed a process for lack of memory"
    no_proof = "the kernel itself has said so; run it again with twice the memory, or half the workers"
    mend = (
        "raise the memory limit (docker update --memory; Kubernetes: resources.limits.memory), start fewer"
        " workers, or recycle them before they are that large (gunicorn: --max-requests)"
    )
    decides = "the same load with twice the memory: no process is killed"

    def times(self, own: str) -> str:
        return f"{own} times"

    def processes(self, count: str) -> str:
        return f"{count} processes"

    def ended_moment(self, processes: str, name: str) -> str:
        return f"{processes} of {name} ended at that moment"

    def no_process_ended(self, name: str) -> str:
        return f"no process of {name} ended at that moment: it was another program"

    def failures_came_kill(self, share: str) -> str:
        return f"{share} of the failures came at a kill or before the process was back"

    def kernel_killed_lack(self, times: str) -> str:
        return f"the kernel killed for lack of memory {times}"

    def the_largest_with(self, had: str) -> str:
        return f", the largest with {had}"

    def under_limit(self, limit: str) -> str:
        return f" under a limit of {limit}"

    def effect(self, processes: str, is_one: bool, word_2: str, word_3: str) -> str:
        return f"{processes} of it {'was' if is_one else 'were'} killed{word_2}{word_3}"
