from loadrig.base.error_words import ErrorWords


class KoreanProbesAttachedErrors:
    probe_off = "{probe} 프로브를 쓰지 않습니다: {reason}; {mend}"
    nothing_seen = "{probe} 프로브가 {component:을} 볼 수 없습니다: {reason}; {mend}"
    seen_again = "{probe} 프로브가 {seconds} s 만에 {component:을} 다시 봅니다"
    probe_failed = ErrorWords(
        what="{probe} 프로브가 실패해서 떼어 냈습니다: {kind}: {error}",
        mend="plan의 `unwatched`로 끄고, events.jsonl에 있는 trace와 함께 알려 주십시오",
    )
