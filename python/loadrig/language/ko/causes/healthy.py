"""Sentences of `healthy` in Korean."""

from loadrig.language.en.causes.healthy import HealthyTexts
from loadrig.language.particles import with_particle


class KoreanHealthyTexts(HealthyTexts):
    """Sentences of `causes.healthy`, in Korean."""

    title = "이 부하에서는 아무것도 서버를 제한하지 않습니다"
    no_proof = "움직일 만한 이상이 없습니다. 부하를 5분의 1 더 걸면 여유가 있는지 알 수 있습니다"
    mend = "고칠 것이 없습니다. 한계 자체를 찾으려면 부하를 올리십시오"
    decides = "부하를 5분의 1 더: 마찬가지로 응답되어야 합니다"

    def failed_flight_average(self, failed_share: str, waiting: str) -> str:
        return f"실패 {failed_share}, 평균 {waiting}건 처리 중"

    def what_due_answered(self, well: str) -> str:
        return f"예정된 것의 {with_particle(well, '가')} 제대로 응답되었습니다"

    def next_limit_used(self, what: str, component: str, used_share: str) -> str:
        return f"다음 한계인 {component}의 {what}은 {used_share} 사용 중이었습니다"

    def nothing_limits_s(self, ok_rps: str) -> str:
        return f"{ok_rps}/s에서 아무것도 제한하지 않습니다"

    def how_much_room(self, text: str) -> str:
        return f"{text}; 여유가 얼마인지는 보지 못했습니다"

    def to(self, low: str, high: str) -> str:
        return f"95 % {low} ~ {high}"

    def headroom_about_times(
        self, text: str, rps: str, what: str, component: str, rps_2: str, span: str
    ) -> str:
        return f"{text}; 여유는 이 부하의 약 {rps}배, 그때 {component}의 {with_particle(what, '이')} 가득 찹니다 ({rps_2}/s, {span})"
