from loadrig.language.en.causes.too_few_workers import TooFewWorkersTexts
from loadrig.language.particles import with_particle


class KoreanTooFewWorkersTexts(TooFewWorkersTexts):
    title = "CPU에는 여유가 있는데 모든 worker가 점유되어 있습니다"
    decides = "worker나 스레드를 4분의 1 늘리면: 이것이 원인일 때 처리량이 거의 그만큼 오릅니다"

    def workers_or_threads(self, number: str) -> str:
        return f"worker 또는 스레드 {number}개"

    def connections_waited_listener(self, mean: str) -> str:
        return f"평균 커넥션 {mean}개가 리스너에서 accept를 기다렸습니다"

    def effect(self, waiting: str, slots_text: str, ok_rps: str) -> str:
        return f"요청 {waiting}건이 {with_particle(slots_text, '을')} 기다렸습니다; {ok_rps}/s"

    def more_them(self, more: str) -> str:
        return f"더 늘리십시오: {more}"
