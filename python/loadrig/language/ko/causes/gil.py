from loadrig.language.en.causes.gil import GilTexts
from loadrig.language.particles import with_particle


class KoreanGilTexts(GilTexts):
    title = "Python 프로세스 하나의 인터프리터 락(GIL)이 포화되었습니다"
    decides = "프로세스를 하나 늘리면 처리량이 비례해서 올라가고, 스레드를 늘려서는 달라지지 않습니다"

    def held_by(self, function: str) -> str:
        return f"락을 쥔 스레드는 주로 {function}에 있었습니다"

    def waited(self, number: str, rate: str) -> str:
        return f"처리량 {rate}/s에서 스레드 {number}개가 인터프리터 락을 기다렸습니다"

    def mend(self, processes: str) -> str:
        return f"스레드 대신 프로세스를 늘리십시오: {processes}"

    def behind_an_address(self, number: str) -> str:
        return f"한 주소 뒤에 프로세스 {number}개, 예를 들어 gunicorn --workers={number}"

    def or_cheaper(self, function: str) -> str:
        return f"; 또는 {with_particle(function, '을')} 더 가볍게 만드십시오"
