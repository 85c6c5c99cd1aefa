"""Sentences of `experiments` in Korean, a class for each of its files."""

from loadrig.language.en.judgement.experiments import (
    JudgementExperimentsResultsTexts,
    JudgementExperimentsSignalsTexts,
    JudgementExperimentsSuspectsTexts,
    JudgementExperimentsVerdictsTexts,
)
from loadrig.language.particles import with_particle


class KoreanJudgementExperimentsResultsTexts(JudgementExperimentsResultsTexts):
    """Sentences of `judgement.experiments.results`, in Korean."""

    at_least = "최소 "

    def to(self, title: str, measure: str, unchanged: str) -> str:
        return f"{title}: {with_particle(measure, '이')} {unchanged}"

    def elasticity_to(self, moved: str, value: str, low: str, high: str) -> str:
        return f"{moved} (탄력성 {value}, 95 % {low} ~ {high})"

    def to_2(self, moved: str, percent: str, percent_2: str) -> str:
        return f"{moved} (95 % {percent} ~ {percent_2})"


class KoreanJudgementExperimentsSignalsTexts(JudgementExperimentsSignalsTexts):
    """Sentences of `judgement.experiments.signals`, in Korean."""

    def time_before(self, signal: str, component: str, before: str, after: str) -> str:
        return f"{component}의 {signal}: 전에는 시간의 {before}, 적용 뒤에는 {after}"


class KoreanJudgementExperimentsSuspectsTexts(JudgementExperimentsSuspectsTexts):
    """Sentences of `judgement.experiments.suspects`, in Korean."""

    no_profile_taken = "그것만이 보여 줄 수 있는 프로파일을 뜨지 않았습니다"
    not_seen = "보지 못함"


class KoreanJudgementExperimentsVerdictsTexts(JudgementExperimentsVerdictsTexts):
    """Sentences of `judgement.experiments.verdicts`, in Korean."""

    what_limits_not = "무엇이 한계인지 알 수 없습니다: 실험이 의심되는 원인 중 어느 것도 움직이지 못했습니다."
    experiments_cannot_tell = "실험으로는 이 원인들을 구별할 수 없습니다: "

    def moves_nothing(self, says: str) -> str:
        return f"아무것도 움직이지 않습니다: {says}"

    def what_blames_went(self, says: str) -> str:
        return f"이상이 사라진 동안에도 지목한 것은 계속되었습니다: {says}"

    def is_too(self, rival: str) -> str:
        return f"이것도 해당합니다: {rival}"

    def what_would_decide(self, first: str) -> str:
        return f" 판가름할 방법: {first}"

    def experiment_shows(self, resource: str, resource_2: str) -> str:
        return f"{resource} ({resource_2}), 실험이 보여 줍니다"
