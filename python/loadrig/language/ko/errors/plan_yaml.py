from loadrig.base.error_words import ErrorWords

_LOOK_HERE = "이 줄과 윗줄에서 들여쓰기, 따옴표, 빠진 콜론이나 괄호를 보십시오"
_USE_A_FILE = "긴 데이터는 파일에 쓰고, 그 파일을 feed나 body_file로 지정하십시오"


class KoreanPlanYamlLibraryErrors:
    unreadable = "읽을 수 없습니다"
    no_yaml = ErrorWords(what="YAML이 아닌 텍스트입니다", mend=_LOOK_HERE)
    anchor_in_itself = ErrorWords(what="앵커가 자기 자신을 포함합니다", mend=_LOOK_HERE)
    key_of_several_values = ErrorWords(what="목록이나 매핑은 키가 될 수 없습니다", mend=_LOOK_HERE)
    tab = "공백으로 들여쓰십시오. YAML은 그 자리에 탭을 허용하지 않습니다"
    hole_of_a_lab = "${…}에 있는 것은 lab이 채웁니다: loadrig lab run LAB:FILE은 lab과 함께 plan을 실행합니다"
    unquoted_brace = '{ 또는 }가 있는 텍스트는 따옴표로 감싸십시오: get: "/search?q={word}"'
    unquoted_colon = "콜론 뒤에 공백이 있는 텍스트는 따옴표로 감싸거나, 들여쓰기를 고치십시오"
    unquoted_star = "*로 시작하는 텍스트는 따옴표로 감싸십시오"
    second_document = "파일 하나에는 plan 하나만 두십시오: ---를 빼십시오"
    unquoted_sign = "{sign:으로} 시작하는 텍스트는 따옴표로 감싸십시오"
    not_yaml = ErrorWords(what="YAML이 아닌 텍스트입니다: {message}", mend=_LOOK_HERE)

    def not_yaml_here(self, message: str, why: str, mend: str) -> ErrorWords:
        return ErrorWords(what=f"YAML이 아닙니다: {message}", mend=mend or _LOOK_HERE, why=why)

    too_long = ErrorWords(what="텍스트가 {letters:,}자인데, 최대 {most:,}자까지 읽습니다", mend=_USE_A_FILE)
    too_many_aliases = ErrorWords(
        what="여기서 별칭이 되풀이하는 값이 {most:,}개를 넘습니다", mend=_USE_A_FILE
    )
    too_deep = ErrorWords(what="목록과 매핑이 {most}단계보다 깊이 겹쳐 있습니다", mend=_USE_A_FILE)
    key_twice = ErrorWords(
        what="{key:을} 두 번 썼습니다. 첫 번째는 {first_place}에 있습니다",
        mend="{first_line}번째 줄과 {line}번째 줄 중 하나만 남기십시오",
    )
    tag = ErrorWords(
        what="{tag:은} YAML 태그인데, plan은 평범한 데이터입니다",
        mend="{tag:을} 빼십시오. !로 시작하는 텍스트는 따옴표로 감싸십시오",
    )
    forbidden_character = ErrorWords(
        what="문자 {shown:은} YAML에서 허용되지 않습니다",
        mend='빼거나, 큰따옴표 안에 이스케이프로 쓰십시오: "\\x07"',
    )
