from loadrig.language.en.report.figures.settings_dots import SettingsDotTexts


class KoreanSettingsDotTexts(SettingsDotTexts):
    no_valid_trial = "유효한 trial 없음"
    setting = "설정"
    interval = "구간"
    standing = "판정"
    caption = "판정 지표로 본 설정"
    more_is_better = "높을수록 좋음"
    less_is_better = "낮을수록 좋음"

    def within_best(self, margin: str) -> str:
        return f"최선과의 차이 {margin} 이내"

    def title(self, measure: str) -> str:
        return f"설정별 {measure}"

    def about(self, better: str) -> str:
        return f"점: 설정의 추정값, 막대: 95 % 구간, 눈금: 개별 trial ({better})."
