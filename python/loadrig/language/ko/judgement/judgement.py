class KoreanJudgementCardsTexts:
    loop_thread = "루프는 스레드 하나입니다"
    bytes_clients = "클라이언트로 가는 바이트"
    shorter_test_cannot = "{text}: 더 짧은 시험은 실패할 수 없습니다"
    ports_from = "{name}의 포트"
    more_requests_than = "이보다 많은 요청에는 응답할 수 없습니다. 쿼터의 {mean:를} 썼습니다"
    threads_once_use = (
        "; 스레드 {at_once}개가 동시에 돌면 {busy_s} 만에 다 쓰고 {period_s}마다 {idle_s} 멈춥니다"
    )
    happened_periods = "; 주기의 {grew}에서 그랬습니다"
    cpu_quota = "{name}의 CPU 쿼터"
    s_x_use = (
        "{wanted_rps}/s x {held_s} = {m}개 중 {offered}개 사용; 필요 {offered} + 2 √{offered} = {needed}"
    )
    all_use_they = "{m}개가 모두 사용 중입니다: {m} / {held_s} = {rate}/s를 감당합니다"
    and_wait_for = ", 그리고 {mean}건이 하나를 기다립니다"
    requests_should_have = "요청의 {wait:가} 기다리게 됩니다 (Erlang C), 전체 평균 {queue_s}"
    subject_of = " ({subject})"
    in_text = "{name}의 {what}{word}"
    pauses_second = "매초 멈춤 {mean}"
    processes = " / 프로세스 {number}개 = {share}"
    beside_program = ", + 프로그램 옆에서 {along} = {share}"
    cpu_time = ", + CPU 시간의 {median} = {share}"
    collections_can_cost = "GC는 처리량의 많아야 {share}, 느린 응답은 멈춤 한 번만큼 잃게 합니다"
    garbage_collection = "{name}의 가비지 컬렉션"
    lock_held_looks = "{looks}번 관찰 중 {held}번 락이 잡혀 있었습니다"
    serial_x_request = "요청당 직렬 구간 {part} x {demand_s}"
    more_threads_make = "{how}; 코어 {cores}에서 스레드를 늘려도 프로세스 하나는 많아야 {gain}배 빨라집니다 (Amdahl), 프로세스 {processes}개면 {processes}배까지"
    process = "{name}의 프로세스 하나"
    request_x_s = "요청당 {size} x {ended_rps}/s = {bytes_per_s}/s"
    loopback_has_no = "루프백에는 회선이 없습니다. 서버는 바이트당 많아야 CPU 시간 {byte_ns} ns를 씁니다"
    bytes_per_s_of = "{subject}의 {bytes_per_s}"
    carries_s_full = "{used}, {most}/s까지 나를 수 있습니다: {requests}건/s에서 가득 찹니다"


class KoreanJudgementDiagnoseTexts:
    mostly_of_before = "그 사용량은 대부분 서버가 멈춰 서기 전에 측정되었습니다"
    profile_high_load = (
        "높은 부하에서의 프로파일(--profile)은 시간이 어디에 쓰이는지, 로그는 오류를 알려 줍니다"
    )
    nothing_seen_server = "서버를 전혀 보지 못했습니다"
    likely = "유력: "
    possibly = "가능: "
    nothing_full = "관찰한 것 중 가득 찬 것이 없습니다: 요청의 시간과 사용자 수가 한계입니다."
    fails_with_room = "관찰한 것 중 가득 찬 것이 없는데도 {harm}: 이유는 응답과 서버의 로그에 있습니다."
    is_less_sure = "덜 확실합니다({verdict}): {why}"
    is_too = "이것도 판정은 '{verdict}'이지만 설명하는 몫이 더 작습니다: {effect}"
    would_give_answer = " 답을 얻으려면: {mend}."
    nothing_can_server = "서버에 대해 아무 말도 할 수 없습니다: {text}.{mend}"
    we_cannot_tell = "무엇이 한계인지 알 수 없습니다: {harm}. 아는 원인의 징후가 보이지 않습니다. 이것이 알려 줍니다: {would}."


class KoreanJudgementGainsTexts:
    the_cpu = "{row}의 CPU"
    much_who_queue = (
        "{times:으로} 하면, {where:을} 기다리던 {slots}에서 {more:으로}: 처리량 {gain} (평균값 분석)"
    )
    as_much = "이 자원의 용량이 {times}라면"
    many_answers = "{text} 처리량 {times}"
    nobody_waits_any = "{text}, {times:이} 되면 어떤 요청도 기다리지 않습니다 (1 / (1 - {bound}))"
    without_many_answers = "이 일이 없다면: 1 / (1 - {share}) = 처리량 {times}"
    much_leaves_takes = "{times:으로} 하면 차지하던 {share} 중 {rest:가} 남습니다: (1 - {rest}) / (1 - {share}) = 처리량 {gain}"
    full_s = "{component}의 {resource:이} {rate}/s에서 가득 찹니다"
    no_more_than = "{offered_rps}/s보다 많이 요청되지 않습니다: {times}"


class KoreanJudgementMeanwhileTexts:
    slept = "그동안 스레드 {number}개가 잠들어 있었습니다: 코드 안의 대기이거나, 되풀이해 요청하는 락입니다 (SQLite처럼)"
    wrote = "그동안 스레드 {number}개가 {peer}에 쓰려고 기다렸습니다: 읽는 쪽이 느립니다"
    mend_writing = (
        "{peer:을} 읽는 쪽이 따라오게 하거나, 더 적게, 전용 스레드로 쓰십시오. 쓰는 쪽이 기다리면 그 차례를 기다리는 모두가"
        " 기다립니다"
    )
    connected = "그동안 스레드 {number}개가 {peer}에 연결되기를 기다렸습니다"
    waited_for_a_file = "그동안 스레드 {number}개가 파일을 기다렸습니다"
    awaited = "그동안 스레드 {number}개가 {peer}의 응답을 기다렸습니다"


class KoreanJudgementOwnWordsTexts:
    so_times = "{text}: {speaker:이} {count}회 보고했습니다"


class KoreanJudgementRankTexts:
    cpu_time_not = "CPU 시간을 보지 못했습니다: {component:이} 도는 곳에서 loadrig를 실행하십시오"
    own_words_failed = "서버 자신의 말을 읽지 못했습니다 ({name}: {error}); 실행 폴더를 보내 주십시오"
    full_at_times = "{name_of:은} 평균적으로는 여유가 있었으므로, 순간적으로만 가득 찼을 수 있습니다"


class KoreanJudgementWeighTexts:
    no_goal = "요청이 얼마나 빨라야 하는지 말하는 목표가 없습니다"
    nothing_wrong_could = "이것이 설명할 만한 이상이 없습니다"
    no_harm = "피해를 찾지 못했습니다"
    looking_failed_please = "찾다가 실패했습니다 ({name}: {error}); 실행 폴더를 보내 주십시오"
    cause = "원인 {cause}"
    can_explain_most = "많아야 {bound:를} 설명합니다: {bound_text}"
    only_measured_s = "{measured_s}만 측정되었습니다: 확신하려면 {sure_s} s가 필요합니다"


class KoreanJudgementWordsTexts:
    core_may_use = "{owner:이} 쓸 수 있는 코어"
    may_use = "{owner:이} 쓸 수 있는 {number}"
    the_quota = "{owner}의 쿼터 {number}"
    interpreter_lock = "{owner}의 인터프리터 락"
    thread_does_work = "{owner}의 일을 하는 단 하나의 스레드"
    what_gives_request = "{owner}의 락, 또는 한 번에 요청 하나만 처리하는 부분"
    turn_at_disk = "{owner}에서 한 번에 요청 하나만 데이터를 영구 기록하는 부분"
    queue_who_connect = "{owner}의 accept 큐"
    worker_or_thread = "{owner}의 단 하나뿐인 worker나 스레드"
    workers_or_threads = "{owner}의 worker나 스레드 {number}개"
    few_connections_from = "{owner}에서 {name:으로} 가는 몇 안 되는 커넥션"
    places_inside_let = "요청을 통과시키는 {owner} 안의 자리 {number}개"
    connections_from = "{owner}에서 {name:으로} 가는 커넥션 {number}개"
    took = "{what:이} {name}의 {share:를} 차지했습니다"
    requests_waited = "요청 {waiting}건이 {name:을} 기다렸습니다"
    used = "{name:이} {share} 사용되었습니다"
    full_each_who = "{name_of:이} 가득 찼고, 거절된 클라이언트는 1초 뒤에 다시 시도합니다"
    shorter_turns = (
        "이 원인이 없을 때의 예측: 차례마다 걸리는 시간이 {share} 줄어 처리할 수 있는 요청 {gain}배"
    )
    no_longer_waits = (
        "이 원인이 없을 때의 예측: 스레드가 코어를 기다린 시간으로 보아 처리할 수 있는 요청 최대 {gain}배"
    )
    foretold_without_times = (
        "이 원인이 없을 때의 예측: 요청당 비용이 지금과 같다면 처리할 수 있는 요청 {gain}배 (평균값 분석)"
    )
    hardly_more = "이 원인이 없을 때의 예측: 처리할 수 있는 요청이 거의 늘지 않습니다 (평균값 분석)"
    had_room_use = "{name_of}에는 여유가 있었습니다: {share} 사용 중"
    had_room_beside = "{name_of}에는 여유가 있었습니다: {share} 사용 중, 다른 프로그램이 쓴 {others}은(는) 필요할 때 내주었습니다"
