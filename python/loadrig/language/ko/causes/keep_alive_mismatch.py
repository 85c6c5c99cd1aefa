"""Sentences of `keep_alive_mismatch` in Korean."""

from loadrig.language.en.causes.keep_alive_mismatch import KeepAliveMismatchTexts
from loadrig.language.particles import with_particle


class KoreanKeepAliveMismatchTexts(KeepAliveMismatchTexts):
    """Sentences of `causes.keep_alive_mismatch`, in Korean."""

    title = "다시 쓰이는 바로 그 순간에 커넥션이 닫힙니다"
    no_proof = "타임아웃은 프로그램의 설정입니다. 호출하는 쪽보다 길게 올리고 같은 부하를 실행하십시오"
    no_process_ended = "그동안 끝난 프로세스가 없습니다"
    mend = "호출하는 쪽보다 긴 keep-alive 타임아웃 (keepAliveTimeout, --keep-alive)"
    decides = "keep-alive 타임아웃을 늘리고 같은 부하를: 잃는 것이 없습니다"

    def requests_sent_connections(self, closed: str) -> str:
        return f"응답 전에 닫힌 커넥션으로 요청 {closed}건이 전송되었습니다"

    def processes_ended(self, ended: str) -> str:
        return f"프로세스 {ended}개가 끝났습니다"

    def all_requests_failed(self, share: str) -> str:
        return f"전체 요청의 {with_particle(share, '가')} 실패했습니다"
