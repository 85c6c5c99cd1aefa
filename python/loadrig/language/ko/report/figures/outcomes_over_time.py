class KoreanOutcomeFigureTexts:
    title = "시간에 따른 실패"
    about = "초당 실패한 요청을 종류별로 쌓은 것입니다."
    caption = "측정 구간의 초당 실패"
    failed = "실패"
