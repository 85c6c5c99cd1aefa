from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.particles import with_particle


class KoreanLabsTruthTexts:
    either = " 또는 "
    no_trial = "진단할 만큼 좋은 trial이 없었습니다"
    verdicts: ClassVar[Mapping[str, str]] = {"possible": "가능", "likely": "유력", "named": "증명됨"}
    accused_of_nothing = "이상이 없는데 {accused:이} 지목되었습니다"
    nobody_accused = "지목된 것이 없습니다. {sentence}"
    not_found = "답은 {wanted}입니다만 찾지 못했습니다: {sentence}"
    came_later = " ({place}번째로 나옴)"
    other_first = "답은 {wanted}{later}, 첫 번째로 나온 것은 {first}입니다"
    found_elsewhere = "답은 {wanted}, 찾은 곳은 {component}입니다"

    def only(self, first: str, verdict: str) -> str:
        return f"{with_particle(first, '이')} 첫 번째로 나왔지만 판정은 '{self.verdicts.get(verdict, verdict)}'입니다"

    innocent_accused = "원인이 아닌 {innocent:이} 지목되었습니다"

    def came_first(self, first: str, verdict: str) -> str:
        return (
            f"{with_particle(first, '이')} 첫 번째로 나왔습니다. 판정: {self.verdicts.get(verdict, verdict)}"
        )

    of_trials = " (trial {trials}개 중 {number}개)"
    lies_in = "{components}의 {causes}"
