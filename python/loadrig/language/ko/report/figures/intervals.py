from loadrig.language.en.report.figures.intervals import IntervalTexts


class KoreanIntervalTexts(IntervalTexts):
    no_change = "변화 없음"

    def does_not_matter(self, margin: str) -> str:
        return f"{margin} 이내: 의미 없는 차이"
