class KoreanAcceptBacklogTexts:
    title = "accept 큐가 가득 차 커넥션이 거절됩니다"
    another_listener_queue = "다른 리스너의 큐가 더 차 있었습니다"
    nobody_turned_away = "거절된 커넥션이 없었습니다"
    whether_connections_turned = "커넥션이 거절되었는지 읽지 못했습니다: nstat -az TcpExtListenOverflows"
    queue_full_most = "큐가 대부분의 시간 동안 가득 차 있었습니다: 처리가 너무 느린 것이며, 큐를 늘리면 더 오래 기다릴 뿐입니다"
    listen_backlog = "listen()의 backlog를 다음으로"
    requests_got_no = "요청 {}건이 제때 커넥션을 얻지 못했습니다"
    decides = (
        "backlog를 10배로 (net.core.somaxconn도): 거절이 사라집니다. 처리량이 그대로라면 worker가 원인입니다"
    )
    kernel_turned_connections = "커널이 커넥션 {away}개를 거절했습니다"
    connections_waited_accepted = "accept를 기다린 커넥션이 {backlog}개 중 {peak}개였습니다"
    whether_more_did = "{text}; 두 관찰 사이에 더 있었는지는 보지 못했습니다 (probe_every: 200ms)"
    used_cpu_accepts = "{name:은} CPU의 {word:를} 썼습니다: accept가 늦습니다"
    effect = "backlog {backlog}에서 {name}에 대한 연결 시도 {away}회가 거절되었습니다"
    mend = "worker가 모두 바쁘면 worker를 늘리고, {option} {longer} 및 sysctl -w net.core.somaxconn={longer}"
    turned_away_requests = "{away}건 거절, 요청 {total}건 전송"
    slowest_answers_took = (
        "가장 느린 응답은 {latency_s} 걸렸습니다: 거절된 클라이언트는 {mode_s} 뒤에 다시 시도합니다"
    )
