from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.exporters import ExportersTrialErrors
from loadrig.language.particles import with_particle


class KoreanExportersTrialErrors(ExportersTrialErrors):
    def no_times(self, run: str, tool: str) -> ErrorWords:
        return ErrorWords(
            what=f"{run}에는 {tool}의 합계만 있고 요청의 시간이 없습니다",
            mend="수만 담는 형식으로 내보내십시오: csv, markdown, openmetrics, k6",
        )

    def several_trials(self, run: str, count: int, first: str, last: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(run, '은')} trial이 {count}개인데, 내보내기는 하나를 대상으로 합니다",
            mend=f"{first}부터 {last}까지 중 trial 하나의 폴더를 쓰십시오",
        )
