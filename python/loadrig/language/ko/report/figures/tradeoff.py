class KoreanTradeoffTexts:
    recommended_remark = ", 추천"
    misses_goal = ", 목표 미달"
    on_front = ", 프런트 위"
    unbeaten = "둘 다에서 더 나은 설정이 없는 설정"
    recommended = "추천"
    caption = "둘 다에서 더 나은 설정이 없는 설정"
    about = (
        "표시 하나가 시험한 설정 하나입니다. 선은 {measure} 및 {second} 둘 다에서 더 나은 설정이 없는 설정을"
        " 잇습니다(파레토 프런트). 가위표는 목표 미달입니다."
    )
    title = "{second} 대 {measure}"
    with_second = "{setting}: {value}, {second}{remark}"
