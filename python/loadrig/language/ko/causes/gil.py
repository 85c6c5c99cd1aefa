"""Sentences of `gil` in Korean."""

from loadrig.language.en.causes.gil import GilTexts


class KoreanGilTexts(GilTexts):
    """Sentences of `causes.gil`, in Korean."""

    title = "파이썬 프로세스 하나의 인터프리터 락(GIL)이 소진되었습니다"
    decides = "프로세스를 하나 늘리면 처리량이 비례해 오르고, 스레드를 늘리면 아무것도 바뀌지 않습니다"

    def whoever_held_mostly(self, top: str) -> str:
        return f"락을 잡은 쪽은 대부분 {top}에 있었습니다"

    def effect(self, waiting: str, ok_rps: str) -> str:
        return f"스레드 {waiting}개가 인터프리터 락을 기다렸습니다, {ok_rps}/s"

    def mend(self, processes: str, culprit: str) -> str:
        return f"스레드 대신 프로세스를 늘리십시오: {processes}{culprit}"

    def or_make_cheaper(self, top: str) -> str:
        return f"; 또는 {top}의 비용을 줄이십시오"

    def them_behind_address(self, wanted: str, wanted_2: str) -> str:
        return f"한 주소 뒤에 {wanted}개, 예: gunicorn --workers={wanted_2}"
