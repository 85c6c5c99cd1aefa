from loadrig.language.en.causes.worker_timeouts import WorkerTimeoutsTexts
from loadrig.language.particles import with_particle


class KoreanWorkerTimeoutsTexts(WorkerTimeoutsTexts):
    title = "너무 오래 걸리는 worker가 요청과 함께 강제 종료됩니다"
    decides = "그 제한 시간 없이 (gunicorn: --timeout 0) 같은 부하를: 강제 종료가 멈추고, 호출이 얼마나 걸리는지 지연 시간이 보여 줍니다"

    def workers_killed_after(self, count: str, after: str) -> str:
        return f"worker {count}개가 {after} s 동안 조용하여 강제 종료되었습니다"

    def workers_ended_gunicorn(self, count: str) -> str:
        return (
            f"worker {count}개가 끝났는데 이유를 적은 gunicorn 로그를 보지 못했습니다 (--error-logfile FILE)"
        )

    def failures_came_within(self, share: str) -> str:
        return f"실패의 {with_particle(share, '가')} 그런 종료 뒤 2초 안에 있었습니다"

    def effect(self, count: str, share: str, ok_rps: str) -> str:
        return f"worker {count}개가 강제 종료되었고, 그 근처에서 요청 {share}건이 실패했으며, {ok_rps}/s가 응답되었습니다"

    def mend(self, after: str) -> str:
        return f"오래 걸리는 호출을 찾아 (멈춘 worker의 py-spy dump) 제한하거나, --timeout을 {after}보다 크게 하십시오"

    def failures(self, share: str, failed: str) -> str:
        return f"실패 {failed}건 중 {share}"
