"""Sentences of `oom_kill` in Korean."""

from loadrig.language.en.causes.oom_kill import OomKillTexts
from loadrig.language.particles import with_particle


class KoreanOomKillTexts(OomKillTexts):
    """Sentences of `causes.oom_kill`, in Korean."""

    title = "메모리가 없어 커널이 프로세스를 죽였습니다"
    no_proof = "커널이 직접 그렇게 말했습니다. 메모리를 두 배로, 또는 worker를 반으로 다시 실행하십시오"
    mend = "메모리 한계를 올리거나 (docker update --memory; Kubernetes: resources.limits.memory), worker를 줄이거나, 커지기 전에 교체하십시오 (gunicorn: --max-requests)"
    decides = "메모리를 두 배로 같은 부하를: 죽는 프로세스가 없습니다"

    def times(self, own: str) -> str:
        return f"{own}회"

    def processes(self, count: str) -> str:
        return f"프로세스 {count}개"

    def ended_moment(self, processes: str, name: str) -> str:
        return f"그 순간에 {name}의 {with_particle(processes, '가')} 끝났습니다"

    def no_process_ended(self, name: str) -> str:
        return f"그 순간에 끝난 {name}의 프로세스가 없습니다: 다른 프로그램이었습니다"

    def failures_came_kill(self, share: str) -> str:
        return f"실패의 {with_particle(share, '가')} 강제 종료 때, 또는 프로세스가 돌아오기 전이었습니다"

    def kernel_killed_lack(self, times: str) -> str:
        return f"커널이 메모리 부족으로 {times} 강제 종료했습니다"

    def the_largest_with(self, had: str) -> str:
        return f", 가장 큰 것은 {had}"

    def under_limit(self, limit: str) -> str:
        return f", 한계 {limit}"

    def effect(self, processes: str, is_one: bool, word_2: str, word_3: str) -> str:
        return f"그중 {with_particle(processes, '가')} 강제 종료되었습니다{word_2}{word_3}"
