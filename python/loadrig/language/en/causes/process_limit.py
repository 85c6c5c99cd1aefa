"""Sentences of `process_limit` in English, and the sections of its page.

## Signature

The tasks of the group stand at pids.max while requests wait or fail.

## Data

Tasks and their limit, of the group and of those above it; threads and processes of the program.

## Deciding test

A higher limit: the tasks rise above the old one, and the failures stop. `--prove` leaves the limits of the
group alone, all but its CPU.

## Guard

A limit that is met by a pool of fixed size costs nothing. Lack of memory makes clone fail as well. The
limit of a user (RLIMIT_NPROC) is not seen in a control group.

## Fix

TasksMax= of the service, --pids-limit of the container; fewer threads, a pool instead of a thread for each
connection.
"""


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
