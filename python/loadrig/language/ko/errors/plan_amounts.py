from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords


class KoreanPlanAmountsErrors:
    nouns: ClassVar[Mapping[str, str]] = {
        "duration": "시간",
        "rate": "요청률",
        "share": "비율",
        "size": "크기",
        "count": "개수",
    }
    forms: ClassVar[Mapping[str, str]] = {
        "duration": "300ms, 10s, 1m30s 또는 2h",
        "rate": "1000, 1000/1s 또는 50/1m",
        "share": "5% 또는 0.05",
        "size": "512, 64kB 또는 1MiB",
        "count": "200, 10k 또는 1m",
    }
    short_or_long = "{number}ms 또는 {number}s"
    long_or_other = "{number}s (또는 {number}ms, {number}m)"
    not_that_amount = ErrorWords(
        what="{key:은} {shown}인데, {noun:이} 아닙니다",
        mend="{forms:을} 쓰십시오",
    )
    negative_amount = ErrorWords(
        what="{key:은} {text}인데, {noun:은} 음수일 수 없습니다",
        mend="{forms:을} 쓰십시오",
    )
    too_great = ErrorWords(
        what="{key:은} {text}인데, {noun:은} {most}까지입니다",
        mend="{most} 이하로 쓰십시오",
        why="부하 생성기는 그 너머를 세지 못합니다",
    )
    no_unit = ErrorWords(
        what="{key:은} 단위 없이 {number}입니다",
        mend="{meant:을} 쓰십시오",
        why="시간은 아무도 추측하지 않도록 단위와 함께 씁니다",
    )
    share_above_one = ErrorWords(
        what="{key:은} {number}인데, 비율은 0 ~ 1의 수 또는 퍼센트입니다",
        mend="{meant:을} 쓰십시오",
    )
    other_amount = ErrorWords(
        what="{key:은} {noun:을} 받는데, {text:은} {other_noun}입니다",
        mend="{forms:을} 쓰십시오",
    )
    broken_count = ErrorWords(
        what="{key:은} {number}인데, 개수는 정수입니다",
        mend="{forms:을} 쓰십시오",
    )
