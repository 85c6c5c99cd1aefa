"""Sentences of `cpu_quota` in English, and the sections of its page.

## Signature

The group uses what its quota allows, or its slice of nearly every period; it stands still for a good part
of the time while cores of the machine are idle; and requests fail, pile up or are slow.

## Data

cpu.stat of the groups (periods, throttled periods, throttled time), the quota itself, CPU time of the
group or of the programs in it; of a group higher up too, as in a container the limit often stands there.

## Deciding test

`--prove` gives it a quarter more quota while load runs, where cores are left, or else takes a fifth of it:
throughput follows in proportion (elasticity about 1). A knob of the plan for the quota does as well.

## Guard

Counters of throttling tick on healthy servers: in every period even, where nothing waits for it. So the
use must reach the quota, or the time stood still must be a good part of the latency. With far more threads
than the quota feeds, and a quota that would do on average, the threads are the cause and not the quota.
The node looks idle; a CPU limit never kills a process, only a memory limit does.
Kernels before 5.4 throttled below the quota (commit de53fd7aedb1).

## Fix

A higher quota, at least CPU time a request times the rate that is asked for; or none. Then as many threads
as the quota has cores.
"""


class CpuQuotaTexts:
    title = "the CPU quota is used up"
    measure_again = ", and measure again"

    def stood_still_periods(self, throttled_share: str, stood_s: str) -> str:
        return f"it was throttled in {throttled_share} of the periods, for {stood_s} every second"

    def running_once_they(self, text: str, period_s: str, stall: str) -> str:
        return (
            f"{text}: running at the same time they use up the quota of a period in {period_s} and are"
            f" throttled for {stall}"
        )

    def and_stood_still_periods(self, throttled: str, periods: str) -> str:
        return f" and was throttled in {throttled} of {periods} periods"

    def together_with(self, others: str) -> str:
        return f" together with {others}"

    def used_of(self, used: str) -> str:
        return f"{used} of "

    def used(self, used: str, cores: str, together: str, still: str, need: str) -> str:
        return f"it used {used}{cores}{together}{still}{need}"

    def each_further_cores(self, most_s: str) -> str:
        return f"each further 0.1 cores is worth about {most_s} requests a second"

    def more_than(self, least: str) -> str:
        return f"more than {least}"

    def to(self, least: str) -> str:
        return f"{least} to "

    def s_need(self, offered_rps: str, need: str) -> str:
        return f"{offered_rps}/s need {need}"

    def raise_quota_or(self, cores: str, docker_cores: str, millicores: str, then: str) -> str:
        return (
            f"raise the quota to {cores} or more (docker update --cpus {docker_cores}; Kubernetes:"
            f" resources.limits.cpu: {millicores}m), or remove it{then}"
        )
