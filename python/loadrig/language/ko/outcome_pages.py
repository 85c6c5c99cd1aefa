from collections.abc import Mapping
from typing import ClassVar


class KoreanOutcomePagesTexts:
    answered = "응답된 것으로 세지만 좋은 응답은 아닙니다. 응답 시간은 좋은 응답의 것과 따로 둡니다."
    good = "응답된 것, 좋은 것으로 셉니다. 처리량과 응답 시간은 이런 요청의 것입니다."
    not_answered = "실패로 셉니다: 응답이 없었습니다."
    of_generator = "실패로 세며, 원인은 서버가 아니라 부하 발생기나 그 머신입니다."
    never_sent = (
        "보내지 못한 것으로 세며 응답의 실패는 아닙니다: 부하를 plan이 바라는 대로 만들지 못했습니다."
    )
    look: ClassVar[Mapping[str, str]] = {
        "ok": "기대하는 상태와 검사는 plan의 `expect`에 있습니다.",
        "http_3xx": "요청이 리다이렉트를 따르게 하거나(`follow_redirects`) 그 상태를 기대하십시오"
        "(`expect: {status: 302}`).",
        "http_4xx": "실행에 그런 응답의 예가 남습니다: 잘못된 경로, 빠진 로그인(401, 403), 또는 요청률을 제한하는"
        " 서버(429)입니다. 맞는 상태라면 `expect: {status: …}`에 쓰십시오.",
        "http_5xx": "실행에 그런 응답의 예가 남고, 이유는 서버의 로그에 있습니다: 애플리케이션의 결함이거나"
        " 과부하(502, 503, 504)입니다. `loadrig diagnose`가 원인을 알려 줍니다.",
        "check_failed": "실행에 온 것과 바라던 것의 예가 남습니다. 검사는 `expect`에, 응답에서 꺼낼 값은 `extract`에"
        " 있습니다.",
        "grpc_error": "실행에 상태와 그 메시지가 남습니다. 맞는 상태라면 `expect: {status: …}`에 쓰십시오.",
        "timeout": "서버가 과부하이거나 타임아웃(plan의 `timeout`)이 너무 짧습니다. 시간은 요청을 보낼 때가 된"
        " 순간부터 잽니다.",
        "connect_refused": "서버가 실행 중이 아니거나, 다른 주소나 포트에서 듣거나, 새 커넥션의 큐가 넘쳐 거절하는"
        " 것입니다.",
        "connect_timeout": "방화벽이 패킷을 버리거나, 서버의 새 커넥션 큐가 가득 찼습니다.",
        "connect_reset": "서버나 그 앞의 무언가가 연결하는 도중에 커넥션을 끊었습니다. 디스크립터, 프로세스, 메모리가"
        " 모자라면 그렇습니다.",
        "connect_failed": "주소와 그 라우팅, 방화벽을 살펴보십시오.",
        "tls_failed": "인증서를 믿을 수 없거나 이름이 다르거나, 함께 쓸 TLS 버전이 없습니다. 자체 인증서를 쓰는 시험용"
        " 서버라면 `tls: {ca: FILE}` 또는 `tls: {insecure: true}`를 쓰십시오.",
        "reset": "서버나 그 앞의 프록시가 요청을 포기했습니다: 죽은 worker, 시간이나 크기의 제한, 또는 재시작입니다.",
        "closed": "응답하던 worker가 끝났거나, 요청을 보내는 바로 그때 놀던 커넥션이 닫혔습니다.",
        "stream_reset": "서버가 그 요청 하나를 거절했거나 포기했습니다. 스트림 수의 제한 때문인 경우가 많습니다.",
        "go_away": "서버가 일정한 요청 수나 시간 뒤에 커넥션을 끝내거나, 다시 시작합니다.",
        "not_http": "다른 프로토콜의 포트이거나 TLS(`https`)를 바라는 포트입니다.",
        "excess_body": "`Content-Length`가 서버가 보낸 것보다 작습니다: 서버의 결함입니다.",
        "no_ports": "커넥션을 열어 두거나(`connections: {keep_alive: true}`) net.ipv4.ip_local_port_range를 넓히십시오.",
        "no_descriptors": "제한을 올리거나(`ulimit -n`) 커넥션을 줄이십시오.",
        "failed": "실행에 운영 체제의 오류와 함께 예가 남습니다.",
        "unsent": "제때 빈 커넥션이 없었거나, 그 전에 부하가 끝났습니다. 서버가 부하에 비해 느리거나 `connections`가"
        " 너무 작습니다. 어느 쪽인지는 검사 G1이 알려 줍니다.",
    }
    figures: ClassVar[Mapping[str, str]] = {
        "load.interval_s": "같은 행의 다른 값들이 속한 구간의 길이, 초.",
        "load.due": "구간 안에서 일정에 따라 보낼 때가 된 요청.",
        "load.sent": "구간 안에서 보낸 요청.",
        "load.answered": "구간 안에서 좋든 나쁘든 응답을 받은 요청.",
        "load.failed": "구간 안에서 응답 없이 끝난 요청.",
        "load.unsent": "구간 안에서 보낼 때가 되었지만 끝내 보내지 못한 요청.",
        "load.ended": "구간 안에서 끝난 요청, 경로와 결과별.",
        "load.in_flight": "구간 끝에서 보냈지만 아직 응답되지 않은 요청.",
        "load.users": "구간 끝에서 일하던 사용자.",
        "load.bytes_in": "구간 안에서 받은 바이트.",
        "load.bytes_out": "구간 안에서 보낸 바이트.",
        "load.opened": "구간 안에서 연 커넥션.",
        "loadrig_due_per_second": "마지막 1초에 일정에 따라 보낼 때가 된 요청.",
        "loadrig_good_per_second": "마지막 1초에 기대한 대로 응답된 요청: 처리량.",
        "loadrig_failed_per_second": "마지막 1초에 기대와 다르게 끝난 모든 요청.",
        "loadrig_in_flight": "마지막 1초의 끝에서 보냈지만 아직 응답되지 않은 요청.",
        "loadrig_users": "마지막 1초의 끝에서 일하던 사용자.",
        "loadrig_response_seconds": "마지막 1초의 좋은 응답의 응답 시간, 초, 분위수 0.5, 0.95, 0.99에서, 각 요청을"
        " 보낼 때가 된 순간부터.",
        "loadrig_cores": "컴포넌트가 쓴 CPU 시간, 코어 수.",
        "loadrig_memory_bytes": "컴포넌트의 메모리, 바이트.",
        "loadrig_requests_total": "trial이 시작된 뒤 끝난 요청, 결과별.",
        "loadrig_request_duration_seconds": "trial이 시작된 뒤 응답 시간의 히스토그램, 각 요청을 보낼 때가 된"
        " 순간부터의 초, 경로와 결과별.",
    }
