from collections.abc import Mapping
from typing import ClassVar


class KoreanCatalogueLookUpTexts:
    set_by = "설정 방법"
    values = "값"
    default = "기본"
    costs = "비용"
    acts_after = "나타나는 때"
    source = "출처"
    kinds: ClassVar[Mapping[str, str]] = {
        "flag": "명령줄의 플래그",
        "environment": "환경 변수",
        "key": "구성의 키",
        "option": "JVM의 옵션",
        "sysctl": "sysctl",
        "cgroup": "컨트롤 그룹의 파일",
    }
    knobs_of_system = "{title}의 설정 항목"
    knob_of_system = "{title}의 설정 항목"
    several_times = "{formula}, 측정 구간 안에서 {cycles}번"
