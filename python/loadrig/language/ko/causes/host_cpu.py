from loadrig.language.en.causes.host_cpu import HostCpuTexts
from loadrig.language.particles import with_particle


class KoreanHostCpuTexts(HostCpuTexts):
    title = "CPU가 포화되었습니다"

    def most_time_in(self, function: str) -> str:
        return f"CPU 시간의 대부분을 {with_particle(function, '이')} 썼습니다"

    def waited_for_core(self, seconds: str) -> str:
        return f"스레드들이 코어를 기다린 시간이 매초 합계 {seconds} s입니다"

    def mend(self, function: str) -> str:
        return f"{with_particle(function, '을')} 더 가볍게 만들거나, 코어를 늘리거나, 인스턴스를 추가하십시오"
