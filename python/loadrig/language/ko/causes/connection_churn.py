class KoreanConnectionChurnTexts:
    title = "커넥션을 유지하지 않고 새로 엽니다"
    load_asks_new = "부하가 새 커넥션을 요구합니다: 실제 클라이언트가 커넥션을 유지하는지는 알 수 없습니다"
    rises_if_cause = "이것이 원인이라면 오릅니다"
    if_real_clients = (
        "실제 클라이언트가 커넥션을 유지한다면 부하도 그렇게 하십시오 (connections: {keep_alive: true})"
    )
    gunicorn_sync_workers = (
        "gunicorn의 sync worker는 모든 커넥션을 닫습니다: -k gthread --threads 8 --keep-alive 10"
    )
    let_server_keep = "서버나 그 프록시가 커넥션을 유지하게 하십시오 (keep-alive 타임아웃, 커넥션당 요청 수)"
    connections_s_from = "요청 {ended_rps}/s에 {name}에서 커넥션 {rate}/s: 요청당 {a_request}"
    should_rise_up = "최대 {rises} 오를 것입니다"
    takes_about = "; 약 {formula} 걸립니다"
    effect = "{name}에서 초당 커넥션 {rate}개를 엽니다. 요청당 {a_request}개{takes}"
    decides = "{name}에서 커넥션을 유지하며 같은 부하를: 처리량이 {gain}"
    redis_connectionpool_process = (
        "{to:으로} 요청마다 커넥션을 여는 대신 프로세스당 redis.ConnectionPool 하나"
    )
    pool_keeps_idle = (
        "{source:이} {to:으로} 가는 유휴 커넥션을 동시에 쓰는 만큼 유지하게 하십시오: 모든 요청이 풀이나 클라이언트 하나를"
        " 함께 쓰고 keep-alive를 켭니다"
    )
    pool_of_go = (
        "{source}의 풀이 {to:으로} 가는 유휴 커넥션을 동시에 쓰는 만큼 유지하게 하십시오 (SetMaxIdleConns, HTTP라면"
        " MaxIdleConnsPerHost와 끝까지 읽은 응답)"
    )
    pool_or_http = "{source}에서 {to:으로} 가는 커넥션 풀 (또는 keep-alive를 쓰는 HTTP 클라이언트)"
