"""Sentences of `worker_timeouts` in English, and the sections of its page.

## Signature

Workers end by a time-out ("WORKER TIMEOUT" of gunicorn, "execution timed out" of PHP-FPM, "HARAKIRI" of
uWSGI, and lines of puma and unicorn), and the requests that they had in hand fail with them: connections
reset, or 502 from a proxy.

## Data

The manager's log and the births and deaths of its workers (event `worker_died`, reason `timed_out`), failures
of requests at these times.

## Deciding test

`--prove` raises the time-out, in turns, where that is a knob: the kills stop, and latency shows how long the
slow call really takes.

## Guard

Workers that the kernel killed for lack of memory, or that were recycled (`max_requests`), ended for another
reason. Where the CPU is used up, or a dependency is, the slow calls are its symptom, and so are the kills.

## Fix

Make the slow call faster, or bound it (a time-out of its own, shorter than the manager's); move it out of the
request; threads (gunicorn: `-k gthread`) keep a worker's heart beating while a request waits.
"""


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
