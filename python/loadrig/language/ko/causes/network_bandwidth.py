"""Sentences of `network_bandwidth` in Korean."""

from loadrig.language.en.causes.network_bandwidth import NetworkBandwidthTexts
from loadrig.language.particles import with_particle


class KoreanNetworkBandwidthTexts(NetworkBandwidthTexts):
    """Sentences of `causes.network_bandwidth`, in Korean."""

    title = "네트워크가 더 많은 바이트를 나르지 못합니다"
    what_waits_sent = "보내려고 기다리는 것을 보지 못했습니다: sock_diag가 알려 줍니다 (modprobe tcp_diag)"
    mend = "응답을 압축하거나 필드를 줄이십시오. 사용자와 가까운 캐시, 더 빠른 회선"
    decides = "본문을 절반으로 하고 같은 부하를 (Accept-Encoding: gzip): 초당 요청이 두 배가 됩니다"

    def carried_s_speed(self, subject: str, mean: str, used: str) -> str:
        return f"{with_particle(subject, '이')} 초당 {mean}, 속도의 {with_particle(used, '를')} 날랐습니다"

    def waited_sent_second(self, queued: str, bytes_per_s: str, wait_s: str, median_s: str) -> str:
        return f"{with_particle(queued, '이')} 초당 {bytes_per_s}로 전송을 기다렸습니다: 중앙값 {median_s} 중 {wait_s}"

    def lay_unread_other(self, name: str) -> str:
        return f"반대쪽 끝에 {with_particle(name, '이')} 읽히지 않은 채 있었습니다"

    def used_cpu(self, name: str, word: str) -> str:
        return f"{with_particle(name, '은')} CPU의 {with_particle(word, '를')} 썼습니다"

    def effect(self, bytes_per_s: str, name: str, size: str) -> str:
        return (
            f"{name}에서 초당 {bytes_per_s}, 요청당 {with_particle(size, '이')} 나갔고 더는 나가지 못했습니다"
        )

    def waiting_sent(self, wait_s: str, median_s: str) -> str:
        return f"{median_s} 중 {with_particle(wait_s, '은')} 전송 대기입니다"

    def carried_second_within(self, subject: str, mean: str, spread: str) -> str:
        return f"{with_particle(subject, '이')} 초당 {mean}, 편차 {spread} 안에서 날랐습니다"

    def level_something_holds(self, text: str) -> str:
        return f"{text}: 무언가가 붙들고 있는 수준입니다"
