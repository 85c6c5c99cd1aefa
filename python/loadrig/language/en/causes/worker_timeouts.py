"""Sentences of `worker_timeouts` in English."""


class WorkerTimeoutsTexts:
    title = "workers that take too long are killed, with their requests"
    decides = (
        "the same load without that time-out (gunicorn: --timeout 0): the kills stop, and latency shows how"
        " long the calls take"
    )

    def workers_killed_after(self, count: str, after: str) -> str:
        return f"{count} workers were killed after {after} s without a sign of life"

    def workers_ended_gunicorn(self, count: str) -> str:
        return (
            f"{count} workers ended and gunicorn's log, which says why, was not seen (--error-logfile FILE)"
        )

    def failures_came_within(self, share: str) -> str:
        return f"{share} of the failures came within two seconds of a kill"

    def effect(self, count: str, share: str, ok_rps: str) -> str:
        return f"{count} workers were killed, {share} requests failed near a kill, {ok_rps}/s succeeded"

    def mend(self, after: str) -> str:
        return (
            "find the call that takes so long (py-spy dump of a stuck worker) and set a time-out on it, or"
            f" raise --timeout above {after}"
        )

    def failures(self, share: str, failed: str) -> str:
        return f"{share} of {failed} failures"
