from collections.abc import Mapping
from typing import ClassVar


class KoreanJudgementExperimentsResultsTexts:
    measures: ClassVar[Mapping[str, str]] = {
        "throughput": "처리량", "latency": "지연 시간", "dips": "저하", "growth": "증가 속도"
    }  # fmt: skip
    moved_by = "{title}: {measure} {change}"
    moved_at_least_by = "{title}: {measure} 최소 {change}"
    went_to = "{title}: {measure} {unchanged}에서 {changed:으로}"
    with_elasticity = "{moved} (탄력성 {value}, 95 % {low} ~ {high})"
    with_interval = "{moved} (95 % {low} ~ {high})"


class KoreanJudgementExperimentsSignalsTexts:
    time_before = "{component}의 {signal}: 전에는 시간의 {before}, 적용 뒤에는 {after}"


class KoreanJudgementExperimentsSuspectsTexts:
    no_profile_taken = "그것만이 보여 줄 수 있는 프로파일을 뜨지 않았습니다"
    not_seen = "보지 못함"


class KoreanJudgementExperimentsVerdictsTexts:
    what_limits_not = "무엇이 한계인지 알 수 없습니다: 실험이 의심되는 원인 중 어느 것도 움직이지 못했습니다."
    likely = "유력: "
    possibly = "가능: "
    experiments_cannot_tell = "실험으로는 이 원인들을 구별할 수 없습니다: "
    moves_nothing = "아무것도 움직이지 않습니다: {says}"
    left_likeliest = "실험 뒤에 가장 유력하게 남은 원인입니다({chance}): {says}"
    what_blames_went = "이상이 사라진 동안에도 지목한 것은 계속되었습니다: {says}"
    is_too = "이것도 판정은 '{rival}'입니다"
    what_would_decide = " 판가름할 방법: {first}"
    experiment_shows = "{title} ({component}), 실험이 보여 줍니다"
