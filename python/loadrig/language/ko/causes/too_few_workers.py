class KoreanTooFewWorkersTexts:
    title = "CPU에는 여유가 있는데 모든 worker가 점유되어 있습니다"
    decides = "worker나 스레드를 4분의 1 늘리면: 이것이 원인일 때 처리량이 거의 그만큼 오릅니다"
    workers_or_threads = "worker 또는 스레드 {number}개"
    connections_waited_listener = "평균 커넥션 {mean}개가 리스너에서 accept를 기다렸습니다"
    effect = "요청 {waiting}건이 {slots_text:을} 기다렸습니다; {ok_rps}/s"
    more_them = "더 늘리십시오: {more}"
