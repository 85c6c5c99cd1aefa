from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanPlanCheckRequestsErrors:
    keep_alive_instead = (
        "빼십시오. 요청마다 닫으려면 connections: {keep_alive: false}, 열어 두려면 true를 쓰십시오"
    )
    length_counted = "빼십시오. 본문의 바이트는 부하 발생기가 셉니다"
    body_sent_whole = "빼십시오. 본문은 Content-Length와 함께 통째로 보냅니다"
    upgrade_written = "빼십시오. 업그레이드의 헤더는 부하 발생기가 씁니다"
    no_extension = "빼십시오. 지원하는 확장이 없으므로 제안할 수도 없습니다"
    call_has_it = "빼십시오. 모든 gRPC 요청에 들어갑니다"
    not_compressed = "빼십시오. 메시지는 압축하지 않고 그대로 보냅니다"
    all_weights_zero = ErrorWords(
        what="{key}의 weight가 모두 0이라 보낼 것이 없습니다",
        mend="그중 하나에 0보다 큰 weight를 주십시오",
    )
    whole_address = ErrorWords(
        what="{path:은} 주소 전체입니다",
        mend="경로만 쓰십시오. target이 아닌 호스트는 `servers`에 쓰고 요청에서 이름으로 가리킵니다: server: NAME",
    )

    def path_without_slash(self, method: str, path: str) -> ErrorWords:
        return ErrorWords(
            what=f"경로 {with_particle(repr(path), '이')} /로 시작하지 않습니다",
            mend=f"{with_particle(f'{method}: /{path}', '을')} 쓰십시오",
        )

    path_with_fragment = ErrorWords(
        what="경로 {shown}에 #이 있는데, 그것은 결코 보내지 않습니다", mend="#과 그 뒤를 빼십시오"
    )
    path_with_sign = ErrorWords(
        what="경로 {shown}에 {sign:이} 있습니다",
        mend="그 대신 {escaped:을} 쓰십시오",
    )
    header_twice = ErrorWords(
        what="헤더 {name:은} {first_name:을} 두 번째로 쓴 것입니다",
        mend="헤더마다 한 번만 쓰십시오",
        why="대소문자가 달라도 같은 헤더이며, 둘 중 하나만 보내게 됩니다",
    )
    line_break_in_header = ErrorWords(
        what="헤더 {name}의 값에 줄바꿈이 있습니다",
        mend="한 줄로 쓰십시오",
        why="줄바꿈은 다른 헤더를 시작하게 됩니다",
    )
    control_in_value = ErrorWords(
        what="헤더 {name}에 제어 문자가 있습니다",
        mend="그 문자를 빼십시오: 헤더에는 글자와 탭만 들어갑니다",
    )
    not_a_header_name = ErrorWords(
        what="{shown:은} 헤더의 이름이 될 수 없습니다",
        mend="영문자, 숫자, 하이픈을 쓰십시오",
    )
    own_header = ErrorWords(what="헤더 {name:은} loadrig가 직접 씁니다", mend="{mend}")

    def misspelt_header(self, name: str, meant: str, mend: str) -> ErrorWords:
        return ErrorWords(
            what=f"헤더 {with_particle(name, '은')} {with_particle(meant, '을')} 잘못 쓴 것 같습니다",
            mend=mend or f"{with_particle(meant, '을')} 쓰십시오",
        )

    not_a_hole_name = ErrorWords(
        what="{shown:은} 빈칸의 이름이 될 수 없습니다",
        mend="영문자, 숫자, _를 쓰되 영문자로 시작하십시오",
    )
    feed_and_variable = ErrorWords(
        what="{name:은} feed이면서 응답에서 가져온 변수입니다",
        mend="둘 중 하나의 이름을 바꾸십시오",
        why="feed는 {feed_line}번째 줄에 있습니다",
    )

    def unfilled_hole(self, name: str, filled: str, meant: str, is_one_meant: bool) -> ErrorWords:
        if is_one_meant:
            mend = f"{with_particle(meant, '을')} 쓰십시오"
        elif meant:
            mend = f"이 중 하나를 쓰십시오: {meant}"
        else:
            mend = f"feed를 추가하거나 (feeds: {{{name}: {name}.txt}}) 앞선 응답에서 {with_particle(name, '을')} extract로 가져오십시오"
        hole = f"{{{name}}}"
        return ErrorWords(
            what=f"빈칸 {with_particle(hole, '을')} 채울 것이 없습니다",
            mend=mend,
            why=f"채워지는 것은 {filled}입니다" if filled else "feed도 extract도 없습니다",
        )

    stray_brace = ErrorWords(
        what="{fragment:은} 빈칸도, 두 번 쓴 중괄호도 아닙니다",
        mend="중괄호는 {{{{와 }}}}로 쓰십시오. JSON 본문은 json: 아래가 더 쉽습니다",
    )
