"""Sentences of `oom_kill` in English, and the sections of its page.

## Signature

The kernel counts a kill, and at that moment a process of the program is gone; the requests that it had
fail, and until it is back there are fewer to serve.

## Data

The counts of kills (memory.oom_control or memory.events of the group, vmstat of the machine), births and
deaths of processes and workers, failures second by second.

## Deciding test

More memory, or half the workers: no more kills, and the failures at those moments stop. The kernel's own
count says what happened, so `--prove` does not let it happen again.

## Guard

A process that ends at another time ended for another reason: a planned restart, a health check, a time-out.
A kill on the machine that took none of the programs measured is somebody else's. A CPU limit never kills.

## Fix

A higher limit, fewer workers or less memory for each; where memory grows with every request, mend the leak.
"""


class OomKillTexts:
    """Sentences about processes that the kernel killed for lack of memory."""

    title = "the kernel killed a process for lack of memory"
    no_proof = "the kernel itself reports it; repeat the run with twice the memory, or half the workers"
    mend = (
        "raise the memory limit (docker update --memory; Kubernetes: resources.limits.memory), start"
        " fewer workers, or recycle workers before they grow that large (gunicorn: --max-requests)"
    )
    decides = "the same load with twice the memory: no process is killed"

    def kernel_killed(self, times: int) -> str:
        return f"the kernel killed for lack of memory {'once' if times == 1 else f'{times} times'}"

    def ended_then(self, count: int, program: str) -> str:
        processes = "a process" if count == 1 else f"{count} processes"
        return f"{processes} of {program} ended at that moment"

    def none_ended_then(self, program: str) -> str:
        return f"no process of {program} ended at that moment: it was another program"

    def failed_after_kills(self, share: str) -> str:
        return f"{share} of the failures came at a kill or before the process had restarted"

    def were_killed(self, count: int) -> str:
        return "one of its processes was killed" if count == 1 else f"{count} of its processes were killed"

    def largest_had(self, size: str) -> str:
        return f", the largest with {size}"

    def under_limit(self, limit: str) -> str:
        return f" under a limit of {limit}"
