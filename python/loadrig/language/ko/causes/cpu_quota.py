from loadrig.language.en.causes.cpu_quota import CpuQuotaTexts
from loadrig.language.particles import with_particle


class KoreanCpuQuotaTexts(CpuQuotaTexts):
    title = "CPU 쿼터에 막혀 있습니다"
    measure_again = ", 그리고 다시 측정하십시오"

    def stood_still_periods(self, throttled_share: str, stood_s: str) -> str:
        return f"주기의 {throttled_share}에서 멈춰 있었고, 매초 {stood_s}입니다"

    def running_once_they(self, text: str, period_s: str, stall: str) -> str:
        return f"{text}: 동시에 돌면 한 주기의 몫을 {period_s} 만에 다 쓰고 {stall} 동안 멈춰 있습니다"

    def and_stood_still_periods(self, throttled: str, periods: str) -> str:
        return f", {periods}개 주기 중 {throttled}개에서 멈췄습니다"

    def together_with(self, others: str) -> str:
        return f" ({with_particle(others, '과')} 함께)"

    def used_of(self, used: str) -> str:
        return f"{used} / "

    def used(self, used: str, cores: str, together: str, still: str, need: str) -> str:
        return f"{used}{cores}{together}을 썼습니다{still}{need}"

    def each_further_cores(self, most_s: str) -> str:
        return f"0.1코어를 늘릴 때마다 초당 요청 약 {most_s}건이 늘어납니다"

    def more_than(self, least: str) -> str:
        return f"{least} 이상"

    def to(self, least: str) -> str:
        return f"{least} ~ "

    def s_need(self, offered_rps: str, need: str) -> str:
        return f"{offered_rps}/s에는 {with_particle(need, '이')} 필요합니다"

    def raise_quota_or(self, cores: str, docker_cores: str, millicores: str, then: str) -> str:
        return f"쿼터를 {cores} 이상으로 올리거나 (docker update --cpus {docker_cores}; Kubernetes: resources.limits.cpu: {millicores}m) 없애십시오{then}"
