class KoreanJudgementFactsStatementsTexts:
    wake_ups_sessions = "세션을 깨운 횟수"
    messages = "호출"
    they_take_up = "양쪽을 합쳐 요청당 CPU {own} 중 최대 {spent:를} 씁니다"
    their_round_trips = "왕복이 중앙값 {p50} 중 {trips_s:를} 차지합니다"
    share_is = "그중 {share:이} {statement}입니다"
    brings = "한 번에 가져오는 행은 {rows}개입니다"


class KoreanJudgementFactsWaitsTexts:
    looks_at_connections = "커넥션을 들여다본 것"
    stand_elsewhere = "커넥션을 들여다보니 요청 {waiting}건 중 {awaiting}건만 거기에 있었습니다: 대부분은 {owner} 안에 있거나 보이지 않는 것을 기다립니다"
    still_on_the_way = "ACK가 미뤄져 호출 {number}건이 아직 전송 중입니다"
    throughput_time_request = "처리량 × 혼자일 때의 요청 시간"
    ms_s = "{inside_ms} ms × {requests_per_s}/s = {waiting}"
    loop_waits_itself = (
        "{name}의 이벤트 루프 자체가 시간의 {share} 동안 호출 안에 서 있어 모두를 기다리게 했습니다"
    )
    request_passed_no = "요청의 {inside:가} 코어도 디스크도 쓰지 않고 그 안에서 지나갔습니다"
    request_passed_no_core = "그 안의 요청 {whole} 중 {inside:이} 코어도 디스크도 쓰지 않고 지나갔습니다: 요청 {waiting}건이 서 있었고 한 번에 {at_once}건씩 통과했습니다"
    requests_went_through = "커넥션이 몇 개 열려 있든 요청이 한 번에 {at_once}건씩 통과했습니다"
    they_wait_there = (
        "{name} 안의 요청 {busy}건 중 {text}: 거기서 기다리는 것이지 이것을 기다리는 것이 아닙니다"
    )
    wait_lock = "그중 {lock_waits}개는 락을 기다립니다"
    requests_waited_ahead = "{owner} 앞에서 요청 {waiting}건이 기다렸습니다: worker가 적은지 {dependency:이} 느린지는 worker를 4분의 1 늘리면 알 수 있습니다"
    flight_service = "처리 중 {waiting}건, 서비스 중 {busy}건"


class KoreanJudgementFactsCarriersTexts:
    threads_wait_connection = "스레드 {mean}개가 {name}의 커넥션을 기다립니다"
    behind_full_core = "뒤에 있는 {name:이} 가득 찼습니다: 쓸 수 있는 코어 하나의 {mean}"
    behind_full_cpu = "뒤에 있는 {name:이} 가득 찼습니다: CPU의 {fullness}"
    sessions_behind_wait = "뒤에 있는 {name}의 세션 {waiters}개가 락을 기다립니다"


class KoreanJudgementFactsGarbageTexts:
    after_collections_greatest = "GC 뒤에도 최대 힙의 {heap:가} 사용 중이었습니다"
    collections_whole_heap = "GC 중 {full}회가 힙 전체에 대한 것이었습니다"
    stood_still_time = "GC 때문에 전체 시간의 {paused} 동안 멈춰 있었습니다"
    pauses_longest = " (멈춤 {size}회, 가장 긴 것 {max_text})"
    cpu_went_into = ", 스레드와 별도로 CPU의 {beside:가} GC에 쓰였습니다"


class KoreanJudgementFactsCoresTexts:
    no_process_cpu = "process.cpu_s가 없습니다"
    cores_busy_ours = "바쁜 코어 {busy} - 서버 {ours} - 측정 장치 최대 {rig}"
    seen_there = "{text}; 거기서 본 것: {programs}"
    cpu_time_not = "CPU 시간을 보지 못했습니다: {name:이} 도는 곳에서 loadrig를 실행하십시오"
    used_may_use = "쓸 수 있는 {cores} 중 {mean:를} 썼습니다"
    cores_busy_time = "코어들이 전체 시간의 {free} 동안 바빴습니다"


class KoreanJudgementFactsCoursesTexts:
    limit_open_descriptors = "열 수 있는 디스크립터의 한계"
    most_tasks_control = "cgroup의 최대 태스크 수"
    greatest_heap_may = "가질 수 있는 최대 힙"
    memory_machine = "머신의 메모리"
    memory_limit = "메모리 한계"
    memory = "메모리"
    fills_up = "끝의 증가 속도가 처음의 {share}입니다: 차오르다 멈추는 모양입니다"
    came_at_once = "그중 {share:이} 한꺼번에 늘었습니다: 무언가가 만들어진 것입니다"
    curve_fits = "차오르다 멈추는 곡선도 직선만큼 잘 맞습니다(BIC {bic})"
    rose_seldom = "측정값의 {share}에서만 증가했습니다"
    like_a_cache = "원래 크기의 {share}만큼이며, 이렇게 짧은 시간에는 캐시가 차오를 때도 그렇게 늘어납니다"
    too_little = "요청당 증가량 {a_request}: 너무 적어 시작 단계의 증가와 구별되지 않습니다"


class KoreanJudgementFactsLegsTexts:
    how_many_connections = "커넥션을 몇 개 열었는지, 또는 포트 범위를 읽지 못했습니다: sock_diag가 알려 줍니다 (modprobe tcp_diag)"
    tcp_tw_reuse = "tcp_tw_reuse, 기본값으로는 루프백에서만"
    ports_connections_s = "포트 {total}개 / {hold} = 커넥션 {sustained}/s"
    closed_second = "초당 {rate}개를 닫으면"
    all_taken_after = "{rate} {empty}{empty_after_s} 뒤에 모두 소진됩니다"
    they_last_s = "{rate} 계속 견딥니다 ({how}); {time_wait_s} s 동안 유지되면 {gone} 뒤에 소진됩니다"
    they_last_ever = "{rate} 계속 견딥니다, 그 한계의 {share}"
    to = "{source}에서 {to:으로}"
    no_port_free = "처음부터 빈 포트가 없었습니다. 초당 {rate}개를 열었고 {freed}/s가 풀려납니다"
    opened_s_free = "빈 포트가 있을 때 {rate_before}/s, 없을 때 {rate_when_full}/s를 열었습니다"


class KoreanJudgementFactsLocksTexts:
    interpreter_lock = "스레드들이 인터프리터 락을 기다립니다"
    works_singly = "스레드들이 다른 프로그램을 기다리지 않는데도 요청을 한 번에 하나씩만 처리합니다"
    formula_of_a_lock = "처리량 × 단독 요청의 처리 시간 = 1"
    threads_waited_lock = "스레드 {mean}개가 다른 프로세스가 가진 락(파일, 세마포어)을 기다렸습니다"
    threads_waited_file = (
        "스레드 {number}개가 파일 {file}의 락을 기다리거나 다시 요청하려고 잠들어 있었습니다. 락은 시간의 {share} 동안 잡혀"
        " 있었습니다"
    )
    goroutines_stood_lock = "goroutine {number}개가 락에 서 있었습니다"
    threads_blocked_they = "스레드 {number}개가 BLOCKED 상태로 락을 기다렸습니다"
    of_in_flight = "{waiters}, 처리 중인 요청은 {number}개"
    monitors_contended = "요청마다 스레드가 synchronized 블록에 들어가려고 {times}번 기다렸습니다"
    goroutines_waited = "goroutine들이 락을 기다린 시간이 매초 합계 {seconds} s입니다"
    works_on = "동시에 처리하는 요청이 {at_once}개입니다: 단독으로는 {fastest}, 처리량 {rate}/s"
    formula_of_work = "처리량 × 단독 요청의 처리 시간 = {at_once}"
    gave_up_core = "스레드들이 요청마다 {times}번 코어를 내놓았습니다"


class KoreanJudgementFactsLoopsTexts:
    loop_used_core = "루프가 쉬지 않고 코어 하나의 {mean:를} 썼습니다"
    requests_flight = "요청 {waiting}건이 처리 중입니다"
    requests_take_alone = "요청은 {p50}, 혼자일 때는 {fastest_s} 걸립니다"
    bytes_each_lie = "; 각각 {unread}바이트가 읽히지 않은 채 있습니다: 루프가 돌아오지 못합니다"
    they_served = "{text}: 하나씩 처리됩니다"
    loop_late_most = "루프가 최대 {peak} 늦었습니다"
    loop_late_average = "루프가 평균 {mean} 늦었습니다 (최대 {peak})"
    takes_alone_beside = "{quick:은} 혼자일 때 {alone}, {slow} 옆에서는 {beside}, {slow} 혼자는 {slow_alone}"
    sleeps_in_calls = (
        "이벤트 루프의 스레드가 시간의 {asleep} 동안 호출 안에서 자고 {awaiting} 동안만 이벤트를 기다렸으며,"
        " 그동안 요청마다 {unread}바이트가 읽히지 않은 채 있었습니다"
    )
    sleeps_alone_in_calls = "유일한 스레드인 이벤트 루프가 시간의 {asleep} 동안 호출 안에서 잤고 그동안 아무도 처리하지 않았습니다"
    slept_time_though = "읽을 요청이 있는데도 한 번에 {sleep_s} 잤습니다: 루프가 아니라 호출 안입니다"
    throughput_time_request = "처리량 × 혼자일 때의 요청 시간 = 동시에 {at_once}"
    quota_stops = "쿼터 {quota}에 막혀 있습니다"
    mean_of = "{cores} 중 {mean}"
    collections_garbage_stop = "GC가 전체 시간의 {mean} 동안 멈추게 합니다"
    threads_waited_core = "스레드들이 전체 시간의 {mean} 동안 코어를 기다렸습니다: 다른 것이 쓰고 있습니다"
    used_may_use = "쓸 수 있는 {places} 중 {ours:를} {users:이} 썼습니다"
    lacks_cpu = "{text}: CPU가 모자랍니다"
    on_their_way_back = (
        "응답은 {total} 가운데 {sending} 동안 돌아가는 길에 있었습니다: 루프는 이미 보냈습니다"
    )
    mean_less_median = "평균 응답 시간에서 중앙값을 뺀 값"
    no_process_cpu = "process.cpu_s가 없습니다"
    a_request = "요청 하나"
    tail_lay_unread = (
        "요청은 평균이 중앙값보다 {slower} 더 걸렸고, 요청이나 그 응답이 평균 {unread} 동안 읽히지 않은 채"
        " 있었습니다; 짧은 호출뿐이라면 {expected}입니다"
    )
    whether_waits_or = "기다리는지 계산하는지 보지 못했습니다: {name:이} 도는 곳에서 loadrig를 실행하십시오"
    used_core_held = "한 코어의 {used:를} 썼습니다: 계속 계산하지 않는데도 막혀 있습니다"
    used_core_computing = (
        "한 코어의 {used:를} 썼고 호출 안에서 거의 잠들지 않았습니다: 계산하는 동안 막혀 있습니다"
    )
    computes_without_pause = "{what:이} 쉬지 않고 {longest_s} 동안 계산합니다"
    loop_full_calls = "루프 하나가 {cpu_s}짜리 호출로 가득 찼고 다른 코어는 놀고 있습니다"
    calls_short_request = "호출은 짧습니다 (요청당 {cpu_s}): CPU가 모자랍니다"


class KoreanJudgementFactsMemoryTexts:
    memory_processes = "프로세스의 메모리"
    memory_workers = "worker의 메모리"
    memory_rss = "메모리 (RSS)"
    heap_use_after = "GC 뒤 사용 중인 힙"
    heap_collections = "GC 뒤 남은 힙"
    room_unread = "메모리가 얼마나 남았는지 읽지 못했습니다"
    limit_unread = "읽은 한도 없음"
    group_uses = "프로세스 그룹의 메모리 한도 {limit} 중 {used} 사용 중입니다"
    machine_has_left = "머신의 메모리 중 남은 것은 {share}였습니다"
    place_holds = (
        "{place:이} 처음 관찰했을 때보다 블록 {blocks}개, {size} 더 점유합니다: 추적된 증가량의 {share}"
    )


class KoreanJudgementFactsObservedTexts:
    series_not_read = "시계열을 읽지 못했습니다"


class KoreanJudgementFactsOpeningTexts:
    its_time = "요청 시간"
    what_costs_very = (
        "; 이 프로그램에서 하나에 얼마가 드는지는 보지 못했습니다. 프로파일이 알려 줍니다 (--profile)"
    )
    no_cpu_time = "CPU 시간도 지연 시간도 없음"
    x = "{basis_s} 중 {a_request} x {usual_s}"
    a_request = "{what}의 {share} (요청당 {each})"
    cpu_time = "{name}의 CPU 시간"
    connections_sessions_opened = "(커넥션 {connections} - 세션 {sessions}) / 초당 여는 수 {opened}"
    opening_them_takes = "여는 데 약 {formula} 걸립니다"
    what_request_costs = (
        "{to}나 {source}에서 요청 하나에 얼마가 드는지 보지 못했습니다: 서버의 머신을 관찰하십시오"
    )
    closes_them_first = "{closer:이} 그중 {here:를} 먼저 닫습니다"


class KoreanJudgementFactsPoolsTexts:
    the_pool = "풀"


class KoreanJudgementFactsQuotaTexts:
    gomaxprocs_is = "GOMAXPROCS는 {}"
    jvm_counts_processors = "JVM이 세는 프로세서는 {}개"
    threads_wanted_run = "스레드 {}개가 동시에 돌려고 했습니다"


class KoreanJudgementFactsReadTexts:
    kernel_killed_server = "메모리가 없어 커널이 서버를 죽였습니다"
    server_process_not = '서버의 프로세스를 보지 못했습니다: 그 머신에서 loadrig를 실행하거나 관찰하십시오 (observers: [{name: web, via: "ssh HOST", port: PORT}])'


class KoreanJudgementFactsRestartsTexts:
    requests_workers_s = "요청 {most}건 × worker {workers}개 / {rate}/s = {life_s}"


class KoreanJudgementFactsRoutesTexts:
    each_of = "({route} 요청은 {number})"


class KoreanJudgementFactsSlotsTexts:
    request_time = "한 번에 요청 하나"
    leave_out_without = "--without-threads를 빼십시오"
    more_tokens_anyio = "anyio 리미터의 토큰을 늘리거나 async 핸들러로"
    event_loop = "이벤트 루프 하나"
    threads = "스레드 {number}개"
    processes_event_loop = "이벤트 루프를 하나씩 가진 프로세스 {workers}개 ({class_text})"
    processes_hold_many = "한 스레드에 많은 커넥션을 담는 프로세스 {workers}개"
    threads_handlers_without = "async가 아닌 핸들러용 스레드 {loop_pool_threads}개"
    processes_with = "{text:을} 가진 프로세스 {workers}개"
    processes_event_loop_each = "이벤트 루프를 하나씩 가진 프로세스 {workers}개"

    def workers_of_threads(self, workers: float, threads: float) -> str:
        each = "스레드 하나짜리" if threads == 1 else f"스레드 {threads:g}개짜리"
        return f"{each} worker 하나" if workers == 1 else f"{each} worker {workers:g}개"

    threads_or_workers = "{threads} 또는 {workers}"
    workers_or_threads = "{workers}, 또는 스레드: {threads}"


class KoreanJudgementFactsStreamsTexts:
    event_text_gc_pause = "{}의 가비지 컬렉션"
    event_text_safepoint = "{}의 모든 스레드 멈춤"
    event_text_worker_died = "{}에서 끝난 worker"
    event_text_worker_born = "{}에서 시작된 worker"
    event_text_process_died = "{}에서 끝난 프로세스"
    event_text_process_born = "{}에서 시작된 프로세스"
    event_text_checkpoint = "{}의 체크포인트"
    event_text_oom_kill = "메모리 부족으로 죽은 {} 프로세스"
    event_text_slow_command = "{}의 느린 명령"
    event_text_latency_spike = "{}의 멈춤"
    event_text_restarted = "{}의 재시작"
    event_text_log_rotated = "{}의 로그 교체"
    time_stood_still = "CPU 쿼터로 인한 {}의 정지 시간"
    pages_read_back = "디스크에서 다시 읽은 {} 페이지"
    look_ups_nothing = "{}에서 찾지 못한 조회"
    keys_whose_time = "{}의 만료된 키"
    keys_threw_out = "{}에서 축출된 키"
    workers_autovacuum = "{}의 autovacuum worker"
    answers_token_or = "토큰이나 세션이 끝났다는 응답"
    requests_route = "경로 {route}의 요청"
    time_hypervisor_took = "하이퍼바이저가 {name}에서 가져간 시간"
