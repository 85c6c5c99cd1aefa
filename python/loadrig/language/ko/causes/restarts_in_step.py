from loadrig.language.en.causes.restarts_in_step import RestartsInStepTexts
from loadrig.language.particles import with_particle


class KoreanRestartsInStepTexts(RestartsInStepTexts):
    title = "worker들이 한꺼번에 재시작됩니다"
    mend = "지터를 더하거나 (gunicorn: --max-requests-jitter, --max-requests의 절반) 간격을 늘리십시오"
    decides = "지터를 두고 같은 부하를: 이것이 원인이라면 그 주기의 저하가 사라집니다"
    why_workers_ended = (
        "worker가 왜 끝났는지 알 수 없습니다: 서버가 로그를 파일에 쓰게 하십시오 (--error-logfile FILE)"
    )
    throughput_dipped_other = "처리량은 다른 순간에 떨어졌습니다"

    def only_worker_started(self, births: str) -> str:
        return f"하나뿐인 worker가 {births}회 새로 시작되었습니다"

    def workers_started_groups(self, births: str, groups: str, share: str, least: str, workers: str) -> str:
        return f"worker {births}개가 {groups}개 무리로 시작되었습니다. 그중 {with_particle(share, '가')} {workers}개 중 {least}개 이상 한꺼번에"

    def restarts_times_together(self, births: str, measured_s: str, in_step: str) -> str:
        return f"{measured_s} 동안 재시작 {births}회, 그중 {in_step}회는 한꺼번에:"

    def requests_failed(self, failed_share: str, name: str) -> str:
        return f" {name}의 요청 중 {with_particle(failed_share, '가')} 실패했습니다"

    def throughput_falls_lost(self, depth: str, lost_share: str) -> str:
        return f" 처리량이 {depth} 떨어지고, 전체의 {with_particle(lost_share, '를')} 잃습니다"

    def dips_restart_hold(self, bound: str) -> str:
        return f"재시작 때의 저하가 잃은 것의 {with_particle(bound, '를')} 차지합니다"

    def a_group_in(self, arithmetic: str) -> str:
        return f"한 무리가 {arithmetic}마다"

    def ended_they_had(self, stated: str, deaths: str) -> str:
        return f"{deaths}개 중 {stated}개가 정해진 수의 요청을 처리하고 끝났습니다"

    def workers_ended_another(self, n: str, deaths: str, replace: str) -> str:
        return f"worker {deaths}개 중 {n}개는 다른 이유로 끝났습니다: {replace}"

    def they_ended_when(self, arithmetic: str) -> str:
        return f"정해진 수를 처리하고 끝났습니다: {arithmetic}"

    def worker_lives_most(self, life_s: str) -> str:
        return f"worker의 수명은 {life_s}이고, 대부분 시작 직후에 끝납니다"

    def workers_restarted_so(self, covered: str) -> str:
        return f"worker가 너무 자주 재시작되어 전체 시간의 {with_particle(covered, '가')} 재시작 근처였습니다"

    def failed_requests_fell(self, hurt: str, near_s: str) -> str:
        return f"실패한 요청의 {with_particle(hurt, '가')} 재시작 전후 {near_s} 안에 있었습니다"
