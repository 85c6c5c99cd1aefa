"""Sentences of `packet_loss` in Korean."""

from loadrig.language.en.causes.packet_loss import PacketLossTexts
from loadrig.language.particles import with_particle


class KoreanPacketLossTexts(PacketLossTexts):
    """Sentences of `causes.packet_loss`, in Korean."""

    title = "도중에 패킷이 손실됩니다"
    no_proof = "경로는 우리가 바꿀 수 없습니다. 서버의 머신에서처럼 다른 경로로 다시 실행하십시오"
    whether_connections_turned = "커넥션이 거절되었는지 읽지 못했습니다: nstat -az TcpExtListenDrops"
    mend = "경로를 보십시오: 두 머신과 그 사이에서 ip -s link, ethtool -S, tc -s qdisc"
    decides = "서버의 머신에서처럼 다른 경로로 같은 부하를"
    no_request_answered = "제대로 응답된 요청이 없어 지연 시간으로는 알 수 없습니다"
    segment_sent_again = "세그먼트가 다시 전송됩니다"
    too_soon_segment = "다시 전송된 세그먼트라기에는 너무 이릅니다"

    def segments_sent_again(self, share: str, count: str) -> str:
        return f"세그먼트의 {with_particle(share, '가')} 다시 전송되었습니다: 모두 {count}개"

    def connections_turned_away(self, turned_away: str) -> str:
        return f"리스너가 커넥션 {turned_away}개를 거절했습니다"

    def effect(self, share: str, slow: str, median: str) -> str:
        return (
            f"세그먼트의 {with_particle(share, '가')} 손실되었습니다. p99는 {slow}, 중앙값은 {median}입니다"
        )

    def segments_sent_again_requests(self, count: str, ended: str) -> str:
        return f"요청 {ended}건에 세그먼트 {count}개 재전송"

    def half_answers_took(self, median_s: str) -> str:
        return f"응답의 절반이 {median_s} 이상 걸렸습니다: 200 ms는 눈에 띄지 않습니다"

    def look_lower_load(self, text: str) -> str:
        return f"{text}; 더 낮은 부하에서 보십시오"

    def was_the_median(self, names: str, slowest_s: str, median_s: str) -> str:
        return f"{with_particle(names, '은')} {slowest_s}, 중앙값은 {median_s}"

    def after_ms(self, text: str, how: str) -> str:
        return f"{text}: 200 ms 뒤 {how}"

    def core_idle_time(self, mean: str) -> str:
        return f"코어가 전체 시간의 {mean}만 비어 있었습니다: 수신자가 늦었습니다"

    def counted(self, interface: str, replace: str) -> str:
        return f"{with_particle(interface, '이')} {{}} {with_particle(replace, '를')} 기록했습니다"
