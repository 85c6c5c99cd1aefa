from loadrig.language.en.report.figures.two_knobs import TwoKnobTexts


class KoreanTwoKnobTexts(TwoKnobTexts):
    not_tried = ", 시험하지 않음"
    misses_goal = ", 목표 미달"
    equals_best = ", 최선과 구별되지 않음"
    recommended = ", 추천"
    misses = "✗ 목표 미달"
    may_be_best = "~ 최선일 수 있음"
    worse = "더 나쁨"
    interval = "구간"
    trials = "trial"
    caption = "시험했거나 최선일 수 있는 조합"

    def about(self, measure: str, fixed: str) -> str:
        return f"색: 모든 trial로 추정한 각 조합의 {measure}{fixed}. 테두리: 최선과 구별되지 않음. 점: 시험함. 가위표: 목표에 미달할 가능성이 더 큼."

    def title(self, measure: str, x: str, y: str) -> str:
        return f"{x}, {y} 값에 따른 {measure}"

    def tried(self, trials: int) -> str:
        return f", trial {trials:,}개"
