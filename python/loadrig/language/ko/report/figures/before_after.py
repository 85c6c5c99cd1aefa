class KoreanBeforeAfterTexts:
    before = "전"
    after = "후"
    gain = "이득"
    predicted = "예측"
    verified = "검증됨"
    no_gain = "검증되지 않음: 이득이 있다고 할 수 없습니다"
    made_worse = "검증되지 않음: 오히려 나빠졌습니다"
    brought_too_little = "검증되지 않음: 이득이 너무 작습니다"
    brought_less = "검증되지 않음: 예측보다 이득이 작습니다"
    median = "중앙값"
    pair = "쌍"
    change = "변화"
    caption = "적용 전과 후"
    title = "조치 적용 전과 후: {fix}"

    def about(self, measure: str, better: str, *, has_prediction: bool) -> str:
        prediction = ", 마름모는 예측한 값입니다." if has_prediction else "입니다."
        return (
            f"가는 선은 조치 없이, 그리고 조치와 함께 한 쌍으로 잰 두 측정의 {measure} 값을 잇고({better}),"
            f" 굵은 선은 그 중앙값을 잇습니다. 오른쪽 막대는 이득의 95 % 구간{prediction}"
        )
