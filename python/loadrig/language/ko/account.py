class KoreanAccountGrowthWordsTexts:
    first_two_grew = "; 앞의 둘 중 어느 것이 더 늘었는지 알 수 없습니다"
    answered = " ({requests_per_s}/s 응답)"
    from_to = "부하가 {low}에서 {high}까지 느는 동안{answered} {became}."
    in_the_dips = "저하 구간에서 {became}."
    request_became_shorter = "요청이 {ms} 짧아졌습니다 ({first} 대신 {second})"
    span = "{low} ~ {high}"
    request_time_changed = "요청 시간이 {first}에서 {second:으로} 변했지만 우연일 수 있습니다 (95 % {span})"
    request_became_longer = "요청이 {ms} 길어졌습니다"
    most_not_accounted = "{longer}, 대부분은 설명되지 않습니다"
    part_cannot = "{longer}, 어느 부분에서인지 알 수 없습니다"
    all_of_it = "{longer}, 모두 {words}"
    first_part = "그중 {words} {ms}"
    part = "{words} {ms}"


class KoreanAccountReadTexts:
    socket_stages = "소켓 단계"
    in_hand = "처리 중인 요청"
    thread_states = "스레드 상태"
    probe_socket_stages = "socket_stages 프로브가 관찰하지 않았습니다"
    no_socket_port = "서비스하는 포트의 소켓을 보지 못했습니다"
    asked_over_unix = "유닉스 소켓으로 호출되어 시간을 알 수 없습니다"
    probe_thread_states = "thread_states 프로브가 관찰하지 않았습니다"
    cpu_time_not = "CPU 시간을 읽지 못했습니다"
    time_threads_waited = "스레드가 코어를 기다린 시간을 읽지 못했습니다"


class KoreanAccountRouteWordsTexts:
    and_more = ", 그리고 경로 {routes}개 더"
    by_route = "경로별: {named}{more}."
    part = "{words} {ms}"


class KoreanAccountRoutesTexts:
    queues = "큐에서의 시간 (accept 전, worker, 코어, 풀을 기다림)"
    generator_response_less = "부하 발생기: 응답 시간에서 서비스 시간을 뺀 것, 연결 시간 포함"
    requests_all_routes = "모든 경로의 요청이 그 안에서 함께 기다립니다"
    mix_routes_varies = "경로의 구성이 거의 변하지 않아 각각의 몫을 알 수 없습니다"
    regression_rates_routes = "경로별 요청률에 대한 {series}의 회귀"


class KoreanAccountSentenceTexts:
    waiting_load_generator = "부하 발생기에서 대기"
    opening_connection = "커넥션 열기"
    waiting_accepted = "accept 대기"
    waiting_to_be_read = "읽히기를 대기 (비어 있는 worker, 이벤트 루프, 코어 없음)"
    running_cpu = "CPU에서 실행"
    waiting_core = "코어 대기"
    standing_still_cpu = "CPU 쿼터로 멈춤"
    waiting_disk = "디스크 대기"
    waiting_inside_server = "서버 안에서 대기 (풀, 락, 이벤트 루프, 큐)"
    sending_answer = "응답 전송"
    waiting_for = "{of} 대기"
    connecting_to = "{of} 연결"
    answers_waiting_read = "{of} 응답이 읽히기를 대기"
    holding_transaction_open = "{of}의 트랜잭션을 연 채 아무것도 묻지 않음"
    rest = "나머지"
    the_server = "서버"
    part = "{words} {ms}"
    parts = "총 {total}: {listed}."
    parts_within = "{dependency} 안의 {total}: {listed}."
    overlapping = "{listed} (따로 센 값이어서 합이 전체보다 {over} 많음)"


class KoreanAccountSplitTexts:
    generator_response_less = "부하 발생기: 응답 시간 - 서비스 시간 - 연결 시간"
    generator_connect = "부하 발생기: 연결"
    socket_stages_out = "socket_stages.{} 중 out:{}"
    scaled_fit = ", 맞추어 조정"
    hand_less_all = "처리 중에서 위의 모든 것을 뺀 것"
    thread_states_threads = "thread_states.threads, state:disk"
    run_delay = "run delay"
    run_delay_requests = "run delay, 처리 중과 읽히지 않은 요청의 비율로"
    cgroup_throttled_s = "cgroup.throttled_s, 각 코어를 원한 스레드별로"
    socket_stages_idle = "socket_stages.idle, out:{name}, {name}의 client_idle_in_transaction"
    less_throttled = "{source}, 스로틀링을 뺀 것"


class KoreanAccountStatesTexts:
    request_due_generator = (
        "요청을 보낼 때가 되었는데 부하 발생기가 보내지 않았습니다: 빈 커넥션이 없거나 늦었습니다."
    )
    response_time_less = "응답 시간에서 서비스 시간과 `connecting`을 뺀 것. 큐가 늘어나는 곳에서는 큐의 길이."
    connection_being_opened = (
        "커넥션을 여는 중이며 TLS 핸드셰이크를 포함합니다. `of`가 있으면 의존 서비스로 가는 커넥션."
    )
    generator_histogram_connect = (
        "부하 발생기의 히스토그램 `connect`. `of`가 있으면 아직 열리지 않은 서버 자신의 소켓."
    )
    request_has_arrived = "요청이 도착했지만 어느 프로세스도 커넥션을 accept하지 않았습니다."
    connections_without_process = "프로세스가 없고 데이터가 온 커넥션."
    connection_accepted_no = "커넥션은 accept되었지만 어느 worker나 이벤트 루프도 요청을 읽지 않았습니다."
    connections_served_port = "서비스 포트의 커넥션 중 수신 큐가 비어 있지 않은 것."
    request_hand_waits = "요청이 처리 중이며 의존 서비스 `of`의 응답을 기다립니다."
    component_own_connections = "의존 서비스로 가는 커넥션 중 마지막 데이터 수신 뒤에 데이터를 보낸 것. 유닉스 소켓이면 그런 커넥션을 읽고 있는 스레드."
    dependency_has_answered = "의존 서비스 `of`가 응답했지만 구성 요소가 응답을 읽지 않았습니다."
    component_own_connections_whose = "의존 서비스로 가는 커넥션 중 수신 큐가 비어 있지 않은 것."
    request_hand_runs = "요청이 처리 중이며 코어에서 실행됩니다."
    cpu_seconds_component = "구성 요소 프로세스들의 CPU 초, 많아야 처리 시간에서 남은 만큼."
    request_hand_thread = "요청이 처리 중이고 스레드가 실행될 수 있지만 코어가 없습니다."
    run_delay_component = "구성 요소 스레드의 run delay, 많아야 처리 시간에서 `running`과 `disk`가 남긴 만큼. 스레드마다 자기 커넥션을 읽는 곳에서는 일부가 아직 온 것을 읽지 않았으므로, 지연을 `unread`, `answer_unread`와 수의 비율로 나눕니다. 구간은 그 전부를 포함합니다."
    runnable_while_control = "`runnable`과 같지만, cgroup이 CPU 쿼터를 다 쓴 동안."
    time_throttled_threads = "각 코어에서 실행되려던 스레드별 스로틀링 시간, 많아야 run delay."
    request_hand_thread_waits = "요청이 처리 중이며 스레드가 디스크를 기다립니다."
    threads_disk_wait = "디스크를 기다리는 스레드, 많아야 처리 시간에서 남은 만큼."
    request_hand_holds = (
        "요청이 처리 중이며 트랜잭션 도중에 데이터베이스 `of`의 커넥션을 잡은 채 아무것도 묻지 않습니다."
    )
    connections_nothing_under = "진행 중인 것이 없고 데이터베이스가 세션을 idle in transaction으로 표시한 커넥션, 많아야 처리 시간에서 남은 만큼."
    rest_time_hand = "처리 시간의 나머지: 요청이 프로세스 안에서 풀의 커넥션, 락, 인터프리터, 이벤트 루프, 큐, 타이머, 다른 스레드의 작업을 기다립니다."
    time_hand_less = "처리 시간에서 위의 모든 것을 뺀 것. 락 대기가 여기에 있습니다: 밖에서는 락을 기다리는 스레드와 일을 기다리는 스레드가 같아 보입니다."
    answer_or_first = "응답이나 그 첫 부분을 보냈지만 도착하지 않았습니다: 네트워크, 느린 클라이언트, 미뤄진 ACK를 기다리는 Nagle 알고리즘."
    connections_served_port_bytes = "보내지 않았거나 전송 중인 바이트가 있는 서비스 포트의 커넥션. 의존 서비스는 많아야 호출한 쪽이 아직 기다리는 만큼."
    flag_parallel = "처리 중인 요청보다 많은 의존 서비스 호출이 진행 중입니다: 호출이 나란히 또는 백그라운드에서 돕니다. 시간을 맞추어 조정했습니다."
    flag_multiplexed = "한 커넥션이 여러 요청을 동시에 나르므로 (HTTP/2, gRPC, WebSocket) 소켓으로는 적게 셉니다. 처리 시간은 다른 상태들이 남긴 것입니다."
    flag_in_hand_unseen = (
        "소켓이 처리 중인 요청 수를 보여 주지 않으므로, CPU나 의존 서비스에 있지 않은 것은 설명되지 않습니다."
    )
    flag_background_cpu = "CPU 시간의 일부는 처리 중인 어느 요청의 것도 아닙니다: 백그라운드 스레드, 또는 요청을 읽기 전과 응답한 뒤의 작업."
    flag_others = "알려진 호출자가 기다리는 것보다 많은 요청이 구성 요소에 있습니다: 다른 호출자가 있습니다."
    flag_alone = "호출자의 소켓으로 요청 시간을 알 수 없어, 합계는 자신의 상태들을 더한 것입니다."
    flag_abandoned = (
        "요청이 기다리거나 처리되는 동안 클라이언트가 떠났습니다: 서버가 아무도 없는 곳에 일하고 있습니다."
    )
    flag_tied = "많은 커넥션이 한가한지 알 수 없습니다: 처리 중과 대기가 덜 확실합니다."
    flag_partly_seen = "소켓을 구간의 일부에서만 보았습니다. 계산은 그 부분의 것입니다."
    slot_cores = "구성 요소가 쓸 수 있는 코어: `running`, `background`(요청이 없을 때 돈 자신의 스레드), `others`(측정되었든 아니든 다른 프로그램), 하이퍼바이저의 `stolen`, `free`. 옆에 `runnable`."
    slot_quota = "cgroup의 CPU 쿼터: `used`, `free`, 그리고 시간의 비율인 `throttled`."
    slot_threads = "모든 스레드, 여럿이면 그룹별 `of`: `thread_states`의 상태들."
    slot_busiest_thread = "가장 많이 돈 스레드: `running`, `runnable`, `waiting`."
    slot_interpreter = (
        "가장 바쁜 프로세스의 파이썬 인터프리터 락: `held`, `free`. 옆에 락을 원하는 스레드 `waiting`."
    )
    slot_workers = "요청을 하나씩만 담는 worker 프로세스들: `in_hand`, `free`."
    slot_connections = "의존 서비스 `of`로 가는, 풀이 가진 것과 같은 커넥션: `awaiting`, `in_transaction`(트랜잭션 도중에 한가함, 데이터베이스의 말: 잡혀 있으나 아무것도 묻지 않음), `idle`, …"
    slot_host_cores = "머신의 모든 코어: `used`, `free`, 하이퍼바이저의 `stolen`."
