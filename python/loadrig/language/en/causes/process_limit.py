"""Sentences of `process_limit` in English."""


class ProcessLimitTexts:
    title = "the limit of processes and threads is reached"
    no_proof = (
        "the limit is the group's; raise it (systemctl set-property UNIT TasksMax=N) and repeat the run"
    )
    tasks_stood_still = "the number of its tasks stayed at the limit"
    requests_cut_off = "{} requests were cut off, turned away or not answered"
    decides = "the same load with a higher limit: the tasks rise above the old limit, failures stop"

    def group_held_tasks(self, group: str, peak: str, limit: str) -> str:
        return f"the control group {group} held {peak} of {limit} tasks"

    def time_limit(self, text: str, at: str) -> str:
        return f"{text}, {at} of the time at the limit"

    def effect(self, text: str) -> str:
        return f"{text}: it can start no more threads or processes"

    def mend(self, limit: str) -> str:
        return (
            f"raise the limit: systemctl set-property UNIT TasksMax={limit}, docker update --pids-limit"
            f" {limit}; or serve with a pool of threads"
        )
