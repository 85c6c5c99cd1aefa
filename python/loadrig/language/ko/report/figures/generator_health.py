class KoreanGeneratorHealthTexts:
    lag_p50 = "지연 p50"
    lag_p99 = "지연 p99"
    lag_max = "지연 최대"
    busiest_thread = "가장 바쁜 스레드"
    local_ports = "로컬 포트"
    descriptors = "디스크립터"
    title = "부하 발생기의 상태"
    about = (
        "요청을 얼마나 늦게 처리하기 시작했는지(서버가 아니라 측정 장치의 탓입니다), 그리고 스레드, 로컬 포트, 파일 디스크립터를 얼마나 썼는지 나타냅니다. 스레드 사용률이 50 %를"
        " 넘으면 trial은 교란됨, 80 %를 넘으면 심하게 교란됨으로 판정합니다."
    )
    disturbed = "교란됨"
    gravely = "심하게 교란됨"
    caption = "측정 구간의 부하 발생기"
