from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle


class KoreanEngineRefusals:
    no_event_queue = ErrorWords(
        what="시스템이 부하 발생기에 이벤트 큐를 주지 않습니다: {reason}",
        mend="열 수 있는 파일의 한도(`ulimit -n`)를 높이거나 스레드를 줄이십시오",
    )
    no_thread = ErrorWords(
        what="시스템이 부하 발생기에 스레드를 주지 않습니다: {reason}",
        mend="스레드를 줄이거나 프로세스와 열 수 있는 파일의 한도(`ulimit -u`, `ulimit -n`)를 높이십시오",
    )
    no_own_address = ErrorWords(
        what="{address}에서 커넥션을 열 수 없습니다: {reason}",
        mend="이 머신이 가진 주소를 쓰십시오(`ip address`가 보여 줍니다)",
    )
    no_server_name = ErrorWords(
        what="{name:은} 호스트 이름도 IP 주소도 아닙니다",
        mend="서버의 인증서에 있는 이름을 쓰십시오",
    )
    no_authorities = ErrorWords(
        what="시스템에 서버의 인증서를 확인할 인증 기관이 없습니다",
        mend="시스템의 인증서(패키지 ca-certificates)를 설치하거나 tls: {{ca: FILE}}로 인증 기관을 지정하십시오",
    )
    authority_no_certificate = ErrorWords(
        what="인증 기관이 PEM 인증서가 아닙니다: {reason}",
        mend="BEGIN CERTIFICATE … END CERTIFICATE가 든 파일을 지정하십시오",
    )

    def unknown_hole(self, hole: str, near: str) -> ErrorWords:
        return ErrorWords(
            what=f"빈칸 {with_particle(f'{{{hole}}}', '을')} 채울 것이 없습니다: 그런 이름의 feed나 extract가 없습니다",
            mend=(
                f"{with_particle(f'{{{near}}}', '을')} 뜻했습니까?"
                if near
                else "feed나 extract한 변수의 이름을 쓰십시오."
            )
            + " 중괄호 자체라면 두 번 쓰십시오: {{",
        )

    name_taken = ErrorWords(
        what="{name:은} feed이면서 경로 {route:이} extract하는 변수이기도 합니다",
        mend="둘 중 하나의 이름을 바꾸십시오",
    )
    no_regex = ErrorWords(
        what="{text:은} 정규 표현식이 아닙니다: {reason}",
        mend="Rust regex crate의 문법으로 쓰십시오. look-around와 back-reference는 없습니다",
    )
    no_json_place = ErrorWords(
        what="{text:은} JSON 안의 위치가 아닙니다: {reason}",
        mend="/data/0/id 같은 JSON pointer나 $.data[0].id 같은 JSONPath로 쓰십시오",
    )
    no_selector = ErrorWords(
        what="{text:은} CSS 선택자가 아닙니다: {reason}",
        mend='form#login input[name="csrf"]처럼, 값은 따옴표 안에 쓰십시오',
    )
    feed_without_values = ErrorWords(
        what="feed {feed}에 값이 없습니다",
        mend="파일이나 목록에 값을 하나 이상 넣으십시오",
    )
    counter_shuffled = ErrorWords(
        what="카운터 {feed:은} 끝이 없어 무작위로 뽑을 수 없습니다",
        mend="`order`를 빼거나 `random: [LOW, HIGH]`를 쓰십시오",
    )
    fleet_too_large = ErrorWords(
        what="부하의 커넥션은 {connections}개인데 부하 발생기는 {generators}개입니다",
        mend="부하 발생기마다 커넥션을 하나 이상 주거나 부하 발생기를 줄이십시오",
    )
    feed_too_short = ErrorWords(
        what="feed {feed}의 값은 {values}개인데 사용자는 최대 {users}명입니다",
        mend="값을 늘리거나 사용자를 줄이거나 `order: unique`를 빼십시오",
    )
    no_method = ErrorWords(
        what="{method:은} 메서드가 아닙니다",
        mend="GET이나 POST 같은 메서드를 쓰십시오",
    )
    no_header_name = ErrorWords(
        what="{name:은} 헤더 이름이 아닙니다",
        mend="영문자, 숫자, -만 쓰십시오",
    )
    control_in_header = ErrorWords(
        what="{text}에 제어 문자가 있습니다",
        mend="헤더에서 줄바꿈을 빼십시오",
    )
    target_without_slash = ErrorWords(
        what="{target:은} 요청의 대상이 아닙니다",
        mend="슬래시로 시작하십시오",
    )
    wrong_target = ErrorWords(
        what="{target:은} 요청의 대상이 아닙니다",
        mend="{part} 대신 {mended:을} 쓰십시오",
    )
    wrong_template = ErrorWords(
        what="{text}: {reason}",
        mend="빈칸은 {{name}}으로, 중괄호 자체는 두 번 {{{{ 또는 }}}}로 쓰십시오",
    )
    message_with_marks = ErrorWords(
        what="{message}에 빈칸을 표시하는 데 쓰는 plane 15의 문자가 있습니다",
        mend="다른 문자를 쓰거나 빈칸으로 넣으십시오",
    )
    message_no_json = ErrorWords(
        what="메시지 {message:은} JSON이 아닙니다: {reason}",
        mend="JSON으로 쓰고 빈칸은 따옴표 사이에 두십시오. 숫자도 텍스트로 쓸 수 있습니다",
    )
    message_does_not_fit = ErrorWords(
        what="메시지가 {place}에서 맞지 않습니다: {reason}",
        mend=".proto 파일의 {message}대로 쓰십시오",
    )
    first_values_do_not_fit = ErrorWords(
        what="빈칸의 첫 값을 넣으면 메시지가 맞지 않습니다: {reason}",
        mend="feed에 필드의 타입에 맞는 값을 넣으십시오",
    )

    def protos_without_message(self, message: str, near: str) -> ErrorWords:
        return ErrorWords(
            what=f".proto에 메시지 {with_particle(message, '이')} 없습니다",
            mend=f"{with_particle(near, '을')} 뜻했습니까?"
            if near
            else "그 메시지가 든 .proto 파일을 plan의 workload 아래 `protos`에 쓰십시오",
        )
