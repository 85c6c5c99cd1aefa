from collections.abc import Mapping
from typing import ClassVar


class KoreanReportWordsTexts:
    may_good = "마찬가지로 좋을 수 있음"
    misses_goal = "목표를 놓침"
    differs_too_little = "다르지만 중요하지 않을 만큼 작음"
    cause_named = "증명된 원인"
    cause_likely = "유력한 원인"
    cause_possible = "가능한 원인"
    stands_mean_named = "증명됨: 실험이 그것을 움직였습니다"
    chance_means = "진실이 알려진 서버에서 이와 같은 결과가 맞았던 비율입니다"
    about_so_sure = "{word}, ~{chance}"
    stands_mean_likely = "계산과 모든 징후가 맞습니다. 실험은 하지 않았습니다"
    stands_mean_possible = "일부를 보지 못했거나 근거가 적습니다"
    ended_sure = "더 해도 알 수 있는 것이 없어 끝났습니다"
    ended_budget = "시간 예산을 다 써서 끝났습니다"
    ended_unprovable = "첫 번째 용의자를 판가름할 실험이 없어 답 없이 끝났습니다"
    ended_nothing_to_prove = "증명할 것이 없었습니다"
    ended_gone = "그때는 이상이 이미 끝나서 어떤 실험도 말해 주지 않습니다"
    ended_failed = "끝까지 수행할 수 없었습니다"
    ended_interrupted = "중단되었습니다"
    validity_mean_valid = "측정 장치가 plan이 요구한 대로 했습니다"
    validity_mean_disturbed = "일부 결론이 약해지고 나머지는 모두 유효합니다"
    validity_mean_void = "측정 장치가 제대로 실행하지 못했습니다: 서버에 대해 아무 말도 할 수 없습니다"
    outcomes: ClassVar[Mapping[str, str]] = {
        "ok": "응답되었고 모든 검사를 통과함",
        "http_3xx": "예상하지 않은 리다이렉트로 응답됨",
        "http_4xx": "클라이언트 오류로 응답됨",
        "http_5xx": "서버 오류로 응답됨",
        "check_failed": "응답되었지만 응답에 대한 검사가 실패함",
        "grpc_error": "응답되었지만 예상과 다른 gRPC 상태",
        "timeout": "타임아웃 안에 완전한 응답이 없음",
        "connect_refused": "포트를 여는 것이 없음",
        "connect_timeout": "연결 타임아웃 안에 커넥션이 없음",
        "connect_reset": "연결하는 동안 커넥션이 reset됨",
        "connect_failed": "커넥션 없음: 호스트나 네트워크에 닿을 수 없음",
        "tls_failed": "TLS 핸드셰이크 실패",
        "reset": "서버가 커넥션을 reset함",
        "closed": "응답이 끝나기 전에 서버가 커넥션을 닫음",
        "stream_reset": "서버가 요청의 HTTP/2 스트림을 reset함",
        "go_away": "요청을 받기 전에 서버가 GOAWAY를 보냄 (HTTP/2)",
        "not_http": "온 것이 HTTP가 아님",
        "excess_body": "본문이 알린 것보다 김",
        "no_ports": "부하 발생기에 로컬 포트가 남지 않음",
        "no_descriptors": "부하 발생기에 파일 디스크립터가 남지 않음",
        "failed": "다른 입출력 오류",
        "unsent": "예정되었지만 보내지 못함",
    }
    each_user_waits = "사용자마다 응답을 기다린 뒤 다시 요청합니다"
    requests_due_their = "응답 여부와 상관없이 정해진 시각에 요청합니다"
    partly_open = "부분 open"
    users_arrive_rate = "사용자들이 일정한 비율로 와서 여러 번 요청하고 떠납니다"
    requests_due_times = "목록의 시각에 요청합니다"
    every_connection_asks = "모든 커넥션이 응답받자마자 다시 요청합니다"
    measure_cpu_per_request = "요청당 CPU"
    measure_mean = "평균 지연 시간"
    measure_max = "가장 느린 응답"
    claim_ratios = "비용과 비율"
    claim_rates = "초당 응답"
    claim_times = "보통의 시간"
    claim_tails = "가장 느린 시간"
    claim_load = "요청받은 부하"
    some_connections_without_pause = "쉬지 않는 커넥션"
    the_load = "부하"
    arrival_model_not = "도착 모델이 기록되지 않았습니다"
    user = "사용자 {users}명"
    requests_second = "초당 요청 {rate}"
    sessions_requests_second = "초당 요청 {rate}건을 보낸 세션"
    replayed_list_requests = "초당 요청 {rate}의 목록 재생"
    connections_without_pause = "쉬지 않는 커넥션 {users}개"
    joined = "{first}, {second}"
