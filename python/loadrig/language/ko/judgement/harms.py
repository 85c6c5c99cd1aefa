from loadrig.language.en.judgement.harms import (
    JudgementHarmsAnswersTexts,
    JudgementHarmsDipsTexts,
    JudgementHarmsDriftTexts,
    JudgementHarmsLeaksTexts,
    JudgementHarmsPausesTexts,
    JudgementHarmsQueueingTexts,
    JudgementHarmsSaturationTexts,
    JudgementHarmsStandstillTexts,
    JudgementHarmsTableTexts,
    JudgementHarmsTailsTexts,
)
from loadrig.language.particles import with_particle


class KoreanJudgementHarmsDipsTexts(JudgementHarmsDipsTexts):
    keep_alive_time = "Node와 Apache의 keep-alive 시간"
    prometheus_usual_scrape = "Prometheus의 보통 스크레이프 주기"
    many_health_checks = "많은 헬스 체크와 스크레이프"
    cron_minute_how = "cron의 1분, 그리고 TIME_WAIT의 지속 시간"
    nginx_keep_alive = "nginx의 keep-alive 시간"
    postgresql_usual_checkpoint = "PostgreSQL의 보통 체크포인트"
    regression_all_streams = "모든 스트림을 함께 넣은 회귀"

    def times_in(self, dips: str, measured_s: str) -> str:
        return f"{measured_s} 동안 {dips}회"

    def every(self, often: str, period_s: str) -> str:
        return f"{often}, {period_s}마다"

    def throughput_dipped_lost(self, lasted: str, depth: str, lost_share: str) -> str:
        return f"처리량이 {lasted}, {depth} 떨어져 전체의 {with_particle(lost_share, '를')} 잃었습니다"

    def dips_had_within(self, recall: str, text: str, precision: str, q: str) -> str:
        return f"저하의 {recall}에 1, 2초 안에 {with_particle(text, '이')} 있었고, 그중 {precision}에서 저하가 있었습니다 (p {q})"

    def server_starts_anew(self, beside: str) -> str:
        return f"{beside}: 새로 시작한 서버는 누가 로그인했는지 잊습니다"

    def come_every(self, text: str, every: str) -> str:
        return f"{with_particle(text, '이')} {every}마다 옵니다"

    def alone_explain_variance(self, text: str, unique: str) -> str:
        return f"{text}만으로 잃은 것의 변동 중 {with_particle(unique, '를')} 설명합니다"

    def dips_s_more(self, excess: str, text: str, fewer: str) -> str:
        return f"저하 구간에서 {with_particle(text, '이')} {excess}/s 더 많고 서비스의 응답은 {fewer}/s 더 적습니다"


class KoreanJudgementHarmsDriftTexts(JudgementHarmsDriftTexts):
    def requests_took_first(self, head: str, length: str, level: str) -> str:
        return f"요청이 처음 {length} 동안 {head}, 그 뒤에는 {level} 걸렸습니다"

    def request_took_cpu(self, before: str, after: str, ratio: str) -> str:
        return f"요청당 CPU 시간이 처음 {before}에서 끝에는 {after}, {ratio}배가 되었습니다"


class KoreanJudgementHarmsLeaksTexts(JudgementHarmsLeaksTexts):
    open_descriptors = "열린 디스크립터"
    threads = "스레드"
    goroutines = "goroutine"
    open_connections = "열린 커넥션"
    connections_half_closed = "반만 닫힌 커넥션"

    def grew_every_request(self, what: str, component: str, a_request: str, low: str, high: str) -> str:
        return f"{component}의 {with_particle(what, '이')} 요청마다 {a_request}씩 늘었습니다 (95 % {low} ~ {high})"

    def to(self, what: str, to: str) -> str:
        return f"{with_particle(to, '으로')} 가는 {what}"


class KoreanJudgementHarmsPausesTexts(JudgementHarmsPausesTexts):
    def pauses_long_slow(self, size: str, over_s: str, met: str) -> str:
        return f"멈춤 {size}회가 느린 요청이 기다린 만큼({over_s}) 길었고, 그중 {met}에 해당합니다"

    def pauses_dips_work(self, stood_s: str, lost_s: str, bound: str) -> str:
        return f"저하 구간의 멈춤 {stood_s}, 그 안에서 잃은 작업 {lost_s}: 많아야 {bound}"

    def gc_took_time(self, share: str) -> str:
        return f"GC가 시간의 {with_particle(share, '를')} 차지했습니다: 저하의 원인이 될 수 없습니다"


class KoreanJudgementHarmsStandstillTexts(JudgementHarmsStandstillTexts):
    def no_request_answered(self, seconds: str, waiting: str) -> str:
        return f"마지막 {seconds} 동안 제대로 응답된 요청이 없는데 {waiting}건이 기다렸습니다"


class KoreanJudgementHarmsAnswersTexts(JudgementHarmsAnswersTexts):
    def s_answered_well(self, ok_rps: str, offered_rps: str, is_due: bool) -> str:
        return f"{'예정된' if is_due else '보낸'} {offered_rps}/s 중 {ok_rps}/s가 제대로 응답되었습니다"

    def requests_failed(self, failed_share: str, ended: str) -> str:
        return f"요청 {ended}건 중 {with_particle(failed_share, '가')} 실패했습니다"

    def requests_rejected(self, share: str, ended: str) -> str:
        return f"요청 {ended}건 중 {with_particle(share, '가')} 400~499 상태로 응답받았습니다"

    def requests_never_sent(self, unsent: str, why: str) -> str:
        return f"요청 {unsent}건을 보내지 못했습니다: {why}"


class KoreanJudgementHarmsQueueingTexts(JudgementHarmsQueueingTexts):
    def overtaken(self, waiting: str, p99: str, usual: str) -> str:
        return f"평균 {waiting}개의 요청이 진행 중이었는데, {p99}(p99) 안에 응답한다면 {usual}개여야 합니다: 일부는 다른 모든 요청에 추월당합니다"

    def waited_to_be_worked_on(self, queued: str, total: str) -> str:
        return f"요청은 {total} 가운데 {queued} 동안 서버가 처리하기를 기다렸습니다"

    def waited_for_acknowledgement(self, sending: str, total: str) -> str:
        return f"요청의 응답은 {total} 가운데 {sending} 동안 수신 확인을 기다렸습니다"

    def requests_flight_grew(self, first: str, last: str) -> str:
        return f"처리 중인 요청이 {first}에서 {with_particle(last, '으로')} 늘었습니다"


class KoreanJudgementHarmsSaturationTexts(JudgementHarmsSaturationTexts):
    def every_connection_waiting(self, kept_back: str, ok_rps: str) -> str:
        return f"모든 커넥션이 응답을 기다리고 있었습니다. 요청 {kept_back}건이 빈 커넥션을 얻지 못했고 {ok_rps}/s가 응답되었습니다"

    def users_waiting_answer(self, waiting: str, users: str, ok_rps: str) -> str:
        return f"어느 시점에나 사용자 {users}명 중 {waiting}명이 응답을 기다렸습니다. {ok_rps}/s가 응답되었습니다"

    def used_cpu_may(self, name: str, word: str) -> str:
        return f"{with_particle(name, '은')} 쓸 수 있는 CPU의 {with_particle(word, '를')} 썼습니다"


class KoreanJudgementHarmsTailsTexts(JudgementHarmsTailsTexts):
    def p99_times_median(self, p99: str, times: str, p50: str) -> str:
        return f"p99는 {p99}, 중앙값 {p50}의 {times}배였습니다"

    def waited_for_others_core(self, waited: str, total: str, p99: str) -> str:
        return (
            f"요청은 {total} 가운데 {waited} 동안 다른 프로그램이 쓰는 코어를 기다렸으며, p99는 {p99}였습니다"
        )


class KoreanJudgementHarmsTableTexts(JudgementHarmsTableTexts):
    def what_wrong_measured(self, by: str, why: str) -> str:
        return f"이상은 trial이 교란된 동안 측정되었으며 {by} 작을 수 있습니다: {why}"
