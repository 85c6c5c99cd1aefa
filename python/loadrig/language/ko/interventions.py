class KoreanInterventionsCapacityTexts:
    none_has_more = "없음: 전보다 CPU가 많습니다"
    no_cpu_uses = "쓰는 CPU를 빼앗지 않습니다"
    fifth_cpu_uses = "쓰는 CPU의 5분의 1을 빼앗습니다"
    cores = "코어 {number}개"
    cpu_to = "{name}의 CPU: {cores}에서 {ratio:으로}"


class KoreanInterventionsCoresTexts:
    what_runs_busiest = "가장 바쁜 코어에서 도는 것, 10 ms마다 2 ms 동안."
    name = "공유 코어"
    fifth_cores_taken = "이 코어에서 도는 모두에게서 코어의 5분의 1을 빼앗습니다"
    generator_too = ", 부하 발생기도"
    only_roughly_right = "; 실시간 우선순위 권한이 없어 대략적으로만"
    core_numbers = "코어 {numbers}"
    to = "{named} ({processes}): {cores}에서 {ratio:으로}"


class KoreanInterventionsCpuQuotaTexts:
    cpu_quota_component = "구성 요소 cgroup의 CPU 쿼터; 되돌립니다."
    name = "CPU 쿼터"


class KoreanInterventionsCpuWeightTexts:
    weight_component = "구성 요소 cgroup의 CPU 가중치. 되돌립니다."
    name = "CPU 가중치"
    others_wait = "없음: 이것이 먼저 돌고, 그 코어의 다른 것들이 기다립니다"
    before_others = "자기 코어에서 다른 모두보다 먼저: {component}"


class KoreanInterventionsDependencyDelayTexts:
    proxy_rig_loopback = "서버가 의존 서비스에 닿는 루프백의 프록시; 끝냅니다."
    name = "의존 서비스의 지연"
    way_longer = "{name:으로} 가는 길: {longer} 길게"
    each_round_trip = "{name:으로} 가는 왕복이 {longer} 길어졌습니다"


class KoreanInterventionsKnobStepTexts:
    knob_server_rig = "측정 장치가 그것을 위해 새로 시작하는 서버의 설정 항목 하나."
    name = "대상의 설정 항목"
    as_it_is = "지금 값"
    title = "{name}: {old}에서 {value:으로}"


class KoreanInterventionsLoadShapeTexts:
    name = "부하의 모양"
    shape_identity = "모든 요청이 압축하지 않은 응답을 요청합니다."
    shape_keep_alive = "응답마다 닫던 커넥션을 유지합니다."
    shape_spread_logins = "토큰마다 수명의 끝이 아니라 후반의 무작위 순간에 갱신합니다."
    shape_half_rate = "요청률의 절반, 또는 사용자의 절반."
    shape_without = "경로 하나를 뺍니다: `without:NAME`, 또는 차례로 하나씩."
    connections_closed_after = "connections: 응답마다 닫기에서 유지하기로"
    in_step = "없음"
    load_all_half = "부하: 전부에서 절반으로"
    accept_encoding_identity = "Accept-Encoding: {before}에서 identity로"
    logins_spread_over = "로그인 분산: {before}에서 토큰 수명의 {share:으로}"
    model_to = "{model}: {before}에서 {after:으로}"
    connections_to = "connections: {most}에서 {fewer:으로}"
    gives_others = "{name:이} {sorted_text:을} 다른 것에 줍니다"
    without = "{name} 없이"


class KoreanInterventionsProxyTexts:
    proxy_to = "{address:으로} 가는 프록시"


class KoreanInterventionsStoppedTexts:
    busy_processes_component = "구성 요소의 바쁜 프로세스들, 10 ms마다 2 ms 동안."
    sigstop_sigcont = "그 동안 SIGSTOP과 SIGCONT."
    name = "순간적으로 멈춤"
