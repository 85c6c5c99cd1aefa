from collections.abc import Mapping, Sequence
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanReaderErrors:
    value_of_flag = "값"
    only_true_and_false = "YAML 1.2에서 예와 아니요는 true와 false뿐입니다"
    item = "{name}의 {number}번째 항목"
    brace_is_mapping = '중괄호로 시작하는 텍스트는 YAML에서 매핑입니다. 따옴표로 감싸십시오: "{{{key}}}"'

    def out_of_range(self, name: str, text: str, low: str, high: str) -> ErrorWords:
        bounds = f"{low} 이상 {high} 이하" if low and high else f"{low} 이상" if low else f"{high} 이하"
        return ErrorWords(
            what=f"{with_particle(name, '은')} {text}인데, {bounds}의 값을 받습니다",
            mend=f"{bounds}의 값을 쓰십시오",
        )

    def unknown_word(self, name: str, shown: str, words: str, close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(name, '은')} {shown}인데, {with_particle(words, '을')} 받습니다",
            mend=f"{with_particle(close or words, '을')} 쓰십시오",
        )

    no_value = ErrorWords(
        what="{noun:을} 받는 {name}에 값이 없습니다",
        mend="{example:을} 쓰십시오",
        why="{why}",
    )
    other_kind = ErrorWords(
        what="{name:은} {shown}인데, {noun:을} 받습니다",
        mend="{example:을} 쓰십시오",
        why="{why}",
    )
    empty_list = ErrorWords(what="{name:이} 비어 있습니다", mend="하나 이상 쓰십시오: {example}")
    missing_key = ErrorWords(
        what="{name}에 {key:이} 없습니다",
        mend="추가하십시오: {key}: {example}",
        why="{doc}",
    )

    def unknown_key(self, name: str, key: str, keys: str, close: str | None, elsewhere: str) -> ErrorWords:
        return ErrorWords(
            what=f"{name}에 {with_particle(key, '이라')}는 키는 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오" if close else elsewhere or "빼십시오",
            why=f"있는 키는 {keys}입니다" if keys else "키를 받지 않습니다",
        )

    def not_exactly_one_member(self, name: str, count: int, members: str, example: str) -> ErrorWords:
        written = f"{count}개를 썼습니다" if count else "하나도 쓰지 않았습니다"
        return ErrorWords(
            what=f"{with_particle(name, '은')} 하나만 받는데, {written}",
            mend=f"그중 하나를 쓰십시오: {example}",
            why=f"있는 것은 {members}입니다",
        )

    def unknown_member(self, room: str, name: str, members: Sequence[str], close: str | None) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(repr(name), '이라')}는 {with_particle(room, '은')} 없습니다",
            mend=f"{with_particle(close, '을')} 쓰십시오"
            if close
            else f"이 중 하나를 쓰십시오: {', '.join(members)}",
            why=f"있는 것은 {', '.join(members)}입니다",
        )


class KoreanPlanFormsErrors:
    groups: ClassVar[Mapping[str, str]] = {
        "arrivals": "도착 방식",
        "body": "본문",
        "end": "끝",
        "length": "길이",
        "method": "메서드",
        "number": "수",
        "rate": "초당 수",
        "requests": "요청",
        "server": "서버",
        "source": "출처",
        "value": "값",
    }
    key_with_others = "{key}({others:과} 함께)"
    missing_group = ErrorWords(what="{name}에 {group:이} 없습니다", mend="추가하십시오: {forms}")

    def group_twice(
        self, name: str, group: str, written: str, first: str, first_line: str, forms: str
    ) -> ErrorWords:
        return ErrorWords(
            what=f"{name}에 {with_particle(group, '이')} 두 번 있습니다: {written}",
            mend=f"하나만 남기십시오: {forms}",
            why=f"{with_particle(first, '은')} {first_line}번째 줄에 있습니다" if first_line else "",
        )

    incomplete_form = ErrorWords(
        what="{name}에 {missing:이} 없습니다",
        mend="추가하십시오: {addition}",
        why="{form:은} 함께 씁니다",
    )


class KoreanPlanSynonymsErrors:
    at_the_top = "plan의 맨 위에 쓰십시오: {example}"
    in_the_load = "부하 안에 쓰십시오: {example}"
