from loadrig.language.en.report.figures.account_loads import AccountLoadsFigureTexts


class KoreanAccountLoadsFigureTexts(AccountLoadsFigureTexts):
    title = "부하에 따른 요청 시간"
    users = "사용자"
    sessions_a_second = "초당 세션"
    requests_a_second = "초당 요청"
    load = "부하"
    ended = "완료"
    request = "요청당"
    overloaded = "과부하"

    def about(self, sentence: str) -> str:
        return f"{sentence} 표시 하나는 부하 한 단계이며 95 % 구간의 가운데에 있습니다. 요청을 이루는 부분은 요청이 지나가는 순서로 쌓여 있습니다."

    def bends(self, load: str, more: str) -> str:
        return f"{load}부터 {more} 더 길어짐"

    def takes(self, load: str, time: str) -> str:
        return f"{load}: 요청당 {time}"
