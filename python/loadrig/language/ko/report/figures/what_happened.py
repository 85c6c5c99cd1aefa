from loadrig.language.en.report.figures.what_happened import WhatHappenedTexts


class KoreanWhatHappenedTexts(WhatHappenedTexts):
    by_hand = "수동 조작"
    title = "일어난 일"
    at = "시점"
    tier = "계층"
    what = "종류"
    lasted = "지속 시간"
    about = "눈금 하나는 그 시점에 시작된 일이며, 이어진 일이라면 높이가 지속 시간입니다."

    def events(self, number: int) -> str:
        return f"모두 {number:,}건입니다."

    def in_all(self, length: str) -> str:
        return f", 합계 {length}"

    def several(self, number: int, first: str) -> str:
        return f"{number}회, 첫 번째: {first}"

    def more_rows(self, number: str) -> str:
        return f"나머지 {number}건은 events.jsonl에 있습니다."
