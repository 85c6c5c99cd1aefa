"""Sentences of `quota_unaware_runtime` in English, and the sections of its page.

## Signature

On average the quota would do, and yet it is used up in many periods: many threads burn the slice of a
period at once, and all of them stand still for the rest of it. A part of the requests is slow by that much.

## Data

Threads that run at once (GOMAXPROCS, the processors that the JVM counts, threads seen running), the quota,
throttled periods and time.

## Deciding test

`--prove` lets fewer run at once, in turns, where that is a knob (GOMAXPROCS, threads, workers): with as many
as the quota has cores the tail shortens, and throughput stays or rises.

## Guard

A quota that is used up on average is too small for the load, however many threads there are: that is
another cause. So is a single thread that bursts.

## Fix

Go 1.25 or automaxprocs (before that GOMAXPROCS), -XX:ActiveProcessorCount or a JVM that knows containers,
workers by the quota and not by the cores of the machine.
"""


class QuotaUnawareRuntimeTexts:
    title = "more threads run at once than the CPU quota allows"
    not_known = "not known"
    how_much_used = "its use of the quota was not observed"
    how_often_stood = (
        "how often it was throttled was not observed: its control group (cpu.stat) could not be read"
    )

    def used(self, used: str, cores: str) -> str:
        return f"it used {used} of {cores}"

    def average_quota_would(self, used: str) -> str:
        return f"on average {used}: the quota is large enough"

    def quota_too_small(self, used: str) -> str:
        return f"{used}: the quota is too small, however many threads there are"

    def yet_stood_still(self, share: str) -> str:
        return f"and yet it was throttled in {share} of the periods"

    def under_quota(self, text: str, cores: str) -> str:
        return f"{text}, under a quota of {cores}"

    def effect(self, now_s: str, p99: str) -> str:
        return (
            f"in a period whose quota its threads use up at once they are stopped for {now_s}; p99 was {p99}"
        )

    def mend(self, fed: str) -> str:
        return (
            f"let {fed} run at once: GOMAXPROCS={fed} (or Go 1.25), -XX:ActiveProcessorCount={fed},"
            f" --workers {fed}"
        )

    def decides(self, fed: str) -> str:
        return f"the same load with {fed} running at once: the tail shortens and throughput stays"

    def stalls_instead_once(self, then_s: str, now_s: str, fed: str) -> str:
        return f"stalls of {then_s} instead of {now_s} with {fed} at once"
