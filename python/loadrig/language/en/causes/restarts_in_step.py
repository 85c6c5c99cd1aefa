"""Sentences of `restarts_in_step` in English, and the sections of its page.

## Signature

Workers end because they have served their number of requests, and as they all began together and share the
load evenly they end together. Throughput dips, or requests fail, every max_requests times workers over rate.

## Data

Births and deaths of workers with their reasons (gunicorn's log), of processes otherwise; throughput by
second.

## Deciding test

`--prove` adds jitter (gunicorn: --max-requests-jitter), in turns, where that is a knob: the dips at that
period vanish. So they do where workers are replaced less often, or never.

## Guard

Workers that are killed for lack of memory, or because they were silent, come back too: their reason says
so, and another cause stands behind it. One worker of many that restarts alone costs next to nothing.

## Fix

Jitter; a longer interval; --preload, so that a worker is ready sooner. If the restarts are there to bound a
leak, mend the leak.
"""


class RestartsInStepTexts:
    title = "all workers are restarted at the same time"
    mend = "add jitter (gunicorn: --max-requests-jitter, half of --max-requests), or a longer interval"
    decides = "the same load with jitter: if this is the cause, the dips at that period vanish"
    why_workers_ended = (
        "the reason why workers ended is not known: let the server write its log to a file"
        " (--error-logfile FILE)"
    )
    throughput_dipped_other = "throughput did not dip at the restarts"

    def only_worker_started(self, births: str) -> str:
        return f"the only worker was restarted {births} times"

    def workers_started_groups(self, births: str, groups: str, share: str, least: str, workers: str) -> str:
        return (
            f"{births} workers were started in {groups} groups; {share} of them at least {least} of"
            f" {workers} at a time"
        )

    def restarts_times_together(self, births: str, measured_s: str, in_step: str) -> str:
        return f"{births} restarts in {measured_s}, {in_step} times several at once;"

    def requests_failed(self, failed_share: str, name: str) -> str:
        return f" {failed_share} of the requests of {name} failed"

    def throughput_falls_lost(self, depth: str, lost_share: str) -> str:
        return f" throughput falls by {depth}, {lost_share} of it is lost"

    def dips_restart_hold(self, bound: str) -> str:
        return f"the dips at a restart make up {bound} of the lost throughput"

    def a_group_in(self, arithmetic: str) -> str:
        return f"a group of restarts in {arithmetic}"

    def ended_they_had(self, stated: str, deaths: str) -> str:
        return f"{stated} of {deaths} workers ended because they had served their number of requests"

    def workers_ended_another(self, n: str, deaths: str, replace: str) -> str:
        return f"{n} of {deaths} workers ended for another reason: {replace}"

    def they_ended_when(self, arithmetic: str) -> str:
        return f"workers ended when they had served their number of requests: {arithmetic}"

    def worker_lives_most(self, life_s: str) -> str:
        return f"a worker lives {life_s}, most of it soon after its start"

    def workers_restarted_so(self, covered: str) -> str:
        return f"workers restarted so often that {covered} of the time was near a restart"

    def failed_requests_fell(self, hurt: str, near_s: str) -> str:
        return f"{hurt} of the failed requests fell within {near_s} of a restart"
