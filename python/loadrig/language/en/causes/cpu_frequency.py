class CpuFrequencyTexts:
    """Sentences of `causes.cpu_frequency`."""

    title = "the cores became slower"
    no_proof = (
        "the clock of the cores is not ours; run it again after a rest, or where the frequency is constant"
    )
    cpu_time_request = "CPU time a request is not known: the server's process was not seen"
    no_cpu_time = "no CPU time was read"
    mend = "an instance type without burst credits; cpupower frequency-set -g performance; cooling"
    decides = "the same load after a rest, or on a machine of constant frequency"

    def runs_frequency_had(self, core: str, fell: str) -> str:
        return f"{core} runs at {fell} of the frequency that it had"

    def heat_or_power(self, throttles: str) -> str:
        return f"heat or power slowed cores down {throttles} times"

    def request_took_times(self, dearer: str) -> str:
        return f"a request took {dearer} times the CPU time"

    def end_took_first(self, dearer_text: str) -> str:
        return f"{dearer_text} at the end that it took at first"

    def while_ran(self, text: str) -> str:
        return f"{text} while it ran"
