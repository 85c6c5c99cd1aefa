class KoreanClientPortExhaustionTexts:
    title = "부하 발생기의 로컬 포트가 고갈되었습니다"
    decides = "커넥션을 유지하며 같은 부하를: 포트가 없어 실패하는 요청이 없어야 합니다"
    use_more_source = "출발지 주소를 늘리거나 (connections: {from_addresses: [127.0.0.1, 127.0.0.2]}) 범위를 넓히십시오 (sysctl -w net.ipv4.ip_local_port_range='1024 65535')"
    connections_held_local = "{address:으로} 가는 커넥션이 로컬 포트의 {{}} 를 차지했습니다"
    requests_failed_generator = "요청 {ended}건 중 {failed}건이 서버에 닿기 전에 부하 발생기에서 실패했습니다"
    requests_no_free = "요청 {failed}건이 빈 로컬 포트를 찾지 못했습니다 (EADDRNOTAVAIL)"
    generator_held_local = "부하 발생기가 로컬 포트의 {used:를} 차지했습니다"
    held_local_ports = "로컬 포트를 많아야 {used} 차지했고, 포트가 없어 못 보낸 요청은 없었습니다"
    keep_connections_alive = (
        "커넥션을 유지하십시오 (connections: {{keep_alive: true}}). 새 커넥션이 목적이라면 {ways}"
    )
    server_closes_every = (
        "서버가 모든 커넥션을 닫습니다: 유지하게 하십시오 (keep-alive 설정, worker class). 아니면 {ways}"
    )
