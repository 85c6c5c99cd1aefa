"""Sentences of `leak` in Korean."""

from loadrig.language.en.causes.leak import LeakTexts
from loadrig.language.particles import with_particle


class KoreanLeakTexts(LeakTexts):
    """Sentences of `causes.leak`, in Korean."""

    title = "요청마다 무언가가 늘어나고 반환되지 않습니다"
    mend = "요청이 실패할 때도 커넥션을 모두 반환하십시오 (row와 트랜잭션을 닫기: with, defer, try-with-resources)"
    decides = "풀을 키우면 그만큼 더 오래 버티지만, 그 뒤에는 역시 아무것도 응답되지 않습니다"
    until_worker_restarted = " worker가 재시작될 때까지. 재시작할 때마다 같은 증가가 다시 시작됩니다"
    pprof_pages = "pprof 페이지"
    inspector_node_inspect = "inspector (node --inspect)"
    twice_rate_then = "요청률을 두 배로 한 뒤 부하를 멈추기: 요청당 양이 같고, 아무것도 반환되지 않습니다"
    find_line_allocates = "할당하는 줄을 찾으십시오 (python: {memory_sites: true})"
    would_bound = "은 다음을 제한합니다"
    nothing_mend_longer = "고칠 것이 없습니다. 정말 샌다면 더 긴 실행이 보여 줍니다"
    longer_run_what = "더 긴 실행: 채워지는 것은 멈춥니다"

    def all_connections_stood(self, number: str, name: str, waiting: str) -> str:
        return f"{name}로 가는 커넥션 {number}개가 모두 놀고 있는데, 안에서는 요청 {waiting}건이 기다렸습니다"

    def effect(self, name: str, measured_s: str, number: str) -> str:
        return f"{name}로 가는 커넥션이 대여된 뒤 반환되지 않습니다: {measured_s} 뒤 {number}개 전부가 그랬고, 아무것도 응답되지 않았습니다"

    def grew_over_requests(self, what: str, grown: str, span: str) -> str:
        return f"요청 {span}건 동안 {with_particle(what, '이')} {grown} 늘었습니다"

    def every_request(self, what: str, is_memory: bool, a_request: str) -> str:
        return f"{with_particle(what, '이')} 요청마다 {a_request}씩 늘어납니다"

    def grew_too_request(self, what: str, a_request: str) -> str:
        return f"{what}도 늘었습니다: 요청당 {a_request}"

    def each_lives_time(self, lives: str, workers: str) -> str:
        return f" {lives}번의 수명마다, 한 번에 {workers}개"

    def restarts_hide_processes(self, died: str) -> str:
        return f"재시작이 가리고 있습니다: 프로세스 {died}개가 끝났고, 매번 같은 크기에서 다시 늘었습니다"

    def second_s(self, a_request: str, rate: str) -> str:
        return f", {rate}/s에서 초당 {a_request}"

    def is_reached_in(self, limit_text: str, limit: str, left_s: str) -> str:
        return f"; {left_s} 뒤에 {limit_text}({limit})에 도달합니다"

    def a_request_to(self, grew: str, a_request: str, low: str, high: str) -> str:
        return f"{grew}: 요청당 {a_request} (95 % {low} ~ {high})"

    def rose_readings_end(self, rises: str, lasting: str, bic: str) -> str:
        return f"관찰의 {rises}에서 늘었고, 끝의 속도는 처음의 {lasting}입니다. 채워지는 곡선보다 직선이 더 잘 맞습니다 (BIC {bic} 낮음)"

    def what_collector_may(self, how: str) -> str:
        return (
            f"GC가 더 해제할 수 있는지 보지 못했습니다: {with_particle(how, '이')}나 더 긴 실행이 알려 줍니다"
        )

    def holds_more_than(self, place: str, here: str, sites: str, here_2: str) -> str:
        return f"{with_particle(place, '이')} 처음보다 {here} 더, 블록 {sites}개로 잡고 있습니다: 추적된 증가의 {here_2}"

    def close_what_each(self, what: str) -> str:
        return f"요청이 여는 것({what})을 실패할 때도 닫으십시오 (with, defer, try-with-resources)"

    def look_at(self, place: str) -> str:
        return f"{with_particle(place, '을')} 보십시오"

    def let_go_there(self, where: str, bounds: str) -> str:
        return f"{where} 거기서 놓아 주십시오. max_requests는 누수를 {bounds}, 고치지는 않습니다"

    def end_fast_beginning(self, word: str) -> str:
        return f"끝의 속도가 처음의 {word}입니다: 채워지는 중입니다"

    def once_something(self, word: str) -> str:
        return f"그중 {with_particle(word, '가')} 한꺼번에 늘었습니다: 무언가가 만들어졌습니다"

    def curve_fills_up(self, bic: str) -> str:
        return f"채워지는 곡선도 직선만큼 잘 맞습니다 (BIC {bic})"

    def rose_readings_only(self, rises: str) -> str:
        return f"관찰의 {rises}에서만 늘었습니다"

    def what_held_cache(self, of_level: str) -> str:
        return f"가지고 있던 것의 {of_level}만큼: 캐시가 채워질 때 이렇게 짧은 시간에 그렇습니다"

    def request_too_little(self, slope: str) -> str:
        return f"요청당 {with_particle(slope, '은')} 시작 단계와 구별하기에 너무 적습니다"

    def grew_but(self, what: str, grown: str, how: str) -> str:
        return f"{with_particle(what, '이')} {grown} 늘었지만, {how}"
