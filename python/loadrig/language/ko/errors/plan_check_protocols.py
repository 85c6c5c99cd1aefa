from collections.abc import Mapping
from typing import ClassVar

from loadrig.base.error_words import ErrorWords
from loadrig.language.particles import with_particle

_TEXT = "메시지를 body: 또는 json:으로 쓰십시오"
_MESSAGE = "메시지의 필드를 json: {…}으로 쓰십시오"


class KoreanPlanCheckProtocolsErrors:
    websocket_form = ErrorWords(what="form은 websocket의 메시지가 될 수 없습니다", mend=_TEXT)
    websocket_body_file = ErrorWords(
        what="websocket의 메시지는 파일이 아니라 plan에 쓴 텍스트입니다", mend=_TEXT
    )
    websocket_redirects = ErrorWords(
        what="websocket은 리디렉션을 따라가지 않습니다", mend="빼고 마지막 경로를 쓰십시오"
    )
    grpc_body = ErrorWords(what="grpc 요청의 메시지는 body로 쓰지 않습니다", mend=_MESSAGE)
    grpc_form = ErrorWords(what="form은 grpc의 메시지가 될 수 없습니다", mend=_MESSAGE)
    grpc_body_file = ErrorWords(what="grpc 요청의 메시지는 파일에서 가져오지 않습니다", mend=_MESSAGE)
    grpc_redirects = ErrorWords(what="grpc 요청은 리디렉션을 따라가지 않습니다", mend="빼십시오")
    websocket_status = ErrorWords(
        what="websocket의 메시지에는 상태 코드가 없습니다",
        mend="빼고, 메시지는 contains:, matches: 또는 json:으로 검사하십시오",
    )
    websocket_login = ErrorWords(
        what="로그인은 websocket으로 할 수 없습니다",
        mend="post: 또는 grpc:로 쓰고, 토큰을 websocket에 헤더로 넘기십시오",
        why="로그인의 성공과 거절은 응답의 상태 코드로 아는데, 메시지에는 그것이 없습니다",
    )
    closed_http2 = ErrorWords(
        what="HTTP/2 커넥션은 요청을 여러 개 나르는데, keep_alive: false는 하나만 허용합니다",
        mend="keep_alive를 빼거나 http: 1.1을 쓰십시오",
    )
    grpc_over_http1 = ErrorWords(
        what="gRPC는 HTTP/2로 통신하는데, http가 1.1입니다", mend="http: 2를 쓰십시오"
    )
    visitors: ClassVar[Mapping[str, str]] = {
        "user": "사용자 한 명",
        "session": "세션 하나",
        "arrival": "도착 하나",
    }
    extract_without_header = ErrorWords(
        what="{name:을} {kind}에서 가져오는데, websocket의 메시지에는 그것이 없습니다",
        mend="메시지에서 가져오십시오: json: 또는 regex:",
    )

    value_without_header = ErrorWords(
        what="{kind}의 값을 검사하는데, websocket의 메시지에는 그것이 없습니다",
        mend="메시지의 값을 검사하십시오: json: 또는 regex:",
    )

    def no_such_status(
        self, status: str, is_grpc: bool, least: int, greatest: int, is_http_success: bool
    ) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(status, '은')} {'gRPC' if is_grpc else 'HTTP'} 상태 코드가 아닙니다",
            mend="빼십시오: 그러면 0 (OK)만 성공입니다"
            if is_http_success
            else f"{least} ~ {greatest} 중 하나를 쓰십시오",
        )

    def streams_over_http1(self, streams: int) -> ErrorWords:
        connections = f"connections: {{http: 2, streams: {streams}}}"
        return ErrorWords(
            what="한 커넥션에 스트림이 여럿이려면 HTTP/2가 필요한데, plan은 HTTP/1.1로 통신합니다",
            mend=f"{with_particle(connections, '을')} 쓰거나 streams를 빼십시오",
        )

    beside_nothing = ErrorWords(
        what="beside는 단계를 바로 앞 단계와 동시에 보내는데, 앞 단계가 없습니다",
        mend="첫 단계와 requests:와 로그인에서 beside를 빼십시오",
    )
    beside_websocket = ErrorWords(
        what="사용자에게 WebSocket이 있으면 메시지는 차례대로 오가므로 beside를 쓸 수 없습니다",
        mend="beside를 빼거나, WebSocket에는 별도의 plan으로 부하를 거십시오",
    )
    two_websocket_paths = ErrorWords(
        what="{visitor}에 WebSocket은 하나뿐이라 {first_path:과} {path:을} 함께 쓸 수 없습니다",
        mend="모든 websocket:에 같은 경로를 쓰고, 다른 경로에는 별도의 plan으로 부하를 거십시오",
    )
    no_protos = ErrorWords(
        what="{method}의 메시지가 무엇인지 알 수 없습니다",
        mend="workload에 서비스를 선언하는 파일을 추가하십시오: protos: FILE.proto",
    )
    http2_missing = ErrorWords(
        what="{request}에는 HTTP/2가 필요한데, plan은 HTTP/1.1로 통신합니다",
        mend="workload에 추가하십시오: connections: {{http: 2}}",
        why="따로 쓰지 않으면 plan은 모든 요청이 grpc일 때만 HTTP/2로 통신합니다",
    )

    def not_a_method(self, shown: str, meant: str) -> ErrorWords:
        return ErrorWords(
            what=f"{with_particle(shown, '은')} gRPC 메서드의 이름이 아닙니다",
            mend=f"{with_particle(f'grpc: {meant}', '을')} 쓰십시오",
        )

    unreadable_protos = ErrorWords(
        what="protos를 읽을 수 없습니다: {reason}",
        mend="파일을 고치십시오. `protoc`도 받아들이는 파일이어야 합니다",
    )
    not_unary = ErrorWords(what="{reason}", mend="protos에 있는 서비스의 unary 메서드를 쓰십시오")
