class KoreanSearchPathTexts:
    title = "trial별 탐색 과정"
    trial = "trial"
    recommended = ", 추천"
    is_base = ", base"
    missed_goal = ", 목표 미달"
    reached = "trial {index}, {stage}: {setting}: {value}{remark}"
    about = (
        "표시 하나는 trial 하나에서 그 설정의 {measure}이며, 실행한 순서로 놓입니다. 고리: base, 채운 점:"
        " 추천 설정, 가위표: 목표 미달. 마지막 단계만으로 결정합니다."
    )
