from loadrig.base.error_words import ErrorWords


class KoreanPlanQuickErrors:
    command_line = "명령줄"
    command = "명령"
    user_name_in_url = ErrorWords(
        what="URL의 사용자 이름은 보내지 않습니다",
        mend="헤더로 쓰십시오: -H 'Authorization: Basic …'",
    )
    arrivals_without_rate = ErrorWords(
        what="--arrivals는 요청률의 간격을 정하는데, 요청률이 없습니다",
        mend="--rate 500/1s처럼 --rate를 추가하거나 --arrivals를 빼십시오",
    )
    streams_over_http1 = ErrorWords(
        what="한 커넥션에 스트림이 여럿이려면 HTTP/2가 필요합니다",
        mend="--http2를 추가하거나 --streams를 빼십시오",
    )
    closed_http2 = ErrorWords(
        what="HTTP/2 커넥션은 요청을 여러 개 나르는데, --close는 하나만 허용합니다",
        mend="--close와 --http2 중 하나를 빼십시오",
    )
    not_an_address = ErrorWords(
        what="{shown:은} 서버의 주소가 아닙니다",
        mend="http://HOST:PORT/PATH 또는 https://HOST:PORT/PATH로 쓰십시오",
    )
    unknown_method = ErrorWords(
        what="{shown:이라}는 메서드는 없습니다",
        mend="이 중 하나를 쓰십시오: {methods}",
    )
    _header = "-H 'Accept: text/html'처럼 헤더마다 한 번만 쓰십시오"
    not_a_header = ErrorWords(what="{shown:이} NAME: VALUE의 형식이 아닙니다", mend=_header)
    header_twice = ErrorWords(what="{shown:은} 같은 헤더를 두 번째로 쓴 것입니다", mend=_header)
    allowed_by_flag = "추가하십시오: --allow {host}"
