from loadrig.language.en.report.figures.leak import LeakFigureTexts


class KoreanLeakFigureTexts(LeakFigureTexts):
    title = "요청마다 늘어나는 것"
    at_its_slope = "추정 기울기"
    what = "대상"
    request = "요청당"
    in_all = "총 증가"
    now = "현재"
    limit = "한도"
    time_left = "남은 시간"

    def what_of(self, what: str, component: str) -> str:
        return f"{component}의 {what}"

    def grows(self, what: str, growth: str, low: str, high: str) -> str:
        return f"{what}: 요청당 {growth} 증가 (95 % {low} ~ {high})."

    dashed_line = "점선은 그 기울기로 늘어날 때의 추이이고, 옅은 띠는 그 구간입니다."

    def growth_a_request(self, growth: str) -> str:
        return f"요청당 {growth}"

    def restarts_hide(self, lives: int) -> str:
        return f"재시작 때문에 드러나지 않아, {lives}번의 수명을 겹쳐 놓았습니다. "

    def reached_in(self, rate: str, limit: str, amount: str, time: str) -> str:
        return f"{rate}/s에서는 {time} 후에 다음 한도에 도달합니다: {limit} ({amount}). "

    def time_to_limit(self, time: str, limit: str) -> str:
        return f", {limit}까지 {time}"
