from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.en.errors.plan_nouns import (
    PlanKindsTexts,
    PlanNodeTexts,
    PlanSchemaTexts,
    PlanWrittenTexts,
)


class KoreanPlanNodeTexts(PlanNodeTexts):
    nothing = "빈 값"
    a_list = "목록"
    a_mapping = "매핑"


class KoreanPlanKindsTexts(PlanKindsTexts):
    text = "텍스트"
    whole_number = "정수"
    number = "숫자"
    true_or_false = "true 또는 false"
    value = "값"
    mapping = "매핑"
    some_text = "어떤 텍스트"

    rooms: ClassVar[Mapping[str, str]] = {
        "target": "대상",
        "probe": "프로브",
        "profiler": "프로파일러",
        "strategy": "전략",
    }

    def listed(self, noun: str) -> str:
        return f"{noun} 또는 그 목록"

    def short_or_mapping(self, noun: str) -> str:
        return f"{noun} 또는 매핑"

    def name_of(self, room: str) -> str:
        return f"{room}의 이름"

    def either(self, others: str, last: str) -> str:
        return f"{others} 또는 {last}"

    def all_of(self, others: str, last: str) -> str:
        return f"{others}, {last}"


class KoreanPlanSchemaTexts(PlanSchemaTexts):
    plan_of_loadrig = "loadrig의 plan"


class KoreanPlanWrittenTexts(PlanWrittenTexts):
    http_version = "1.1 또는 2"
    values = "값 또는 값의 목록"
    knob = "목록, 범위 또는 매핑"
    goal = "목표"
    study = "전략의 이름 또는 매핑"
    list_or_range = "목록 또는 범위"
    condition = "조건"
