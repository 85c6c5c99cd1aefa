from loadrig.language.en.report.figures.tier_strips import TierStripTexts


class KoreanTierStripTexts(TierStripTexts):
    title = "시간에 따른 모든 계층"
    about = "부하와 그 지연 시간, 그리고 그 아래에 같은 축으로 놓은 각 계층입니다. 커서는 모든 차트에서 같은 시점을 가리킵니다. 변하지 않은 것은 표에 있습니다."
    answered = "응답"
    failed = "실패"
    load = "부하"
    answers_a_second = "초당 응답"
    latency = "지연 시간"
    of_good_answers = "정상 응답 기준"
    busy = "코어별 유휴가 아닌 시간."
    tier = "계층"
    metric = "지표"
    subject = "대상"
    whole = "전체"
    least = "최소"
    median = "중앙값"
    greatest = "최대"
    caption = "측정 구간에서 프로브가 읽은 값"
    note = "내내 0이었던 것은 생략했습니다. series.parquet에 있습니다."
