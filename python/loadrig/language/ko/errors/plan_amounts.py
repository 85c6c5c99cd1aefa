from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.plan_amounts import PlanAmountsErrors
from loadrig.language.particles import with_particle


class KoreanPlanAmountsErrors(PlanAmountsErrors):
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

    def short_or_long(self, number: str) -> str:
        return f"{number}ms 또는 {number}s"

    def long_or_other(self, number: str) -> str:
        return f"{number}s (또는 {number}ms, {number}m)"

    def not_that_amount(self, key: str, shown: str, noun: str, forms: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(key, '은')} {shown}인데, {with_particle(noun, '이')} 아닙니다",
            mend=f"{with_particle(forms, '을')} 쓰십시오",
        )

    def negative_amount(self, key: str, text: str, noun: str, forms: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(key, '은')} {text}인데, {with_particle(noun, '은')} 음수일 수 없습니다",
            mend=f"{with_particle(forms, '을')} 쓰십시오",
        )

    def too_great(self, key: str, text: str, noun: str, most: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(key, '은')} {text}인데, {with_particle(noun, '은')} {most}까지입니다",
            mend=f"{most} 이하로 쓰십시오",
            why="부하 생성기는 그 너머를 세지 못합니다",
        )

    def no_unit(self, key: str, number: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(key, '은')} 단위 없이 {number}입니다",
            mend=f"{with_particle(meant, '을')} 쓰십시오",
            why="시간은 아무도 추측하지 않도록 단위와 함께 씁니다",
        )

    def share_above_one(self, key: str, number: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(key, '은')} {number}인데, 비율은 0 ~ 1의 수 또는 퍼센트입니다",
            mend=f"{with_particle(meant, '을')} 쓰십시오",
        )

    def other_amount(self, key: str, text: str, other_noun: str, noun: str, forms: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(key, '은')} {with_particle(noun, '을')} 받는데, {with_particle(text, '은')} {other_noun}입니다",
            mend=f"{with_particle(forms, '을')} 쓰십시오",
        )

    def broken_count(self, key: str, number: str, forms: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(key, '은')} {number}인데, 개수는 정수입니다",
            mend=f"{with_particle(forms, '을')} 쓰십시오",
        )
