from loadrig.language.en.report.figures.cpu_time import CpuTimeFigureTexts


class KoreanCpuTimeFigureTexts(CpuTimeFigureTexts):
    title = "용도별 CPU 시간"
    about = "막대 하나는 관찰한 CPU 시간을 용도별로 나눈 것입니다. 자체 코드는 프로그램의 코드와 언어가 그것을 위해 하는 일이고, 나머지는 라이브러리 이름으로 나눕니다."
    component = "구성 요소"
    spent_on = "CPU 시간의 용도"
    share = "비율"
    samples = "샘플"
    of_it = "그중"

    def part(self, component: str, share: str, words: str, samples: str) -> str:
        return f"{component}: {words} {share}, 샘플 {samples}개"

    def samples_by(self, samples: str, profiler: str) -> str:
        return f"{profiler}의 샘플 {samples}개"
