from loadrig.language.en.report.figures.forest import ForestTexts


class KoreanForestTexts(ForestTexts):
    base_against_itself = "base와 base 자신"
    noise = "잡음만으로 생기는 차이"
    base = "base"
    effect_of_knobs = "설정 항목별 효과"
    more_is_better = "높을수록 좋음"
    less_is_better = "낮을수록 좋음"
    compared = "비교 대상"
    change_and_interval = "변화와 구간"
    blocks = "블록"
    p_meaning = "아무 효과가 없을 때 이만한 차이가 날 정확한 양측 확률"
    verdict = "판정"
    against_best = "최선의 설정과 비교"

    def against_base(self, base: str) -> str:
        return f"base({base})와 비교한 설정"

    def about_settings(self, measure: str) -> str:
        return f"base 대비 {measure}의 변화로, 같은 블록 안에서 짝지어 판정합니다."

    def about_knobs(self, measure: str) -> str:
        return f"다른 설정 항목은 그대로 두고 한 항목만 이렇게 바꾸었을 때 {measure}의 변화입니다."

    def about(self, about: str, better: str) -> str:
        return f"{about} 점: 추정값, 막대: 95 % 구간, {better}."

    def would_tell(self, blocks: int, time: str) -> str:
        return f"블록이 {blocks:,}개{time} 더 있으면 구별할 수 있습니다"
