from collections.abc import Mapping
from typing import ClassVar

from loadrig.language.en.labs import LabsTruthTexts
from loadrig.language.particles import with_particle


class KoreanLabsTruthTexts(LabsTruthTexts):
    either = " 또는 "
    no_trial = "진단할 만큼 좋은 trial이 없었습니다"
    verdicts: ClassVar[Mapping[str, str]] = {"possible": "가능", "likely": "유력", "named": "증명됨"}

    def accused_of_nothing(self, accused: str) -> str:
        return f"이상이 없는데 {with_particle(accused, '이')} 지목되었습니다"

    def nobody_accused(self, sentence: str) -> str:
        return f"지목된 것이 없습니다. {sentence}"

    def not_found(self, wanted: str, sentence: str) -> str:
        return f"답은 {wanted}입니다만 찾지 못했습니다: {sentence}"

    def came_later(self, place: int) -> str:
        return f" ({place}번째로 나옴)"

    def other_first(self, wanted: str, later: str, first: str) -> str:
        return f"답은 {wanted}{later}, 첫 번째로 나온 것은 {first}입니다"

    def found_elsewhere(self, wanted: str, component: str) -> str:
        return f"답은 {wanted}, 찾은 곳은 {component}입니다"

    def only(self, first: str, verdict: str) -> str:
        return f"{with_particle(first, '이')} 첫 번째로 나왔지만 판정은 '{self.verdicts.get(verdict, verdict)}'입니다"

    def innocent_accused(self, innocent: str) -> str:
        return f"원인이 아닌 {with_particle(innocent, '이')} 지목되었습니다"

    def came_first(self, first: str, verdict: str) -> str:
        return (
            f"{with_particle(first, '이')} 첫 번째로 나왔습니다. 판정: {self.verdicts.get(verdict, verdict)}"
        )

    def of_trials(self, number: str, trials: str) -> str:
        return f" (trial {trials}개 중 {number}개)"

    def lies_in(self, causes: str, components: str) -> str:
        return f"{components}의 {causes}"
