class KoreanJudgementHarmsDipsTexts:
    keep_alive_time = "Node와 Apache의 keep-alive 시간"
    prometheus_usual_scrape = "Prometheus의 보통 스크레이프 주기"
    many_health_checks = "많은 헬스 체크와 스크레이프"
    cron_minute_how = "cron의 1분, 그리고 TIME_WAIT의 지속 시간"
    nginx_keep_alive = "nginx의 keep-alive 시간"
    postgresql_usual_checkpoint = "PostgreSQL의 보통 체크포인트"
    regression_all_streams = "모든 스트림을 함께 넣은 회귀"
    times_in = "{measured_s} 동안 {dips}회"
    every = "{often}, {period_s}마다"
    throughput_dipped_lost = "처리량이 {lasted}, {depth} 떨어져 전체의 {lost_share:를} 잃었습니다"
    dips_had_within = (
        "저하의 {recall}에 1, 2초 안에 {text:이} 있었고, 그중 {precision}에서 저하가 있었습니다 (p {q})"
    )
    server_starts_anew = "{beside}: 새로 시작한 서버는 누가 로그인했는지 잊습니다"
    come_every = "{text:이} {every}마다 옵니다"
    alone_explain_variance = "{text}만으로 잃은 것의 변동 중 {unique:를} 설명합니다"
    dips_s_more = "저하 구간에서 {text:이} {excess}/s 더 많고 서비스의 응답은 {fewer}/s 더 적습니다"


class KoreanJudgementHarmsDriftTexts:
    requests_took_first = "요청이 처음 {length} 동안 {head}, 그 뒤에는 {level} 걸렸습니다"
    request_took_cpu = "요청당 CPU 시간이 처음 {before}에서 끝에는 {after}, {ratio}배가 되었습니다"


class KoreanJudgementHarmsLeaksTexts:
    open_descriptors = "열린 디스크립터"
    threads = "스레드"
    goroutines = "goroutine"
    open_connections = "열린 커넥션"
    connections_half_closed = "반만 닫힌 커넥션"
    grew_every_request = "{component}의 {what:이} 요청마다 {a_request}씩 늘었습니다 (95 % {low} ~ {high})"
    to = "{to:으로} 가는 {what}"


class KoreanJudgementHarmsPausesTexts:
    pauses_long_slow = "멈춤 {size}회가 느린 요청이 기다린 만큼({over_s}) 길었고, 그중 {met}에 해당합니다"
    pauses_dips_work = "저하 구간의 멈춤 {stood_s}, 그 안에서 잃은 작업 {lost_s}: 많아야 {bound}"
    gc_took_time = "GC가 시간의 {share:를} 차지했습니다: 저하의 원인이 될 수 없습니다"


class KoreanJudgementHarmsStandstillTexts:
    no_request_answered = "마지막 {seconds} 동안 제대로 응답된 요청이 없는데 {waiting}건이 기다렸습니다"


class KoreanJudgementHarmsAnswersTexts:
    def s_answered_well(self, ok_rps: str, offered_rps: str, is_due: bool) -> str:
        return f"{'예정된' if is_due else '보낸'} {offered_rps}/s 중 {ok_rps}/s가 제대로 응답되었습니다"

    requests_failed = "요청 {ended}건 중 {failed_share:가} 실패했습니다"
    requests_rejected = "요청 {ended}건 중 {share:가} 400~499 상태로 응답받았습니다"
    requests_never_sent = "요청 {unsent}건을 보내지 못했습니다: {why}"


class KoreanJudgementHarmsQueueingTexts:
    overtaken = "평균 {waiting}개의 요청이 진행 중이었는데, {p99}(p99) 안에 응답한다면 {usual}개여야 합니다: 일부는 다른 모든 요청에 추월당합니다"
    waited_to_be_worked_on = "요청은 {total} 가운데 {queued} 동안 서버가 처리하기를 기다렸습니다"
    waited_for_acknowledgement = "요청의 응답은 {total} 가운데 {sending} 동안 수신 확인을 기다렸습니다"
    requests_flight_grew = "처리 중인 요청이 {first}에서 {last:으로} 늘었습니다"


class KoreanJudgementHarmsSaturationTexts:
    every_connection_waiting = "모든 커넥션이 응답을 기다리고 있었습니다. 요청 {unsent}건이 빈 커넥션을 얻지 못했고 {ok_rps}/s가 응답되었습니다"
    users_waiting_answer = (
        "어느 시점에나 사용자 {users}명 중 {waiting}명이 응답을 기다렸습니다. {ok_rps}/s가 응답되었습니다"
    )
    used_cpu_may = "{name:은} 쓸 수 있는 CPU의 {word:를} 썼습니다"


class KoreanJudgementHarmsTailsTexts:
    p99_times_median = "p99는 {p99}, 중앙값 {p50}의 {times}배였습니다"
    p99_times_p95 = "p99는 {p99}, p95인 {p95}의 {times}배였습니다"
    waited_for_others_core = (
        "요청은 {total} 가운데 {waited} 동안 다른 프로그램이 쓰는 코어를 기다렸으며, p99는 {p99}였습니다"
    )


class KoreanJudgementHarmsTableTexts:
    what_wrong_measured = "이상은 trial이 교란된 동안 측정되었으며 {by} 작을 수 있습니다: {why}"
