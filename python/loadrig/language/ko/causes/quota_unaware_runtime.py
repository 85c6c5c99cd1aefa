from loadrig.language.en.causes.quota_unaware_runtime import QuotaUnawareRuntimeTexts
from loadrig.language.particles import with_particle


class KoreanQuotaUnawareRuntimeTexts(QuotaUnawareRuntimeTexts):
    title = "CPU 쿼터가 먹일 수 있는 것보다 많은 스레드가 동시에 돕니다"
    not_known = "알 수 없음"
    how_much_used = "쿼터를 얼마나 썼는지 보지 못했습니다"
    how_often_stood = "얼마나 자주 멈췄는지 보지 못했습니다: cgroup(cpu.stat)을 읽을 수 없었습니다"

    def used(self, used: str, cores: str) -> str:
        return f"{cores} 중 {with_particle(used, '를')} 썼습니다"

    def average_quota_would(self, used: str) -> str:
        return f"평균 {used}: 쿼터로 충분합니다"

    def quota_too_small(self, used: str) -> str:
        return f"{used}: 스레드가 몇 개든 쿼터가 너무 작습니다"

    def yet_stood_still(self, share: str) -> str:
        return f"그런데도 주기의 {share}에서 멈춰 있었습니다"

    def under_quota(self, text: str, cores: str) -> str:
        return f"{text}, 쿼터는 {cores}"

    def effect(self, now_s: str, p99: str) -> str:
        return f"한꺼번에 다 쓰는 주기에는 스레드들이 {now_s} 동안 멈춥니다. p99는 {p99}"

    def mend(self, fed: str) -> str:
        return f"{fed}개만 동시에 돌게 하십시오: GOMAXPROCS={fed} (또는 Go 1.25), -XX:ActiveProcessorCount={fed}, --workers {fed}"

    def decides(self, fed: str) -> str:
        return f"{fed}개만 동시에 돌게 하고 같은 부하를: 꼬리가 짧아지고 처리량은 그대로입니다"

    def stalls_instead_once(self, then_s: str, now_s: str, fed: str) -> str:
        return f"{fed}개가 동시에 돌면 멈춤이 {now_s} 대신 {then_s}"
