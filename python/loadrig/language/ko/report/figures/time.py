from loadrig.language.en.report.figures.time import TimeChartTexts


class KoreanTimeChartTexts(TimeChartTexts):
    line = "선"
    least = "최소"
    median = "중앙값"
    greatest = "최대"

    def merged(self, length: str, frames: int) -> str:
        return f" 점 하나는 {length} 구간이며, 옅은 띠는 그 안의 {frames}개 프레임의 최소와 최대를 나타내므로 튀거나 꺼진 값도 사라지지 않습니다."
