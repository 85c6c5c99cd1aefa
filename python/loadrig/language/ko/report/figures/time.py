class KoreanTimeChartTexts:
    line = "선"
    least = "최소"
    median = "중앙값"
    greatest = "최대"
    merged = " 점 하나는 {length} 구간이며, 옅은 띠는 그 안의 {frames}개 프레임의 최소와 최대를 나타내므로 튀거나 꺼진 값도 사라지지 않습니다."
