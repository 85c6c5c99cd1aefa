class KoreanWorkerClassTexts:
    title = "sync worker는 기다리는 동안 다른 요청을 처리하지 못합니다"
    mend = "-k gthread --threads 8: 같은 프로세스가 여덟 건씩 동시에 처리합니다"
    decides = "sync와 번갈아 -k gthread --threads 8로 같은 부하를"
    effect = "요청 {waiting}건이 {text:을} 기다렸고, 각각 코어의 {cpu_each:를} 씁니다; {ok_rps}/s"
