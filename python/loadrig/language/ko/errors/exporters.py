"""Errors of `exporters` in Korean, a class for each of its files."""

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.exporters import ExportersTrialErrors
from loadrig.language.particles import with_particle


class KoreanExportersTrialErrors(ExportersTrialErrors):
    """Errors of `exporters.trial`, in Korean."""

    def several_trials(self, run: str, count: int, first: str, last: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(run, '은')} trial이 {count}개인데, 내보내기는 하나를 대상으로 합니다",
            mend=f"{first}부터 {last}까지 중 trial 하나의 폴더를 쓰십시오",
        )
