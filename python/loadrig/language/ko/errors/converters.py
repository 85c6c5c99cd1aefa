from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanConvertersSourceErrors:
    is_it_a_test = "테스트 파일이 맞습니까?"
    save_as_utf8 = "파일을 UTF-8로 저장하십시오"
    the_file = "파일"
    at_line = "{number}번째 줄"
    at_column = "{number}번째 줄 {column:,}번째 글자"
    not_decoded = "{encoding}이(가) 아닙니다 ({reason})"
    long_line = "{most_bytes:,}바이트보다 깁니다"

    def bad_test(self, place: str, what: str, mend: str) -> ErrorWords:
        return ErrorWords(
            what=f"{place}: 이해할 수 없습니다: {what}",
            mend=mend or "그 자리를 고치거나, 그 테스트를 쓴 도구로 다시 저장하십시오",
        )

    packed_damaged = "파일을 끝까지 다시 복사하십시오. 압축된 내용이 손상되었습니다"

    def unreadable_test(self, file: str, reason: str, *, is_damaged: bool = False) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(file, '을')} 읽을 수 없습니다",
            mend=self.packed_damaged if is_damaged else "읽을 수 있는 파일을 적으십시오",
            why=reason,
        )

    large_test = ErrorWords(
        what="{file:은} {most_mb} MB보다 큽니다",
        mend="결과가 아니라 테스트인지 보거나, 나누십시오",
        why="테스트는 통째로 메모리에 둡니다",
    )


class KoreanConvertersDocumentErrors:
    empty_document = "파일이 비어 있습니다"
    name_the_test = "테스트 파일을 적으십시오"
    as_json = "더 빨리 읽히는 JSON으로 저장하십시오"
    long_number = "수가 4,000자리보다 깁니다"
    no_finite_number = "컴퓨터가 담을 수 없이 큰 수가 있습니다"
    no_json = "JSON이 아닙니다 ({reason})"
    long_yaml = "YAML이 {most:,}자보다 깁니다"
    deep_document = "목록과 객체가 {most}겹보다 깊습니다"
    many_values = "값이 {most:,}개보다 많습니다"


class KoreanConvertersReadErrors:
    def nothing_in_it(self, tool: str, files: str, *, is_anything_dropped: bool) -> ErrorWords:
        look = "위에서 무엇을 버렸는지 보고, " if is_anything_dropped else ""
        return ErrorWords(
            what="plan이 보낼 수 있는 요청이 없습니다",
            mend=f"{look}테스트 파일 자체를 적으십시오",
            why=f"{tool}로 읽었습니다: {files}",
        )

    plan_refused = ErrorWords(
        what="{file}: 이것으로 만든 plan에는 문제가 {problems}개 있습니다",
        mend="테스트에서 그 자리를 고치거나, 파일을 보내 주십시오. 가져오기가 미리 말했어야 합니다",
        why="아무것도 쓰지 않았습니다",
    )
    in_the_way = ErrorWords(
        what="{path:이} 이미 있습니다",
        mend="-o로 다른 자리를 적거나, 그 파일을 옮기십시오",
        why="가져오기는 아무것도 덮어쓰지 않습니다",
    )
    unwritable = ErrorWords(
        what="{path:을} 쓸 수 없습니다",
        mend="-o로 쓸 수 있는 자리를 적으십시오",
        why="{reason}",
    )
