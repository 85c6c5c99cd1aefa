class KoreanDifferenceTexts:
    every_measure = "모든 지표"
    about_measures = "모든 라우트를 합친 각 지표의 변화로, A 대비 B입니다. 점: 추정값, 막대: 95 % 구간. 처리량은 높을수록, 시간과 비용은 낮을수록 좋습니다."
    more_is_better = "높을수록 좋음"
    less_is_better = "낮을수록 좋음"
    all_at_same_mix = "전체, 같은 비중 기준"
    all_routes = "모든 라우트"
    compared = "비교 대상"
    change_and_interval = "변화와 구간"
    blocks = "블록"
    verdict = "판정"
    p_meaning = "양측 검정, 함께 판정한 모든 비교에 대해 보정 (Holm)"
    route_by_route = "라우트별 {measure}"
    about_routes = "{measure}의 변화로, A 대비 B입니다. 점: 추정값, 막대: 95 % 구간, {better}."
    about_routes_in_points = (
        "퍼센트포인트로 나타낸 {measure}의 변화로, A 대비 B입니다. 점: 추정값, 막대: 95 % 구간, {better}."
    )
    at_same_mix = "{measure} (같은 비중)"
    measure_of_route = "{route}의 {measure}"
