from loadrig.language.en.judgement.facts import (
    JudgementFactsCarriersTexts,
    JudgementFactsCoresTexts,
    JudgementFactsCoursesTexts,
    JudgementFactsGarbageTexts,
    JudgementFactsLegsTexts,
    JudgementFactsLocksTexts,
    JudgementFactsLoopsTexts,
    JudgementFactsMemoryTexts,
    JudgementFactsObservedTexts,
    JudgementFactsOpeningTexts,
    JudgementFactsPoolsTexts,
    JudgementFactsQuotaTexts,
    JudgementFactsReadTexts,
    JudgementFactsRestartsTexts,
    JudgementFactsRoutesTexts,
    JudgementFactsSlotsTexts,
    JudgementFactsStatementsTexts,
    JudgementFactsStreamsTexts,
    JudgementFactsWaitsTexts,
)
from loadrig.language.particles import with_particle


class KoreanJudgementFactsStatementsTexts(JudgementFactsStatementsTexts):
    wake_ups_sessions = "세션을 깨운 횟수"
    messages = "호출"

    def they_take_up(self, spent: str, own: str) -> str:
        return f"요청당 CPU {own} 중 최대 {with_particle(spent, '를')} 씁니다"

    def their_round_trips(self, trips_s: str, p50: str) -> str:
        return f"왕복이 중앙값 {p50} 중 {with_particle(trips_s, '를')} 차지합니다"

    def share_is(self, share: str, statement: str) -> str:
        return f"그중 {with_particle(share, '이')} {statement}입니다"

    def brings(self, rows: str) -> str:
        return f"한 번에 가져오는 행은 {rows}개입니다"


class KoreanJudgementFactsWaitsTexts(JudgementFactsWaitsTexts):
    throughput_time_request = "처리량 × 혼자일 때의 요청 시간"

    def ms_s(self, inside_ms: str, requests_per_s: str, waiting: str) -> str:
        return f"{inside_ms} ms × {requests_per_s}/s = {waiting}"

    def loop_waits_itself(self, name: str, share: str) -> str:
        return f"{name}의 이벤트 루프 자체가 시간의 {share} 동안 호출 안에 서 있어 모두를 기다리게 했습니다"

    def request_passed_no(self, inside: str) -> str:
        return f"요청의 {with_particle(inside, '가')} 코어도 디스크도 쓰지 않고 그 안에서 지나갔습니다"

    def request_passed_no_core(self, whole: str, inside: str, waiting: str, at_once: str) -> str:
        return f"그 안의 요청 {whole} 중 {with_particle(inside, '이')} 코어도 디스크도 쓰지 않고 지나갔습니다: 요청 {waiting}건이 서 있었고 한 번에 {at_once}건씩 통과했습니다"

    def requests_went_through(self, at_once: str) -> str:
        return f"커넥션이 몇 개 열려 있든 요청이 한 번에 {at_once}건씩 통과했습니다"

    def they_wait_there(self, text: str, busy: str, name: str) -> str:
        return f"{name} 안의 요청 {busy}건 중 {text}: 거기서 기다리는 것이지 이것을 기다리는 것이 아닙니다"

    def wait_lock(self, lock_waits: str) -> str:
        return f"그중 {lock_waits}개는 락을 기다립니다"

    def requests_waited_ahead(self, waiting: str, owner: str, dependency: str) -> str:
        return f"{owner} 앞에서 요청 {waiting}건이 기다렸습니다: worker가 적은지 {with_particle(dependency, '이')} 느린지는 worker를 4분의 1 늘리면 알 수 있습니다"

    def flight_service(self, waiting: str, busy: str) -> str:
        return f"처리 중 {waiting}건, 서비스 중 {busy}건"


class KoreanJudgementFactsCarriersTexts(JudgementFactsCarriersTexts):
    def threads_wait_connection(self, mean: str, name: str) -> str:
        return f"스레드 {mean}개가 {name}의 커넥션을 기다립니다"

    def behind_full_core(self, name: str, mean: str) -> str:
        return f"뒤에 있는 {with_particle(name, '이')} 가득 찼습니다: 쓸 수 있는 코어 하나의 {mean}"

    def behind_full_cpu(self, name: str, fullness: str) -> str:
        return f"뒤에 있는 {with_particle(name, '이')} 가득 찼습니다: CPU의 {fullness}"

    def sessions_behind_wait(self, waiters: str, name: str) -> str:
        return f"뒤에 있는 {name}의 세션 {waiters}개가 락을 기다립니다"


class KoreanJudgementFactsGarbageTexts(JudgementFactsGarbageTexts):
    def after_collections_greatest(self, heap: str) -> str:
        return f"GC 뒤에도 최대 힙의 {with_particle(heap, '가')} 사용 중이었습니다"

    def collections_whole_heap(self, full: str) -> str:
        return f"GC 중 {full}회가 힙 전체에 대한 것이었습니다"

    def stood_still_time(self, paused: str) -> str:
        return f"GC 때문에 전체 시간의 {paused} 동안 멈춰 있었습니다"

    def pauses_longest(self, size: str, max_text: str) -> str:
        return f" (멈춤 {size}회, 가장 긴 것 {max_text})"

    def cpu_went_into(self, beside: str) -> str:
        return f", 스레드와 별도로 CPU의 {with_particle(beside, '가')} GC에 쓰였습니다"


class KoreanJudgementFactsCoresTexts(JudgementFactsCoresTexts):
    no_process_cpu = "process.cpu_s가 없습니다"

    def cores_busy_ours(self, busy: str, ours: str, rig: str) -> str:
        return f"바쁜 코어 {busy} - 서버 {ours} - 측정 장치 최대 {rig}"

    def seen_there(self, text: str, seen: str) -> str:
        return f"{text}; 거기서 본 것: {seen}"

    def cpu_time_not(self, name: str) -> str:
        return f"CPU 시간을 보지 못했습니다: {with_particle(name, '이')} 도는 곳에서 loadrig를 실행하십시오"

    def used_may_use(self, mean: str, cores: str) -> str:
        return f"쓸 수 있는 {cores} 중 {with_particle(mean, '를')} 썼습니다"

    def cores_busy_time(self, free: str) -> str:
        return f"코어들이 전체 시간의 {free} 동안 바빴습니다"


class KoreanJudgementFactsCoursesTexts(JudgementFactsCoursesTexts):
    limit_open_descriptors = "열 수 있는 디스크립터의 한계"
    most_tasks_control = "cgroup의 최대 태스크 수"
    greatest_heap_may = "가질 수 있는 최대 힙"
    memory_machine = "머신의 메모리"
    memory_limit = "메모리 한계"
    memory = "메모리"

    def fills_up(self, share: str) -> str:
        return f"끝의 증가 속도가 처음의 {share}입니다: 차오르다 멈추는 모양입니다"

    def came_at_once(self, share: str) -> str:
        return f"그중 {with_particle(share, '이')} 한꺼번에 늘었습니다: 무언가가 만들어진 것입니다"

    def curve_fits(self, bic: str) -> str:
        return f"차오르다 멈추는 곡선도 직선만큼 잘 맞습니다(BIC {bic})"

    def rose_seldom(self, share: str) -> str:
        return f"측정값의 {share}에서만 증가했습니다"

    def like_a_cache(self, share: str) -> str:
        return f"원래 크기의 {share}만큼이며, 이렇게 짧은 시간에는 캐시가 차오를 때도 그렇게 늘어납니다"

    def too_little(self, a_request: str) -> str:
        return f"요청당 증가량 {a_request}: 너무 적어 시작 단계의 증가와 구별되지 않습니다"


class KoreanJudgementFactsLegsTexts(JudgementFactsLegsTexts):
    how_many_connections = "커넥션을 몇 개 열었는지, 또는 포트 범위를 읽지 못했습니다: sock_diag가 알려 줍니다 (modprobe tcp_diag)"
    tcp_tw_reuse = "tcp_tw_reuse, 기본값으로는 루프백에서만"

    def ports_connections_s(self, total: str, hold: str, sustained: str) -> str:
        return f"포트 {total}개 / {hold} = 커넥션 {sustained}/s"

    def closed_second(self, rate: str) -> str:
        return f"초당 {rate}개를 닫으면"

    def all_taken_after(self, rate: str, empty: str, empty_after_s: str) -> str:
        return f"{rate} {empty}{empty_after_s} 뒤에 모두 소진됩니다"

    def they_last_s(self, rate: str, how: str, time_wait_s: str, gone: str) -> str:
        return f"{rate} 계속 견딥니다 ({how}); {time_wait_s} s 동안 유지되면 {gone} 뒤에 소진됩니다"

    def they_last_ever(self, rate: str, share: str) -> str:
        return f"{rate} 계속 견딥니다, 그 한계의 {share}"

    def to(self, source: str, to: str) -> str:
        return f"{source}에서 {with_particle(to, '으로')}"

    def no_port_free(self, rate: str, freed: str) -> str:
        return f"처음부터 빈 포트가 없었습니다. 초당 {rate}개를 열었고 {freed}/s가 풀려납니다"

    def opened_s_free(self, rate_before: str, rate_when_full: str) -> str:
        return f"빈 포트가 있을 때 {rate_before}/s, 없을 때 {rate_when_full}/s를 열었습니다"


class KoreanJudgementFactsLocksTexts(JudgementFactsLocksTexts):
    interpreter_lock = "스레드들이 인터프리터 락을 기다립니다"
    works_singly = "스레드들이 다른 프로그램을 기다리지 않는데도 요청을 한 번에 하나씩만 처리합니다"
    formula_of_a_lock = "처리량 × 단독 요청의 처리 시간 = 1"

    def threads_waited_lock(self, mean: str) -> str:
        return f"스레드 {mean}개가 다른 프로세스가 가진 락(파일, 세마포어)을 기다렸습니다"

    def goroutines_stood_lock(self, number: str) -> str:
        return f"goroutine {number}개가 락에 서 있었습니다"

    def threads_blocked_they(self, number: str) -> str:
        return f"스레드 {number}개가 BLOCKED 상태로 락을 기다렸습니다"

    def of_in_flight(self, waiters: str, number: str) -> str:
        return f"{waiters}, 처리 중인 요청은 {number}개"

    def monitors_contended(self, times: str) -> str:
        return f"요청마다 스레드가 synchronized 블록에 들어가려고 {times}번 기다렸습니다"

    def goroutines_waited(self, seconds: str) -> str:
        return f"goroutine들이 락을 기다린 시간이 매초 합계 {seconds} s입니다"

    def works_on(self, at_once: str, fastest: str, rate: str) -> str:
        return f"동시에 처리하는 요청이 {at_once}개입니다: 단독으로는 {fastest}, 처리량 {rate}/s"

    def formula_of_work(self, at_once: str) -> str:
        return f"처리량 × 단독 요청의 처리 시간 = {at_once}"

    def gave_up_core(self, times: str) -> str:
        return f"스레드들이 요청마다 {times}번 코어를 내놓았습니다"


class KoreanJudgementFactsLoopsTexts(JudgementFactsLoopsTexts):
    def loop_used_core(self, mean: str) -> str:
        return f"루프가 쉬지 않고 코어 하나의 {with_particle(mean, '를')} 썼습니다"

    def requests_flight(self, waiting: str) -> str:
        return f"요청 {waiting}건이 처리 중입니다"

    def requests_take_alone(self, p50: str, fastest_s: str) -> str:
        return f"요청은 {p50}, 혼자일 때는 {fastest_s} 걸립니다"

    def bytes_each_lie(self, unread: str) -> str:
        return f"; 각각 {unread}바이트가 읽히지 않은 채 있습니다: 루프가 돌아오지 못합니다"

    def they_served(self, text: str) -> str:
        return f"{text}: 하나씩 처리됩니다"

    def loop_late_most(self, peak: str) -> str:
        return f"루프가 최대 {peak} 늦었습니다"

    def loop_late_average(self, mean: str, peak: str) -> str:
        return f"루프가 평균 {mean} 늦었습니다 (최대 {peak})"

    def takes_alone_beside(self, quick: str, alone: str, beside: str, slow: str, slow_alone: str) -> str:
        return f"{with_particle(quick, '은')} 혼자일 때 {alone}, {slow} 옆에서는 {beside}, {slow} 혼자는 {slow_alone}"

    def sleeps_in_calls(self, asleep: str, awaiting: str, unread: str) -> str:
        return (
            f"이벤트 루프의 스레드가 시간의 {asleep} 동안 호출 안에서 자고 {awaiting} 동안만 이벤트를 기다렸으며,"
            f" 그동안 요청마다 {unread}바이트가 읽히지 않은 채 있었습니다"
        )

    def sleeps_alone_in_calls(self, asleep: str) -> str:
        return f"유일한 스레드인 이벤트 루프가 시간의 {asleep} 동안 호출 안에서 잤고 그동안 아무도 처리하지 않았습니다"

    def slept_time_though(self, sleep_s: str) -> str:
        return f"읽을 요청이 있는데도 한 번에 {sleep_s} 잤습니다: 루프가 아니라 호출 안입니다"

    def throughput_time_request(self, at_once: str) -> str:
        return f"처리량 × 혼자일 때의 요청 시간 = 동시에 {at_once}"

    def quota_stops(self, quota: str) -> str:
        return f"쿼터 {quota}에 막혀 있습니다"

    def mean_of(self, mean: str, cores: str) -> str:
        return f"{cores} 중 {mean}"

    def collections_garbage_stop(self, mean: str) -> str:
        return f"GC가 전체 시간의 {mean} 동안 멈추게 합니다"

    def threads_waited_core(self, mean: str) -> str:
        return f"스레드들이 전체 시간의 {mean} 동안 코어를 기다렸습니다: 다른 것이 쓰고 있습니다"

    def used_may_use(self, users: str, ours: str, places: str) -> str:
        return f"쓸 수 있는 {places} 중 {with_particle(ours, '를')} {with_particle(users, '이')} 썼습니다"

    def lacks_cpu(self, text: str) -> str:
        return f"{text}: CPU가 모자랍니다"

    mean_less_median = "평균 응답 시간에서 중앙값을 뺀 값"
    no_process_cpu = "process.cpu_s가 없습니다"
    a_request = "요청 하나"

    def tail_lay_unread(self, slower: str, unread: str, expected: str) -> str:
        return (
            f"요청은 평균이 중앙값보다 {slower} 더 걸렸고, 그중 {unread} 동안은 요청이나 그 응답이 읽히지 않은 채"
            f" 있었습니다; 짧은 호출뿐이라면 {expected}입니다"
        )

    def whether_waits_or(self, name: str) -> str:
        return f"기다리는지 계산하는지 보지 못했습니다: {with_particle(name, '이')} 도는 곳에서 loadrig를 실행하십시오"

    def used_core_held(self, used: str) -> str:
        return f"한 코어의 {with_particle(used, '를')} 썼습니다: 계속 계산하지 않는데도 막혀 있습니다"

    def computes_without_pause(self, what: str, longest_s: str) -> str:
        return f"{with_particle(what, '이')} 쉬지 않고 {longest_s} 동안 계산합니다"

    def loop_full_calls(self, cpu_s: str) -> str:
        return f"루프 하나가 {cpu_s}짜리 호출로 가득 찼고 다른 코어는 놀고 있습니다"

    def calls_short_request(self, cpu_s: str) -> str:
        return f"호출은 짧습니다 (요청당 {cpu_s}): CPU가 모자랍니다"


class KoreanJudgementFactsMemoryTexts(JudgementFactsMemoryTexts):
    memory_processes = "프로세스의 메모리"
    memory_workers = "worker의 메모리"
    memory_rss = "메모리 (RSS)"
    heap_use_after = "GC 뒤 사용 중인 힙"
    heap_collections = "GC 뒤 남은 힙"
    room_unread = "메모리가 얼마나 남았는지 읽지 못했습니다"
    limit_unread = "읽은 한도 없음"

    def group_uses(self, used: str, limit: str) -> str:
        return f"프로세스 그룹의 메모리 한도 {limit} 중 {used} 사용 중입니다"

    def machine_has_left(self, share: str) -> str:
        return f"머신의 메모리 중 남은 것은 {share}였습니다"

    def place_holds(self, place: str, size: str, blocks: str, share: str) -> str:
        return f"{with_particle(place, '이')} 처음 관찰했을 때보다 블록 {blocks}개, {size} 더 점유합니다: 추적된 증가량의 {share}"


class KoreanJudgementFactsObservedTexts(JudgementFactsObservedTexts):
    series_not_read = "시계열을 읽지 못했습니다"


class KoreanJudgementFactsOpeningTexts(JudgementFactsOpeningTexts):
    its_time = "요청 시간"
    what_costs_very = (
        "; 이 프로그램에서 하나에 얼마가 드는지는 보지 못했습니다. 프로파일이 알려 줍니다 (--profile)"
    )
    no_cpu_time = "CPU 시간도 지연 시간도 없음"

    def x(self, a_request: str, usual_s: str, basis_s: str) -> str:
        return f"{basis_s} 중 {a_request} x {usual_s}"

    def a_request(self, share: str, what: str, each: str) -> str:
        return f"{what}의 {share} (요청당 {each})"

    def cpu_time(self, name: str) -> str:
        return f"{name}의 CPU 시간"

    def connections_sessions_opened(self, connections: str, sessions: str, opened: str) -> str:
        return f"(커넥션 {connections} - 세션 {sessions}) / 초당 여는 수 {opened}"

    def opening_them_takes(self, formula: str) -> str:
        return f"여는 데 약 {formula} 걸립니다"

    def what_request_costs(self, to: str, source: str) -> str:
        return f"{to}나 {source}에서 요청 하나에 얼마가 드는지 보지 못했습니다: 서버의 머신을 관찰하십시오"

    def closes_them_first(self, who: str, here: str) -> str:
        return f"{with_particle(who, '이')} 그중 {with_particle(here, '를')} 먼저 닫습니다"


class KoreanJudgementFactsPoolsTexts(JudgementFactsPoolsTexts):
    the_pool = "풀"


class KoreanJudgementFactsQuotaTexts(JudgementFactsQuotaTexts):
    gomaxprocs_is = "GOMAXPROCS는 {}"
    jvm_counts_processors = "JVM이 세는 프로세서는 {}개"
    threads_wanted_run = "스레드 {}개가 동시에 돌려고 했습니다"


class KoreanJudgementFactsReadTexts(JudgementFactsReadTexts):
    kernel_killed_server = "메모리가 없어 커널이 서버를 죽였습니다"
    server_process_not = '서버의 프로세스를 보지 못했습니다: 그 머신에서 loadrig를 실행하거나 관찰하십시오 (observers: [{name: web, via: "ssh HOST", port: PORT}])'


class KoreanJudgementFactsRestartsTexts(JudgementFactsRestartsTexts):
    def requests_workers_s(self, most: str, workers: str, rate: str, life_s: str) -> str:
        return f"요청 {most}건 × worker {workers}개 / {rate}/s = {life_s}"


class KoreanJudgementFactsRoutesTexts(JudgementFactsRoutesTexts):
    def each_of(self, number: str, route: str) -> str:
        return f"({route} 요청은 {number})"


class KoreanJudgementFactsSlotsTexts(JudgementFactsSlotsTexts):
    request_time = "한 번에 요청 하나"
    leave_out_without = "--without-threads를 빼십시오"
    more_tokens_anyio = "anyio 리미터의 토큰을 늘리거나 async 핸들러로"
    event_loop = "이벤트 루프 하나"

    def threads(self, number: str) -> str:
        return f"스레드 {number}개"

    def processes_event_loop(self, workers: str, class_text: str) -> str:
        return f"이벤트 루프를 하나씩 가진 프로세스 {workers}개 ({class_text})"

    def processes_hold_many(self, workers: str) -> str:
        return f"한 스레드에 많은 커넥션을 담는 프로세스 {workers}개"

    def threads_handlers_without(self, loop_pool_threads: str) -> str:
        return f"async가 아닌 핸들러용 스레드 {loop_pool_threads}개"

    def processes_with(self, workers: str, text: str) -> str:
        return f"{with_particle(text, '을')} 가진 프로세스 {workers}개"

    def processes_event_loop_each(self, workers: str) -> str:
        return f"이벤트 루프를 하나씩 가진 프로세스 {workers}개"

    def workers_of_threads(self, workers: float, threads: float) -> str:
        each = "스레드 하나짜리" if threads == 1 else f"스레드 {threads:g}개짜리"
        return f"{each} worker 하나" if workers == 1 else f"{each} worker {workers:g}개"

    def threads_or_workers(self, threads: str, workers: str) -> str:
        return f"{threads} 또는 {workers}"

    def workers_or_threads(self, workers: str, threads: str) -> str:
        return f"{workers}, 또는 스레드: {threads}"


class KoreanJudgementFactsStreamsTexts(JudgementFactsStreamsTexts):
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

    def requests_route(self, route: str) -> str:
        return f"경로 {route}의 요청"

    def time_hypervisor_took(self, name: str) -> str:
        return f"하이퍼바이저가 {name}에서 가져간 시간"
