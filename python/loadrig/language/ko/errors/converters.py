from loadrig.base.error_words import ErrorWords
from loadrig.language.en.errors.converters import (
    ConvertersDocumentErrors,
    ConvertersReadErrors,
    ConvertersSourceErrors,
)
from loadrig.language.particles import with_particle


class KoreanConvertersSourceErrors(ConvertersSourceErrors):
    is_it_a_test = "테스트 파일이 맞습니까?"
    save_as_utf8 = "파일을 UTF-8로 저장하십시오"
    the_file = "파일"

    def at_line(self, number: int) -> str:
        return f"{number}번째 줄"

    def at_column(self, number: int, column: int) -> str:
        return f"{number}번째 줄 {column:,}번째 글자"

    def not_decoded(self, encoding: str, reason: str) -> str:
        return f"{encoding}이(가) 아닙니다 ({reason})"

    def long_line(self, most_bytes: int) -> str:
        return f"{most_bytes:,}바이트보다 깁니다"

    def bad_test(self, place: str, what: str, mend: str) -> ErrorWords:
        return ErrorWords(
            what=f"{place}: 이해할 수 없습니다: {what}",
            mend=mend or "그 자리를 고치거나, 그 테스트를 쓴 도구로 다시 저장하십시오",
        )

    def unreadable_test(self, file: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(file, '을')} 읽을 수 없습니다",
            mend="읽을 수 있는 파일을 적으십시오",
            why=reason,
        )

    def large_test(self, file: str, most_mb: int) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(file, '은')} {most_mb} MB보다 큽니다",
            mend="결과가 아니라 테스트인지 보거나, 나누십시오",
            why="테스트는 통째로 메모리에 둡니다",
        )


class KoreanConvertersDocumentErrors(ConvertersDocumentErrors):
    empty_document = "파일이 비어 있습니다"
    name_the_test = "테스트 파일을 적으십시오"
    as_json = "더 빨리 읽히는 JSON으로 저장하십시오"
    long_number = "수가 4,000자리보다 깁니다"
    no_finite_number = "컴퓨터가 담을 수 없이 큰 수가 있습니다"

    def no_json(self, reason: str) -> str:
        return f"JSON이 아닙니다 ({reason})"

    def long_yaml(self, most: int) -> str:
        return f"YAML이 {most:,}자보다 깁니다"

    def deep_document(self, most: int) -> str:
        return f"목록과 객체가 {most}겹보다 깊습니다"

    def many_values(self, most: int) -> str:
        return f"값이 {most:,}개보다 많습니다"


class KoreanConvertersReadErrors(ConvertersReadErrors):
    def nothing_in_it(self, tool: str, files: str, *, is_anything_dropped: bool) -> ErrorWords:
        look = "위에서 무엇을 버렸는지 보고, " if is_anything_dropped else ""
        return ErrorWords(
            what="plan이 보낼 수 있는 요청이 없습니다",
            mend=f"{look}테스트 파일 자체를 적으십시오",
            why=f"{tool}로 읽었습니다: {files}",
        )

    def plan_refused(self, file: str, problems: int) -> ErrorWords:
        return ErrorWords(
            what=f"{file}: 이것으로 만든 plan에는 문제가 {problems}개 있습니다",
            mend="테스트에서 그 자리를 고치거나, 파일을 보내 주십시오. 가져오기가 미리 말했어야 합니다",
            why="아무것도 쓰지 않았습니다",
        )

    def in_the_way(self, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(path, '이')} 이미 있습니다",
            mend="-o로 다른 자리를 적거나, 그 파일을 옮기십시오",
            why="가져오기는 아무것도 덮어쓰지 않습니다",
        )

    def unwritable(self, path: str, reason: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(path, '을')} 쓸 수 없습니다",
            mend="-o로 쓸 수 있는 자리를 적으십시오",
            why=reason,
        )
