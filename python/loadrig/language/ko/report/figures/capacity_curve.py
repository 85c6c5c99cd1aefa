from loadrig.language.en.report.figures.capacity_curve import CapacityCurveTexts


class KoreanCapacityCurveTexts(CapacityCurveTexts):
    title = "부하에 따른 지연 시간"
    answers_no_more = "더는 응답하지 못함"
    knee = "변곡점"
    band_of_capacity = "띠는 용량의 구간입니다."
    knee_meaning = "변곡점에서 응답 시간 대비 처리량이 가장 높습니다."
    level = "부하"
    reason = "목적"
    measured = "측정 시간"
    answered = "응답"
    failed = "실패"
    verdict = "판정"
    caption = "시도한 모든 부하, 순서대로"

    def goal(self, limit: str) -> str:
        return f"목표 {limit}"

    def about(self, measure: str) -> str:
        return f"표시 하나는 부하 한 단계에서 정상 응답의 {measure}입니다. 점은 목표 달성, 가위표는 목표 미달, 고리는 확실해지기 전에 넘어간 단계입니다."
