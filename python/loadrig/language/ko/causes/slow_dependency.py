from loadrig.language.particles import with_particle


class KoreanSlowDependencyTexts:
    title = "의존 서비스의 응답이 오래 걸립니다"
    mend = "이름을 머신에 보관하거나 (systemd-resolved, nscd, dnsmasq) 커넥션을 유지하십시오: 그러면 요청마다 이름을 묻지 않습니다"
    slower_than = "{proxy} 뒤에서 요청 하나에 {slow:은} {slow_s}, {quick:은} {quick_s} 걸립니다"
    mend_slower = (
        "{slow:이} {quick}보다 무엇이 모자라거나 무엇을 더 하는지(버전, 설정, 호스트, 호출하는 곳) 찾거나, 그때까지"
        " 분배 대상에서 빼십시오. 처리 중인 요청이 가장 적은 곳으로 보내는 방식도 도움이 됩니다"
    )
    decides_slower = "분배 대상에서 {slow:을} 뺀 같은 부하: 이것이 원인이라면 요청이 빨라집니다"
    decides = "이름을 /etc/hosts에 두고 같은 부하를"
    look_why_stands = "왜 멈춰 있는지 보십시오. 호출마다 타임아웃을 두어 요청을 끝없이 붙들지 않게 하십시오"
    ask_directly_while = "서버가 멈춰 있는 동안 직접 물어보십시오"
    cores_machine_waited = "그 머신의 코어들이 매초 {} s 동안 디스크를 기다렸습니다"
    sessions_work = "실행 중인 세션"
    commands_work_or = "실행 중이거나 막힌 명령"
    calls_any_time = "아직 처리 중인데 포기된 호출이 어느 시점에나 {}건 있었습니다"
    takes_most = "요청의 {total} 중 {awaited:이} {name:을} 기다리며 지나갑니다"
    slowest_wait = "요청은 {name:을} 평균 {awaited} 동안 기다리는데, 절반은 다 합쳐 {median}도 걸리지 않습니다: 그 응답 가운데 몇몇이 느립니다"
    bound_slowest = (
        "{name}의 어떤 호출이 느린지 찾고(소요 시간별 로그나 트레이스), 타임아웃으로 대기를 제한하십시오"
    )
    requests_flight_waited = (
        "처리 중인 요청 {in_flight}건 중 {waiting}건이 네임 서버 {server:을} 기다렸습니다"
    )
    waited_over_udp = "처리 중인 요청 {in_flight}건 중 {waiting}건이 UDP로 묻는 {server:을} 기다렸습니다"
    request_waits_time = "요청이 그 시간의 {share} 동안 이름을 기다립니다"
    until_end = "요청 {waiting}건의 호출 {awaiting}건이 끝까지 기다렸습니다"

    def effect(self, name: str, seconds: str, awaiting: str, waiting: str) -> str:
        subject = with_particle(name, "은")
        return f"{subject} 마지막 {seconds} 동안 아무것도 응답하지 않았습니다: 요청 {waiting}건의 호출 {awaiting}건이 기다렸습니다"

    requests_waited_any = "어느 시점에나 요청 {waiting}건이 기다렸습니다"
    each = ": 하나에 {seconds}"
    median = ", 중앙값 {latency}"
    ask_less_often = (
        "{name:을} 덜 자주 또는 동시에 호출하고, 응답을 캐시하고, 타임아웃으로 대기를 제한하십시오"
    )
    same_load_stand = "즉시 응답하는 대역을 {name} 대신 두고 같은 부하를: 지연 시간이 줄어듭니다"
    requests_flight = "처리 중인 요청 {waiting}건 중 {awaiting}건"
    may_wait_connections = "커넥션으로 보아 {name} 안의 요청 {busy}건 중 {awaiting}건이 기다릴 수 있습니다"
    itself_used = "{name} 자신은 {cores} 중 {cpu:를} 썼습니다"
    cpu_not_seen = "{name}의 CPU를 보지 못했습니다: 그 머신에서 loadrig를 실행하십시오"
    part_time_may = "{text}: 시간의 일부는 자신의 것일 수 있습니다"
    average_connections_use = "사용 중인 커넥션 {in_use}개에 평균 {inside}개의 {kind}"
    what_sessions_do = "{name}의 세션이 무엇을 하는지 읽지 못했습니다"
    used_cpu_may = "쓸 수 있는 CPU의 {fullness:를} 썼습니다"
    connections_opened_each = "요청마다 커넥션 {opened}개를 열었습니다: 다시 묻습니다"
