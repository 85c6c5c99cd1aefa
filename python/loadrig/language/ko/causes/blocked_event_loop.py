from loadrig.language.en.causes.blocked_event_loop import BlockedEventLoopTexts
from loadrig.language.particles import with_particle


class KoreanBlockedEventLoopTexts(BlockedEventLoopTexts):
    title = "돌아오지 않는 호출이 이벤트 루프를 막고 있습니다"
    decides = "느린 경로를 빼고 같은 부하를: 이것이 원인이라면 나머지가 빨라집니다"
    call_blocks = "막고 있는 호출"
    await_asyncio_thread = "await asyncio.to_thread(…)"
    asynchronous_form = "비동기 형태"
    process_pool = "프로세스 풀"
    worker_thread_worker = "worker 스레드 (worker_threads)"

    def most_cpu_time(self, hot: str) -> str:
        return f"CPU 시간의 대부분을 {hot}에서 씁니다"

    def works_flight_once(self, at_once: str, waiting: str) -> str:
        return f"처리 중인 {waiting}건 가운데 동시에 {at_once}건만 처리합니다"

    def blocked_loop_does(self, text: str) -> str:
        return f"{text}, 막힌 루프라면 그럴 수 없습니다"

    def work_rest_waiting(self, mean_alone: str, p50: str) -> str:
        return f"{p50} 중 실제 작업은 {mean_alone}: 나머지는 대기입니다"

    def effect(self, text: str, waiting: str, ok_rps: str) -> str:
        return f"{text}; 처리 중인 요청 {waiting}건, {ok_rps}/s"

    def what_does(self, hot: str) -> str:
        return f"{with_particle(hot, '이')} 하는 일"

    def take_out_loop(self, what: str, how: str) -> str:
        return f"{with_particle(what, '을')} 루프 밖으로: {how}, 또는 비동기 드라이버"

    def take_out_loop_more(self, what: str, how: str) -> str:
        return (
            f"{with_particle(what, '을')} 루프 밖으로: {how}; 그리고 서버 프로세스를 코어당 하나씩 늘리십시오"
        )
