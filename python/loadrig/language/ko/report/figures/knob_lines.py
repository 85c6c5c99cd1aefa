class KoreanKnobLineTexts:
    title = "시험한 모든 설정"
    setting = "설정"
    recommended = ", 추천"
    misses_goal = ", 목표 미달"
    about = (
        "선 하나가 설정 하나입니다. 왼쪽부터 설정 항목이 놓이고, 오른쪽 끝은 그 설정의 {measure}입니다. 굵은 선:"
        " 추천, 실선: 최선과 구별되지 않음, 점선: 목표 미달. 적용되지 않는 설정 항목은 맨 아래로 지나갑니다."
    )
