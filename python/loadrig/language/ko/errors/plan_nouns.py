from collections.abc import Mapping
from typing import ClassVar


class KoreanPlanNodeTexts:
    nothing = "빈 값"
    a_list = "목록"
    a_mapping = "매핑"


class KoreanPlanKindsTexts:
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
    listed = "{noun} 또는 그 목록"
    short_or_mapping = "{noun} 또는 매핑"
    name_of = "{room}의 이름"
    either = "{others} 또는 {last}"
    all_of = "{others}, {last}"


class KoreanPlanSchemaTexts:
    plan_of_loadrig = "loadrig의 plan"


class KoreanPlanWrittenTexts:
    http_version = "1.1 또는 2"
    values = "값 또는 값의 목록"
    knob = "목록, 범위 또는 매핑"
    goal = "목표"
    study = "전략의 이름 또는 매핑"
    list_or_range = "목록 또는 범위"
    condition = "조건"
