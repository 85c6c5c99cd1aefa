from loadrig.language.en.causes.conntrack_full import ConntrackFullTexts
from loadrig.language.particles import with_particle


class KoreanConntrackFullTexts(ConntrackFullTexts):
    title = "추적 커넥션 테이블이 가득 찼습니다"
    no_proof = "테이블은 머신 전체에 하나뿐입니다. net.netfilter.nf_conntrack_max를 직접 두 배로 늘리고 다시 실행하십시오"
    segments_sent_again = "세그먼트 {}개가 새 커넥션의 것처럼 다시 전송되었습니다"
    mend = "sysctl -w net.netfilter.nf_conntrack_max=1048576, 또는 포트를 추적하지 않게 하십시오 (notrack)"
    decides = "nf_conntrack_max를 두 배로 하고 같은 부하를: 실패가 사라지거나 늦게 나타납니다"
    whether_connecting_failed = "연결이 실패했는지 읽지 못했습니다: nstat -az TcpAttemptFails TcpRetransSegs"

    def connections_may_tracked(self, peak: str) -> str:
        return f"추적할 수 있는 커넥션의 {with_particle(peak, '가')} 찼습니다"

    def entries(self, peak: str) -> str:
        return f": 항목 {peak}개"

    def effect(self, count: str, ok_rps: str) -> str:
        return f"새 커넥션이 버려졌습니다: 요청 {count}건이 실패했고 {ok_rps}/s가 제대로 응답되었습니다"

    def requests_failed_want(self, lost: str) -> str:
        return f"요청 {lost}건이 커넥션이나 응답을 얻지 못해 실패했습니다"

    def attempts_failed_or(self, count: str) -> str:
        return f"{count}회의 시도가 실패했거나 재시도되었습니다"
