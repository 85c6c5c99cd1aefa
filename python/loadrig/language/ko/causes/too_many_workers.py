class KoreanTooManyWorkersTexts:
    title = "코어보다 많은 worker나 스레드가 돕니다"
    decides = "worker를 4분의 1 줄이고 같은 부하를: 이것이 원인이라면 잃는 것 없이 꼬리가 짧아집니다"
    threads_wanted_run = "스레드 {mean}개가 {cores}에서 돌려고 했습니다"
    effect = "프로세스 {word}개가 {cores:를} 나누어 쓰고, 그중 {used:를} {what:이} 썼습니다"
    mend = "worker를 줄여 보십시오: {word}, 그리고 기다리는 일에만 스레드를"
    dearer = "가장 빠른 요청은 모두 합해 {fastest} 걸렸지만, 요청은 평균 {cpu}의 CPU 시간을 썼습니다"
