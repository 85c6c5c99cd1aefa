class KoreanPercentilePlotTexts:
    title = "응답 비율별 지연 시간"
    share_of_answers = "응답 비율"
    caption = "정상 응답 중 이 비율이 들어가는 지연 시간"
    about = "오른쪽으로 한 칸 갈 때마다 느린 응답의 10분의 1만 남습니다. 오른쪽에서 가파르게 올라가는 선은 꼬리가 깁니다. 측정 구간의 정상 응답만 셉니다."
