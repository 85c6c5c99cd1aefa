"""Sentences of `cpu_frequency` in English, and the sections of its page.

## Signature

The frequency of the cores falls, or heat slows them down, and from then on the same request takes more CPU
time.

## Data

Frequency of each core and its throttle counters; CPU time a request step by step.

## Deciding test

The same load on a machine of constant frequency, or after a rest: CPU time a request is as at first.
`--prove` cannot set the clock of a core.

## Guard

Virtual machines mostly show one constant figure, whatever their host does: then nothing is said here. A
request that becomes dearer at constant frequency has become dearer by itself (more data, a leak).

## Fix

An instance type without burst credits, the governor `performance`, better cooling.
"""


class CpuFrequencyTexts:
    title = "the cores became slower"
    no_proof = (
        "loadrig does not set the frequency of the cores; repeat the run after a rest, or where the"
        " frequency is constant"
    )
    cpu_time_request = "CPU time a request is not known: the server's process was not observed"
    no_cpu_time = "no CPU time was read"
    mend = "an instance type without burst credits; cpupower frequency-set -g performance; cooling"
    decides = "the same load after a rest, or on a machine of constant frequency"

    def runs_frequency_had(self, core: str, fell: str) -> str:
        return f"{core} runs at {fell} of its earlier frequency"

    def heat_or_power(self, throttles: str) -> str:
        return f"heat or power slowed cores down {throttles} times"

    def request_took_times(self, dearer: str) -> str:
        return f"a request took {dearer} times as much CPU time"

    def end_took_first(self, dearer_text: str) -> str:
        return f"{dearer_text} at the end as at the beginning"

    def while_ran(self, text: str) -> str:
        return f"{text} during the run"
