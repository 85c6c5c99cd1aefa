from loadrig.language.en.trial.checks import (
    TrialCheckGapsTexts,
    TrialCheckOthersTexts,
    TrialChecksAroundTexts,
    TrialChecksTexts,
)
from loadrig.language.particles import with_particle


class KoreanTrialCheckGapsTexts(TrialCheckGapsTexts):
    own_core = "부하 발생기에 전용 코어를 주거나 요청률을 낮추십시오"
    only_arrivals_constant = "간격의 분포는 일정한 요청률 하나일 때만 알 수 있습니다"
    requests_taken_up = "요청은 제때 시작되었지만 커넥션을 기다렸습니다: 간격은 대상 서버의 것입니다"

    def gaps_sampled_needed(self, size: str, gaps_enough: str) -> str:
        return f"간격 {size}개를 표집했습니다. {gaps_enough}개가 필요합니다"

    def s_taken_up(self, rate: str, planned: str) -> str:
        return f"{planned}/s를 요청받았는데 {rate}/s가 시작되었습니다"

    def disturbs_gravely_where(self, short_share: str) -> str:
        return f" ({short_share} 모자라면 심하게 교란)"

    def gaps_between_requests(self, rate: str, p: str) -> str:
        return f"{rate}/s에서 요청 사이의 간격이 지수 분포가 아닙니다 (p = {p};"

    def disturbs_below(self, least_p: str) -> str:
        return f" {least_p} 미만이면 교란)"

    def gaps_between_requests_more(self, uneven_share: str) -> str:
        return f"요청 사이 간격의 {with_particle(uneven_share, '가')}"

    def off_s_disturbs(self, uneven: str, rate: str, uneven_share: str) -> str:
        return f" {rate}/s에서 {uneven} 넘게 벗어났습니다 ({with_particle(uneven_share, '를')} 넘으면 교란)"


class KoreanTrialCheckOthersTexts(TrialCheckOthersTexts):
    mend = "다른 부하를 멈추거나 아무도 쓰지 않는 서버 사본을 측정하십시오"
    nobody_watched_who = "서버에 누가 더 연결되어 있는지 아무도 보지 않았습니다"
    and_others = " 외 다수"

    def somebody_else_sent(self, share: str) -> str:
        return f"서버가 센 요청의 {with_particle(share, '를')} 다른 누군가가 보냈습니다"

    def least_probe_disturbs(self, others: str, counted: str, probe: str) -> str:
        return f" ({counted}건 중 적어도 {others}건, {probe} 프로브; 교란 기준:"

    def somebody_else_suspected(self, connections: str) -> str:
        return f"다른 누군가가 서버를 쓰는 것으로 의심됩니다: 커넥션 {connections}개가"

    def not_rig_what(self, by: str) -> str:
        return f" 측정 장치의 것이 아니었고{by}, 무엇이 오갔는지는 세지 못합니다"

    def somebody_else_sent_bytes(self, share: str) -> str:
        return f"서버가 받은 바이트의 {with_particle(share, '를')} 다른 누군가가 보냈습니다."

    def connections_once_disturbs(self, connections: str, disturbed_share: str) -> str:
        return f" 동시에 커넥션 {connections}개 ({with_particle(disturbed_share, '를')} 넘으면 교란)"


class KoreanTrialChecksTexts(TrialChecksTexts):
    more_ports = "커넥션을 유지하거나 출발지 주소를 늘리십시오 (connections: {from_addresses: […]})"
    more_descriptors = "한계를 올리거나 (ulimit -Hn) 커넥션을 줄이십시오"
    dedicated = "덜 공유되는 호스트나 전용 호스트를 쓰십시오"
    closed_model_nothing = "closed 모델에서는 보낼 수 있기 전에 예정되는 것이 없습니다"
    no_request_due = "측정 구간에 예정된 요청이 없었습니다"
    measure_longer = "더 오래 측정하십시오"
    allow_more_connections = "커넥션을 더 허용하거나 요청률을 낮추십시오"
    any_disturbs_rate = " (하나라도 있으면 교란); 요청률이 감당할 수 있는 것보다 높습니다"
    ask_lower_rate = "의미 있는 지연 시간을 보려면 요청률을 낮추십시오"
    no_request_sent = "측정 구간에 보낸 요청이 없었습니다"
    give_generator_core = "부하 발생기에 전용 코어를 주거나 요청률을 낮추십시오"
    no_frame_measured = "측정 구간에 프레임이 없습니다"
    give_more_threads = "스레드를 늘리거나 (trial: {threads: 2}) 요청률을 낮추십시오"
    stop_what_else = "여기서 도는 다른 것을 멈추거나 대상 서버를 부하 발생기의 코어에서 떼어 놓으십시오"
    raise_quota_or = "쿼터를 올리거나 loadrig를 그룹 밖에서 실행하십시오"
    do_not_stop = "측정하는 동안 멈추지 말고 (SIGSTOP, Ctrl-Z, 디버거) trial을 다시 실행하십시오"
    look_what_pauses = "무엇이 멈추게 하는지 찾으십시오: 얼린 그룹 (docker pause), 중단된 가상 머신, 스와핑"
    each_user_has = "사용자마다 자기 커넥션이 있습니다"
    disturbs_gravely_above_share = " (0.1 %를 넘으면 심하게 교란)"
    raise_connections_most = "connections: {most: …}를 올리거나 요청률을 낮추십시오"
    any_disturbs = " (하나라도 있으면 교란)"
    raise_connections = "connections: {most: …}를 올리십시오"
    local_ports = "로컬 포트"
    file_descriptors = "파일 디스크립터"
    plan_itself_changes = "plan 자체가 부하를 바꿉니다"
    ask_lower_rate_before = "지연 시간을 읽기 전에 요청률을 낮추십시오"
    requests_flight = "처리 중인 요청"
    disturbs_above_p = " p가 0.01 미만이고 2 %를 넘으면 교란)"
    warm_up_longer = "워밍업을 늘리십시오"
    some_requests_never = "보내지 못한 요청이 있어 모든 요청의 응답을 더할 수 없습니다"
    nothing_answered = "응답된 것이 없습니다"
    fault_loadrig_please = "loadrig의 결함입니다: 실행 폴더를 보내 주십시오"
    machine_not_calibrated = "이 머신은 보정되지 않았습니다: loadrig doctor --calibrate"
    nothing_measured = "측정된 것이 없습니다"

    def requests_due_not(self, missing: str, due: str) -> str:
        return f"예정된 요청 {due}건 중 {missing}건을 보내지 못했습니다"

    def requests_not_sent(self, unsent: str, due: str, open_most: str) -> str:
        return f"요청 {due}건 중 {unsent}건을 보내지 못했습니다: 대상 서버가 커넥션 {open_most}개를 잡고 있었습니다"

    def generator_late_p99(self, lag_s: str, p99_s: str) -> str:
        return f"부하 발생기가 {lag_s} 늦었습니다 (p99). 서버의 p99는 {p99_s}"

    def busiest_generator_thread(self, busiest: str) -> str:
        return f"가장 바쁜 발생기 스레드가 최악의 1초에 코어의 {with_particle(busiest, '를')} 썼습니다"

    def generator_threads_waited(self, run_delay_share: str) -> str:
        return f"발생기 스레드가 전체 시간의 {run_delay_share} 동안 코어를 기다렸습니다"

    def hypervisor_took_time(self, host_stolen_share: str) -> str:
        return f"하이퍼바이저가 이 머신 코어 시간의 {with_particle(host_stolen_share, '를')} 가져갔습니다"

    def cpu_quota_generator(self, throttled: str) -> str:
        return f"발생기 자신의 그룹 CPU 쿼터가 전체 시간의 {throttled} 동안 발생기를 붙들었습니다"

    def hypervisor_took_generator(self, stolen: str) -> str:
        return f"하이퍼바이저가 전체 시간의 {stolen} 동안 발생기의 코어를 가져갔습니다 (steal;"

    def times(self, stops: str) -> str:
        return f"{stops}회"

    def generator_stopped_time(self, often: str, share: str) -> str:
        return f"발생기가 {often} 멈췄습니다, 전체 시간의 {share} (하나라도 있으면 교란,"

    def gravely_above(self, delayed: str) -> str:
        return f" {with_particle(delayed, '을')} 넘으면 심하게)"

    def generator_stood_still(self, still: str, frame_s: str) -> str:
        return f"발생기가 {still} 동안 서 있었습니다: {frame_s} 프레임이 그만큼 늦게 왔습니다"

    def disturbs_gravely_above(self, limit_s: str) -> str:
        return f" ({with_particle(limit_s, '을')} 넘으면 심하게 교란)"

    def arrivals_given_up(self, no_connection: str, due: str) -> str:
        return f"도착 {due}건 중 {no_connection}건을 포기했습니다: 빈 커넥션이 없었습니다"

    def arrivals_waited_because(self, capped: str, due: str) -> str:
        return f"도착 {due}건 중 {capped}건이 모든 커넥션이 사용 중이라 기다렸습니다"

    def generator_used_disturbs(self, used: str, limit: str, what: str) -> str:
        return f"발생기가 {what} {limit}개 중 {used}개를 썼습니다 (절반을 넘으면 교란)"

    def generator_ran_out(self, what: str, outcomes: str) -> str:
        return (
            f"발생기의 {with_particle(what, '이')} {outcomes}회 고갈되었습니다 (하나라도 있으면 심하게 교란)"
        )

    def s_measured_needed(self, size: str, seconds_enough: str) -> str:
        return f"{size} s만 측정되었습니다. {seconds_enough} s가 필요합니다"

    def requests_flight_grew(self, slope: str) -> str:
        return f"처리 중인 요청이 끝까지 초당 {slope}씩 늘었습니다: 요청률이 대상 서버가 감당할 수 있는 것보다 높아 시험이 길수록 지연 시간이 늘어납니다"

    def drifted_while_measuring(self, name: str, change: str, p: str) -> str:
        return f"측정하는 동안 {with_particle(name, '이')} {change} 변했습니다 (Mann-Kendall p = {p};"

    def requests_flight_sum(self, off: str) -> str:
        return f"처리 중인 요청과 응답 시간의 합이 {off} 어긋납니다"

    def void_above(self, books: str) -> str:
        return f" ({with_particle(books, '을')} 넘으면 무효)"

    def rate_s_generator(self, share: str, most: str) -> str:
        return f"요청률이 여기서 발생기가 낼 수 있는 {most}/s의 {share}입니다"

    def at_most(self, above: str) -> str:
        return f" 최대 ({above})"


class KoreanTrialChecksAroundTexts(TrialChecksAroundTexts):
    fewer_than_ten = "보낸 요청이 열 건 미만입니다"
    each_visitor_opens = "방문자마다 자기 커넥션을 엽니다. 그래야 합니다"
    connection_disturbs_above = " 필요했습니다 (5 %를 넘으면 교란): 서버가 커넥션을 닫습니다"
    see_server_keep = "서버의 keep-alive나 worker class를 보십시오. 새 커넥션을 측정하려면 keep_alive: false"
    disturbs_below = " 있었습니다 (95 % 미만이면 교란)"
    fault_loadrig_please = "loadrig의 결함입니다: 실행 폴더를 보내 주십시오"
    see_examples_latency = "예시를 보십시오. 표시된 지연 시간은 성공한 응답만의 것입니다"
    follow_redirects_or = "의도한 것이라면 follow_redirects: 1 또는 `expect: {status: 302}`"
    say_what_right = (
        "무엇이 옳은지 쓰십시오: `expect: {contains: …}`, 비어 있어야 하면 `expect: {status: 200}`"
    )
    answers_checked_status = "응답을 상태 코드로만 검사했습니다"
    add_expect_requests = "요청에 `expect:`를 더하십시오"
    not_compared_machine = "이 머신에서 비교되지 않았습니다: loadrig doctor --calibrate"
    its_rate = "요청률"
    its_p99 = "p99"
    find_what_hinders = "무엇이 방해하는지 찾고 (loadrig doctor) 다시 보정하거나 머신 두 대를 쓰십시오"
    only_thread_plain = "이 머신에서는 평문 HTTP/1.1의 스레드 하나만 비교되었습니다"
    nobody_watched_where = "부하 발생기와 서버가 어디서 돌았는지 아무도 보지 않았습니다"
    hold_them_cores = "각자의 코어에 묶으십시오: trial: {cpus: [0]}, 서버는 나머지에 (taskset)"
    compare_only_what = (
        "이것과 번갈아 실행한 것만 비교하거나 (A B A B ...), 전용 코어를 가진 호스트를 쓰십시오"
    )
    caches_logs_server = " 서버의 캐시와 로그에는 영향이 있습니다"
    stop_what_sets = "시계를 맞추는 것을 멈추고 (부팅 때의 NTP) 다시 실행하십시오"

    def keep_alive_asked(self, word: str) -> str:
        return f"keep-alive를 요청했는데 요청의 {word}에 새 커넥션이"

    def only_requests_had(self, per_request: str) -> str:
        return f"요청마다 새 커넥션이어야 하는데 {per_request}에만 새 커넥션이"

    def answers_redirects_no(self, redirects: str, seen: str) -> str:
        return f"응답의 {with_particle(redirects, '가')} 리다이렉트였고 ({seen}) 이를"

    def names_disturbs_above(self, unforeseen_share: str) -> str:
        return f" 예상한 `expect:`가 없습니다 ({with_particle(unforeseen_share, '를')} 넘으면 교란): 페이지 자체는 요청되지 않았습니다"

    def every_answer_empty(self, empty_routes: str) -> str:
        return f"{empty_routes}의 모든 응답이 비어 있었습니다 (검사하는 것이 없으면 교란)"

    def requests_did_not(self, wrong: str, worst: str) -> str:
        return f"요청의 {with_particle(wrong, '가')} 기대한 응답을 받지 못했고, 대부분 {worst}입니다"

    def disturbs_above_fast(self, unforeseen_share: str) -> str:
        return f" ({with_particle(unforeseen_share, '를')} 넘으면 교란): 빠른 오류는 빠른 서버가 아닙니다"

    def machine_generator_differs(self, what: str, apart: str) -> str:
        return f"이 머신에서 발생기 하나와 부하를 나눈 둘의 {with_particle(what, '이')} {apart} 다릅니다"

    def at_s(self, above: str, per_second: str) -> str:
        return f" ({above}), {per_second}/s에서"

    def compared_machine_up(self, compared: str, had: str) -> str:
        return f"이 머신에서 {compared}/s까지 비교되었고, 이 trial은 {had}/s였습니다"

    def generator_used_core(self, share: str, core: str) -> str:
        return f"발생기가 코어 {core}의 {with_particle(share, '를')} 썼고, 거기서 서버의"

    def busiest_thread_ran(self, thread: str, pid: str, above: str) -> str:
        return f" 가장 바쁜 스레드가 돌았습니다 ({thread}, 프로세스 {pid}; {above}"

    def seen_looks(self, looks: str) -> str:
        return f"; 관찰 {looks}회에서)"

    def speed_cores_read(self, size: str, readings_enough: str) -> str:
        return f"코어의 속도를 {size}회 읽었습니다. {readings_enough}회가 필요합니다"

    def server_cores_not(self, fast: str, slow: str, uneven: str) -> str:
        return f"서버의 코어들이 똑같이 빠르지 않았습니다: 같은 작업에 CPU 시간이 {fast} ~ {slow} 걸렸습니다 ({uneven}배부터 기록). 물리 코어의 이웃이나 열 때문이며, 처리량과 지연 시간도 함께 움직였습니다"

    def wall_clock_set(self, is_forward: bool, step_s: str) -> str:
        return f"부하 중에 시스템 시계가 {step_s} {'앞으로' if is_forward else '뒤로'}"

    def during_load_disturbs(self, limit_s: str) -> str:
        return f" 조정되었습니다 ({with_particle(limit_s, '을')} 넘으면 교란). 여기의 수치는 시계를 쓰지 않지만 토큰,"
