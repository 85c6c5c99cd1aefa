class KoreanShiftFigureTexts:
    about = (
        "정상 응답의 비율마다 A 대비 B의 응답 시간이 얼마나 달라졌는지 나타냅니다. 모두 같은 비율로 느려졌다면 평평하고, 느린"
        " 응답만 느려졌다면 p99 쪽으로 올라갑니다. 점: 추정값, 띠: 각각의 95 % 구간, 선 아래: 더 빠름."
    )
    alone = "양쪽이 각각 실행 하나뿐이므로, 실행마다 얼마나 달라지는지는 구간에 반영되지 않습니다."
    response = "응답"
    service = "서비스"
    all_routes = "모든 라우트"
    slower = "느려짐"
    faster = "빨라짐"
    route = "라우트"
    quantile = "분위수"
    change = "변화"
    interval = "95 % 구간"
    caption = "정상 응답 비율별 응답 시간"
    change_of = "{kind} 시간의 변화"
