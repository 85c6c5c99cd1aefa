from loadrig.language.en.report.figures.latency_bands import LatencyBandTexts


class KoreanLatencyBandTexts(LatencyBandTexts):
    both = "응답 시간은 요청이 예정된 때부터, 서비스 시간은 요청을 보낸 때부터 잽니다. 둘의 차이는 전송을 기다린 시간입니다."
    service_only = "서비스 시간은 요청을 보낸 때부터 잽니다. 언제 예정되어 있었는지는 알 수 없습니다."
    response_p50 = "응답 p50"
    service_p50 = "서비스 p50"
    service_p99 = "서비스 p99"
    most = "최대"
    title = "시간에 따른 지연 시간"
    good_answers_only = "정상 응답만 셉니다. 한 칸에 p99는 응답 100개, p99.9는 1,000개가 필요합니다."
    caption = "측정 구간의 초당 정상 응답 지연 시간"
