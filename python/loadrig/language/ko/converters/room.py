from loadrig.language.en.converters.room import ConvertersTexts


class KoreanConvertersTexts(ConvertersTexts):
    allowed_as_named = "테스트가 적은 호스트입니다. 부하를 걸면 안 되는 것은 빼십시오"
    further = "그 뒤"
    shown_by_json = "loadrig import FILE --json이 모두 보여 줍니다"
    further_servers = "target 외 서버"
    requests = "요청"
    whole_test = "테스트 전체"
    no_such_method = "plan에는 이 메서드의 요청이 없습니다"
    no_http_url = "호스트와 UTF-8 경로가 있는 HTTP URL이 아닙니다"
    own_header = "이 헤더는 loadrig가 직접 씁니다"
    no_header = "헤더가 아닙니다"
    headers_joined = "이름이 같은 값은 쉼표로 이은 헤더 하나가 됩니다"

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

    def header(self, name: str) -> str:
        return f"헤더 {name}"

    def too_many_servers(self, most: int) -> str:
        return f"plan에는 target 외의 서버가 {most}개까지입니다"

    def list_too_long(self, most: int) -> str:
        return f"목록에는 요청이 {most:,}개까지 들어갑니다"

    def too_many(self, most: int) -> str:
        return f"plan에는 서로 다른 요청이 {most:,}개까지 들어갑니다"
