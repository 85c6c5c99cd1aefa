from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.probes_attached import ProbesAttachedErrors
from loadrig.language.particles import with_particle


class KoreanProbesAttachedErrors(ProbesAttachedErrors):
    def probe_off(self, probe: str, reason: str, mend: str) -> str:
        return f"{probe} 프로브를 쓰지 않습니다: {reason}; {mend}"

    def nothing_seen(self, probe: str, component: str, reason: str, mend: str) -> str:
        return f"{probe} 프로브가 {with_particle(component, '을')} 볼 수 없습니다: {reason}; {mend}"

    def seen_again(self, probe: str, component: str, seconds: str) -> str:
        return f"{probe} 프로브가 {seconds} s 만에 {with_particle(component, '을')} 다시 봅니다"

    def probe_failed(self, probe: str, kind: str, error: str) -> ErrorWords:
        return ErrorWords(
            what=f"{probe} 프로브가 실패해서 떼어 냈습니다: {kind}: {error}",
            mend="plan의 `unwatched`로 끄고, events.jsonl에 있는 trace와 함께 알려 주십시오",
        )
