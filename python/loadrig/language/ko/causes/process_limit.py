from loadrig.language.en.causes.process_limit import ProcessLimitTexts
from loadrig.language.particles import with_particle


class KoreanProcessLimitTexts(ProcessLimitTexts):
    title = "그룹이 프로세스와 스레드를 더 가질 수 없습니다"
    no_proof = "한계는 그룹의 것입니다. 올리고 (systemctl set-property UNIT TasksMax=N) 다시 실행하십시오"
    tasks_stood_still = "태스크 수가 한계에서 멈춰 있었습니다"
    requests_cut_off = "요청 {}건이 끊기거나 거절되거나 응답받지 못했습니다"
    decides = "한계를 올리고 같은 부하를: 태스크가 이전 한계를 넘고 실패가 멈춥니다"

    def group_held_tasks(self, group: str, peak: str, limit: str) -> str:
        return f"그룹 {with_particle(group, '이')} 태스크 {limit}개 중 {peak}개를 가지고 있었습니다"

    def time_limit(self, text: str, at: str) -> str:
        return f"{text}, 전체 시간의 {at} 동안 한계에 있었습니다"

    def effect(self, text: str) -> str:
        return f"{text}: 스레드나 프로세스를 더 시작할 수 없습니다"

    def mend(self, limit: str) -> str:
        return f"한계를 올리십시오: systemctl set-property UNIT TasksMax={limit}, docker update --pids-limit {limit}. 또는 스레드 풀로 처리하십시오"
