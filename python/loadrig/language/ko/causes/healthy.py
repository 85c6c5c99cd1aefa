from loadrig.language.en.causes.healthy import HealthyTexts
from loadrig.language.particles import with_particle


class KoreanHealthyTexts(HealthyTexts):
    title = "이 부하에서는 서버를 제한하는 것이 없습니다"
    no_proof = "바꿔서 확인할 문제가 없으며, 여유가 있는지는 부하를 20 % 늘려 보면 알 수 있습니다"
    mend = "고칠 것이 없으며, 한계 자체를 찾으려면 부하를 높이십시오"
    decides = "부하를 20 % 늘려도 지금처럼 잘 응답해야 합니다"
    room_unseen = "; 여유가 얼마나 있는지는 관찰되지 않았습니다"

    def failed(self, share: str, in_flight: str) -> str:
        return f"요청의 {with_particle(share, '이')} 실패했고, 처리 중인 요청은 평균 {in_flight}개였습니다"

    def answered_well(self, share: str) -> str:
        return f"보내야 할 요청의 {share}에 제대로 응답했습니다"

    def next_limit_used(self, what: str, component: str, share: str) -> str:
        return f"다음 한계인 {component}의 {what} 사용률은 {share}였습니다"

    def formula_of_limit(self, servers: str, demand: str, rate: str) -> str:
        return f"{servers} / 요청당 {demand} = {rate}/s"

    def connections_before(self, number: str, to: str, rate: str) -> str:
        return f"{to}로 가는 커넥션이 {number}개보다 많아질 수 없다면 {rate}/s에서 모두 쓰입니다"

    def formula_of_connections(self, number: str, taken: str, rate: str) -> str:
        return f"커넥션 {number}개 중 {taken}개 사용: {rate}/s에서 꽉 참"

    def limits_nothing(self, rate: str) -> str:
        return f"{rate}/s에서는 서버를 제한하는 것이 없습니다"

    def room_beside_others(self, others: str, cores: str) -> str:
        return f"; 다른 프로그램이 서버의 {cores} 가운데 {others}만큼 사용했으므로, 여유는 그 프로그램 없이 측정해야 알 수 있습니다"

    def room_of_cores(self, times: str, what: str, component: str) -> str:
        return (
            f"; 이 부하의 약 {times}배에서 {component}의 {with_particle(what, '이')} 가득 차겠지만, 요청들은 이미 서로를"
            " 기다리고 있습니다"
        )

    def headroom(self, times: str, what: str, component: str, rate: str, low: str, high: str) -> str:
        return (
            f"; 이 부하의 약 {times}배까지 여유가 있으며, 그때 {component}의 {with_particle(what, '이')} 가득 찹니다"
            f"({rate}/s, 95 % {low} – {high})"
        )
