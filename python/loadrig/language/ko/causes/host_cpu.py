"""Sentences of `host_cpu` in Korean."""

from loadrig.language.en.causes.host_cpu import HostCpuTexts


class KoreanHostCpuTexts(HostCpuTexts):
    """Sentences of `causes.host_cpu`, in Korean."""

    title = "CPU가 소진되었습니다"

    def most_cpu_time(self, top: str) -> str:
        return f"CPU 시간의 대부분이 {top}에 쓰였습니다"

    def threads_waited_core(self, mean: str) -> str:
        return f"스레드들이 매초 {mean} s 동안 코어를 기다렸습니다"

    def make_cheaper_or(self, top: str) -> str:
        return f"{top}의 비용을 줄이거나, 코어나 인스턴스를 늘리십시오"
