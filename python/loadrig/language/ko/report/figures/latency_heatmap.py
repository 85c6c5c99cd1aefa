from loadrig.language.en.report.figures.latency_heatmap import LatencyHeatmapTexts


class KoreanLatencyHeatmapTexts(LatencyHeatmapTexts):
    response = "응답"
    service = "서비스"
    latency = "지연 시간"
    answers = "응답"
    share = "비율"
    title = "응답의 분포"

    def between(self, low: str, high: str) -> str:
        return f"{low} ~ {high}"

    def caption(self, kind: str) -> str:
        return f"trial 전체의 {kind} 시간별 정상 응답"

    def about(self, kind: str) -> str:
        return f"칸 하나는 한 시점, 한 {kind} 시간 범위의 정상 응답 수입니다. 흰 바탕에서는 진할수록(검은 바탕에서는 밝을수록) 많으며, 로그 척도입니다."
