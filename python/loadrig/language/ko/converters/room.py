"""Sentences of the room `converters` in Korean: what became of a test's parts."""

from loadrig.language.en.converters.room import ConvertersTexts


class KoreanConvertersTexts(ConvertersTexts):
    """Sentences of `converters`, in Korean."""

    allowed_as_named = "테스트가 적은 호스트입니다. 부하를 걸면 안 되는 것은 빼십시오"
    further = "그 뒤"
    shown_by_json = "loadrig import FILE --json이 모두 보여 줍니다"

    def at_line(self, number: int) -> str:
        return f"{number}번째 줄"

    def made_of(self, origin: str) -> str:
        return f"`loadrig import`가 만들었습니다. 원본: {origin}."

    def carried(self, parts: str) -> str:
        return f"옮김: {parts}."

    def altered_and_dropped(self, altered: int, dropped: int) -> str:
        return f"바꿈: {altered:,}. 버림: {dropped:,}."

    def dropped(self, place: str, what: str, why: str) -> str:
        return f"{place}: {what}, 버림: {why}"

    def altered(self, place: str, what: str, how: str) -> str:
        return f"{place}: {what}, 바꿈: {how}"

    def parts(self, count: int) -> str:
        return f"{count:,}개 더"
