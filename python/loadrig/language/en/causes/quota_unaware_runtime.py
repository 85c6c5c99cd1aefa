"""Sentences of `quota_unaware_runtime` in English."""


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
