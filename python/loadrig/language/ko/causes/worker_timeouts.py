class KoreanWorkerTimeoutsTexts:
    title = "너무 오래 걸리는 worker가 요청과 함께 강제 종료됩니다"
    decides = "그 제한 시간 없이 (gunicorn: --timeout 0) 같은 부하를: 강제 종료가 멈추고, 호출이 얼마나 걸리는지 지연 시간이 보여 줍니다"
    workers_killed_after = "worker {count}개가 {after} s 동안 조용하여 강제 종료되었습니다"
    workers_ended_gunicorn = (
        "worker {count}개가 끝났는데 이유를 적은 gunicorn 로그를 보지 못했습니다 (--error-logfile FILE)"
    )
    failures_came_within = "실패의 {share:가} 그런 종료 뒤 2초 안에 있었습니다"
    effect = "worker {count}개가 강제 종료되었고, 그 근처에서 요청 {share}건이 실패했으며, {ok_rps}/s가 응답되었습니다"
    mend = "오래 걸리는 호출을 찾아 (멈춘 worker의 py-spy dump) 제한하거나, --timeout을 {after}보다 크게 하십시오"
    failures = "실패 {failed}건 중 {share}"
