from loadrig.language.en.report.page import (
    ReportHtmlCardTexts,
    ReportHtmlTexts,
    ReportKickerTexts,
    ReportNumbersTexts,
    ReportRunTexts,
    ReportTopFramesTexts,
)
from loadrig.language.particles import with_particle


class KoreanReportHtmlTexts(ReportHtmlTexts):
    to_verdict = "판정으로 건너뛰기"
    theme = "밝게, 어둡게, 또는 시스템 설정대로"
    sections = "목차"
    charts_of = "차트 대상"
    colours_after_okabe = "색은 Okabe와 Ito(2008)를 따라 어떤 색각으로도 구별되며, 선은 점선으로도, 판정은 기호와 낱말로도 구별됩니다. 차트: uPlot 1.6.32 (MIT)."
    same_table = "같은 내용을 표로"

    def setting(self, group: str) -> str:
        return f"{group} 설정"

    def chart_of(self, title: str) -> str:
        return f"{title}: 차트, 표가 이어집니다"


class KoreanReportHtmlCardTexts(ReportHtmlCardTexts):
    what_to_do = "할 일"
    why_nothing_else = "다른 것이 아닌 이유"
    what_would_decide = "판가름할 것"
    against = "반증"
    not_seen = "보지 못한 것"
    what_explains = "설명하는 것"


class KoreanReportKickerTexts(ReportKickerTexts):
    kind_capacity = "용량"
    kind_tune = "튜닝"
    kind_soak = "소크"
    kind_spike = "급증"
    kind_grid = "격자"
    kind_one_at_a_time = "한 번에 항목 하나"
    study = "study"

    def trial(self, index: str) -> str:
        return f"trial {index}"

    def measured(self, amount: str) -> str:
        return f"{amount} 측정"

    def open_browser(self, short: str) -> str:
        return f"브라우저에서 {with_particle(short, '을')} 여십시오"


class KoreanReportRunTexts(ReportRunTexts):
    def trial(self, get: str) -> str:
        return f"trial {get}"

    def trial_of_setting(self, index: str, setting: str) -> str:
        return f"trial {index}: {setting}"


class KoreanReportNumbersTexts(ReportNumbersTexts):
    and_more = "×1,000 이상"

    def points(self, sign: str, difference: str) -> str:
        return f"{sign}{difference}포인트"

    def number_of_points(self, removesuffix: str) -> str:
        return f"{removesuffix}포인트"

    def items_and_more(self, items: str, others: str) -> str:
        return f"{items} 외 {others}개"

    def joined(self, items: str, last: str) -> str:
        return f"{items}, {last}"


class KoreanReportTopFramesTexts(ReportTopFramesTexts):
    cpu_time_function = "함수 자체의 CPU 시간, 프로파일에서의 비율."
    cpu_time_function_all = "함수와 그것이 호출한 모든 것의 CPU 시간."

    def cpu_time(self, named: str, split: str) -> str:
        return f"{named}의 CPU 시간: {split}"

    def the(self, component: str) -> str:
        return f"{component}"
