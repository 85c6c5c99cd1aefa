class KoreanCpuFrequencyTexts:
    title = "코어가 느려졌습니다"
    no_proof = (
        "코어의 클럭은 우리가 바꿀 수 없습니다. 쉬었다가, 또는 주파수가 일정한 곳에서 다시 실행하십시오"
    )
    cpu_time_request = "요청당 CPU 시간을 알 수 없습니다: 서버의 프로세스를 보지 못했습니다"
    no_cpu_time = "CPU 시간을 읽지 못했습니다"
    mend = "버스트 크레딧이 없는 인스턴스 유형, cpupower frequency-set -g performance, 냉각"
    decides = "쉬었다가, 또는 주파수가 일정한 머신에서 같은 부하를"
    runs_frequency_had = "{core}의 주파수가 처음의 {fell}입니다"
    heat_or_power = "열이나 전력 때문에 코어가 {throttles}회 느려졌습니다"
    request_took_times = "요청당 CPU 시간이 {dearer}배였습니다"
    end_took_first = "마지막의 요청당 CPU 시간이 처음의 {dearer_text}"
    while_ran = "{text}, 그동안"
