from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.en.judgement.experiments import (
    JudgementExperimentsResultsTexts,
    JudgementExperimentsSignalsTexts,
    JudgementExperimentsSuspectsTexts,
    JudgementExperimentsVerdictsTexts,
)
from loadrig.language.particles import with_particle


class KoreanJudgementExperimentsResultsTexts(JudgementExperimentsResultsTexts):
    measures: ClassVar[Mapping[str, str]] = {
        "throughput": "처리량", "latency": "지연 시간", "dips": "저하", "growth": "증가 속도"
    }  # fmt: skip

    def moved_by(self, title: str, measure: str, change: str) -> str:
        return f"{title}: {measure} {change}"

    def moved_at_least_by(self, title: str, measure: str, change: str) -> str:
        return f"{title}: {measure} 최소 {change}"

    def went_to(self, title: str, measure: str, unchanged: str, changed: str) -> str:
        return f"{title}: {measure} {unchanged}에서 {with_particle(changed, '으로')}"

    def with_elasticity(self, moved: str, value: str, low: str, high: str) -> str:
        return f"{moved} (탄력성 {value}, 95 % {low} ~ {high})"

    def with_interval(self, moved: str, low: str, high: str) -> str:
        return f"{moved} (95 % {low} ~ {high})"


class KoreanJudgementExperimentsSignalsTexts(JudgementExperimentsSignalsTexts):
    def time_before(self, signal: str, component: str, before: str, after: str) -> str:
        return f"{component}의 {signal}: 전에는 시간의 {before}, 적용 뒤에는 {after}"


class KoreanJudgementExperimentsSuspectsTexts(JudgementExperimentsSuspectsTexts):
    no_profile_taken = "그것만이 보여 줄 수 있는 프로파일을 뜨지 않았습니다"
    not_seen = "보지 못함"


class KoreanJudgementExperimentsVerdictsTexts(JudgementExperimentsVerdictsTexts):
    what_limits_not = "무엇이 한계인지 알 수 없습니다: 실험이 의심되는 원인 중 어느 것도 움직이지 못했습니다."
    likely = "유력: "
    possibly = "가능: "
    experiments_cannot_tell = "실험으로는 이 원인들을 구별할 수 없습니다: "

    def moves_nothing(self, says: str) -> str:
        return f"아무것도 움직이지 않습니다: {says}"

    def left_likeliest(self, chance: str, says: str) -> str:
        return f"실험 뒤에 가장 유력하게 남은 원인입니다({chance}): {says}"

    def what_blames_went(self, says: str) -> str:
        return f"이상이 사라진 동안에도 지목한 것은 계속되었습니다: {says}"

    def is_too(self, rival: str) -> str:
        return f"이것도 판정은 '{rival}'입니다"

    def what_would_decide(self, first: str) -> str:
        return f" 판가름할 방법: {first}"

    def experiment_shows(self, title: str, component: str) -> str:
        return f"{title} ({component}), 실험이 보여 줍니다"
