class KoreanAccountSectionTexts:
    title = "시간이 쓰이는 곳"
    drawn_above = "요청의 막대는 판정 옆에 있고, 여기에는 그 뒤에 있는 것이 있습니다."
    disturbed = "검사가 말하듯 trial이 교란되었습니다: 시간이 평소보다 길 수 있습니다. 비율은 덜 달라집니다."
    what_they_do = "하는 일"
    none_free = "빈 것 없음"
    share_time_none = "하나도 비어 있지 않은 시간의 비율."
    caption = "슬롯이 하는 일"
    not_seen_account = "계산에서 보지 못한 것"
    time_not_accounted = "시간의 {share:가} 설명되지 않습니다: 각 줄을 조심해서 보십시오."


class KoreanCapacitySectionTexts:
    surely_met = "확실히 만족"
    no_level = "수준 없음"
    surely_missed = "확실히 놓침"
    most_answers = "최대 응답"
    contention_usl = "경합 (USL σ)"
    coherency_usl = "일관성 (USL κ)"
    most_at = "최대 위치"
    lead = "서버를 한 번 띄워 {amount} 동안 {levels}"
    with_a_response = "{at}, 응답 시간 {amount}"
    more_users_get = "{amount}: 사용자가 더 많으면 줄어듭니다"


class KoreanComparisonsSectionTexts:
    lead = "plan에 따라 {margin} 미만의 차이는 중요하지 않습니다. 그 띠 안에 완전히 든 구간은 두 설정이 같음을 보여 주고, 안팎에 걸친 구간은 아무것도 판가름하지 않습니다."


class KoreanFindingsSectionTexts:
    title = "무엇이 한계인가"
    would_decide = "판가름할 것"
    numbers_run = "이 실행의 수치로"
    why_not = "아닌 이유"
    what_could_not = "볼 수 없었던 것"
    subject_of = " ({subject})"
    profile = "프로파일 {file}, {component}"
    the_generator = "부하 발생기: {field}"
    caption = "살펴보고 배제한 것: {cleared}"


class KoreanHealthSectionTexts:
    what_rig_says = (
        "측정 장치가 스스로에 대해 말하는 것. 제대로 실행하지 못한 trial은 무엇이 나왔든 무효입니다."
    )
    lag_sending = "전송 지연"
    wait_connection = "커넥션 대기"
    busiest_thread = "가장 바쁜 스레드"
    cpu_used = "쓴 CPU"
    connections_opened = "연 커넥션"
    memory_most = "최대 메모리"
    not_held_any = "묶지 않음"
    p99_server_or = "p99 {amount} (서버나 풀의 탓)"


class KoreanLatencySectionTexts:
    service_time_counts = "서비스 시간은 요청을 보낸 때부터 셉니다. 예정된 때부터의 시간은 알 수 없습니다. 성공한 응답만이며, 실패한 것은 따로 있습니다."
    response_time_counts = "응답 시간은 요청이 예정된 때부터, 서비스 시간은 보낸 때부터 셉니다. 성공한 응답만이며, 실패한 것은 따로 있습니다."
    whole_session = "세션 전체"
    caption = "측정 구간"
    note = "로그인, 별도의 분류"
    response_base = "base의 응답 ({word})"
    good_answers = "성공한 응답 {count}건"
    routes_time = "경로, {times_kind} 시간"


class KoreanLoadSectionTexts:
    open_load_says = "open 부하는 응답 여부와 상관없이 언제 요청할지 정합니다. closed 부하에서는 서버가 느리면 요청도 느려지므로 지연 시간이 사용자 수와 처리량에 묶입니다."
    caption = "시간 축의 표시"
    good_answers = "성공한 응답"
    in_flight = "처리 중"
    beside_the_target = "target 외의 서버"
    from_cache = "캐시에서"
    by_the_server = "서버가"
    out = "뺀 것"
    more_events_jsonl = "{more}개는 events.jsonl에 더 있습니다"
    failures_among_them = "{amount}, 실패 포함"
    needed_no_request = "요청이 필요 없던 단계 {steps}개"
    due_unsent = "예정 {requests}건, 보내지 못함 {unsent}건"
    on_average = "평균 {amount}"
    opened_request = "{opened}개 열림, 요청당 {amount}"
    counted_as_targets = "요청의 {shares}. 대상의 계산과 한계에서는 대상의 것으로 셉니다"
    out_service_figures = "{count}, 서비스의 수치에서 뺌"
    what_load_asked = "{tool}; 어떤 부하를 요청했는지는 결과에 없습니다"
    ended = "{requests}건 끝남"
    times_as_stated = "도구가 적은 시간"
    at_most = "최대 {users}"


class KoreanMethodSectionTexts:
    title = "study"
    latency_recorded_hdrhistograms = "지연 시간은 유효 숫자 세 자리의 HdrHistogram에 초, 경로, 결과별로 기록하고 수를 더해 합칩니다. 백분위수를 평균하는 일은 없습니다. 긴 실행의 차트는 표시할 때만 합치며, 글의 모든 수치는 모든 요청의 것입니다."
    warmed_up_steady = "안정될 때까지 (MSER-5)"
    warmed_up_not_steady = "안정되지 않은 채 끝남"
    before_load = "부하 전"
    ran_already_not = "이미 돌고 있었고 측정 장치가 시작하지 않음"
    random_order_every = "무작위 순서로, 각 블록에서 모든 설정을 한 번씩, base는 두 번"
    false_alarm = "거짓 경보"
    block_unit_each = "단위는 블록입니다: 각 설정을 같은 블록 안에서 base와의 비율로 비교하므로 블록마다 변하는 것이 상쇄됩니다. trial마다 서버를 새로 시작합니다."
    recommendation_cheapest_setting = "추천은 최선과 구별되지 않고 모든 목표를 만족하는 것 중 가장 싼 설정(프로세스, 다음 스레드, 다음 메모리가 적은 것)입니다."
    by = "{tool:이} 만듦"
    from_text = "{length}, {begin}에서"
    not_checked = "{check} 검사하지 않음"
    differences_under_do = "{margin} 미만의 차이는 중요하지 않음"
    is_better = "{measure}, {better:이} 좋음; {margin}"
    base_itself = "base끼리 {pairs}, {alarms}"
    better_or_worse = "나음 또는 나쁨: 95 % 구간이 변화 없음을 배제하고 변화가 {within:을} 넘습니다. 같음: 90 % 구간이 {within} 안에 있습니다. 중요하지 않을 만큼 작음: 0은 아니지만 {within} 안입니다. 판단할 수 없음 (~): trial로는 알 수 없습니다."


class KoreanOutcomesSectionTexts:
    no_request_failed = "처음부터 끝까지 실패한 요청이 없습니다."
    ends_untold = "파일에 요청이 어떻게 끝났는지가 없어 실패 비율이 없습니다."
    what_came = "온 것"
    caption = "실패의 예"
    outcomes_measured_part = "측정 구간의 결과"


class KoreanProfilesSectionTexts:
    lead = "어떤 함수가 CPU 시간을 쓰는가: 부하가 도는 동안 1초에 백 번쯤 보았습니다."
    trial_not_profiled = "이 trial은 프로파일링되지 않았습니다."
    cores_busy = "바쁜 코어"
    threads_once = "동시에 스레드"
    what_cost_server = "서버에 든 비용을 말할 수 없습니다: 그 앞뒤로 부하가 충분히 오래 고르지 않았습니다."
    works_within_server = "서버 안에서 일하므로 그 CPU 시간은 서버의 것에 들어 있습니다."
    profile_cannot_read = "{component}의 프로파일을 읽을 수 없습니다: {name}."
    caption = "{named}의 상위 함수"
    cpu_time_code = "{name}의 CPU 시간 중 {share:가} 심벌 없는 코드에 있습니다."
    samples_average = "샘플 {samples}개, 평균 {what} {amount}"
    load_watched = "{load} 부하에서 {profiler:이} {watched} 동안 보았습니다: {counts}."
    all_rest_time = "모두 {amount}였습니다: 나머지는 보지 못하는 시간입니다."
    while_did_throughput = "그동안 처리량은 직전과 직후에 비해 {change} 변했습니다 (95 %: {change_span})."
    own_programs_used = "자신의 프로그램이 CPU 시간 {amount:을} 썼습니다."


class KoreanProofSectionTexts:
    caption = "되풀이하려면"
    title = "서버에 한 일"
    why_nothing_else = "다른 것은 왜 하지 않았나"
    what_each_cause = "원인마다 내려진 판단"
    none = "하지 않음"
    why_not = "아닌 이유"
    what_would_let = "가능하게 할 것"
    not_tried = "시험하지 않음"
    not_text = "{title}: 하지 않음"


class KoreanRepeatSectionTexts:
    title = "되풀이하는 방법"


class KoreanServerLogsSectionTexts:
    title = "부하 중에 서버가 한 말"
    what = "한 말"
    lines_read = "이렇게 적힌 줄"
    caption = "{name}의 로그, 달라지는 것은 뺌"


class KoreanSettingsSectionTexts:
    change_against_base = "base 설정 대비 변화; 잡음과 구별할 수 없으면 ~"
    trials_count_all = "실행한 것 중 셈에 드는 trial"
    caption = "모든 설정, 좋은 것부터"
    server_failed = "서버가 실패함"
    lead = "판정하는 지표인 {measure:으로} 정렬했습니다. ~ 표시는 최선과 구별할 수 없습니다."
    is_usable_of = "{trials} 중 {is_usable}"
    misses = "{listed:을} 놓침"
    from_best = "~ {label}: 최선과는 {cost}"


class KoreanSoakSectionTexts:
    every_request = "요청마다"
    growth_interval = "증가와 그 95 % 구간."
    in_the_run = "실행 동안"
    at_the_end = "끝에서"
    reached_in = "도달 시점"
    caption = "무엇이 늘어날 수 있었는가"
    longest_miss = "가장 오래 놓침"
    goals_over_stretches = "구간별 목표"
    name_latency = "지연 시간 중앙값"
    what_drifted = "무엇이 변했는가"
    each_setting = "설정마다"
    of_trial = "trial {number}"
    what_of = "{component}의 {what}"
    names_of = "{route}의 {names}"


class KoreanSpikeSectionTexts:
    name_latency = "지연 시간 (p90)"
    name_in_flight = "처리 중인 요청"
    most_flight = "최대 처리 중"
    piled_up_second = "초당 쌓임"
    lost_by = "그 때문에 잃음"
    watched_after = "그 뒤 관찰"
    band_up = "범위 상한"
    no_answer = "응답 없음"
    back_after = "회복까지"
    caption = "돌아오는 길"
    stayed_band = "✓ 범위를 벗어나지 않음"
    is_back = "✓ 돌아옴"
    on_its_way = "◒ 돌아오는 중"
    not_back = "✗ 돌아오지 않음"
    before_after = "앞뒤로 {usual}, {length} 동안 {level}."
    before = "{share}, 그 전에는 {usual}"
    requests = "요청 {amount}건"


class KoreanTiersSectionTexts:
    runs_another_host = "다른 호스트에서 돌거나 프로세스를 알 수 없습니다."
    title = "측정 구간"
    undone_end = "끝에 되돌림"
    not_undone_run = "이 실행이 되돌리지 않음"
    no_probe_saw = "서버를 본 프로브가 없습니다: {why}"
    for_samples = " (샘플 {samples}개)"
    watching_cost_cpu = "관찰에 CPU 시간 {amount:이} 들었습니다{samples}."
    never_heard = "{name:을} 한 번도 듣지 못했습니다 ({via})."
    observed_from_there = "{name:을} 거기서 관찰했습니다 ({via}): 시계는 ±{share} 안에서 하나입니다."
    as_permitted = "허용된 대로, {text}: {undone}."


class KoreanTuningSectionTexts:
    lead = "확인 단계의 trial만 판정합니다. 나머지는 무엇을 확인할지 골랐습니다."


class KoreanVerdictSectionTexts:
    base_setting = " (base 설정에서)"
    nothing_can = "아무 말도 할 수 없음"
    believe_care = "조심해서 믿을 것"
    trial_void_rig = "이 trial은 무효입니다: 측정 장치가 제대로 실행하지 못했습니다."
    every_goal_met = "; 모든 목표를 만족"
    goal_met = "; 목표를 만족"
    no_request_failed = "; 실패한 요청 없음"
    ends_untold = "; 요청이 어떻게 끝났는지는 파일에 없음"
    study_stopped_before = "study가 끝나기 전에 멈췄습니다: 계획보다 적은 블록"
    trial_void_rig_could = "trial이 무효입니다: 측정 장치가 제대로 실행하지 못했습니다."
    says_nothing_about_server = "서버에 대해 아무것도 말해 주지 않습니다."
    soaked = "{label}: {answer}"
    no_setting_can = "추천할 수 있는 설정이 없습니다."
    the_base = "base"
    every_trial_void = "모든 trial이 무효였습니다: 측정 장치가 제대로 실행하지 못했습니다."
    no_setting_met = "모든 목표를 만족한 설정이 없습니다."
    trials_do_not = "trial로는 설정들을 판가름할 수 없습니다."
    against_base = "base 대비"
    to_do = "할 일: {rstrip}."
    weaker_all_else = "약해진 것: {parts}. 나머지는 모두 유효합니다."
    intervals_wider = "구간이 {amount} 넓어졌습니다"
    says_nothing_about = "서버에 대해 아무것도 말해 주지 않습니다.{why}"
    not_load_asked = "요청받은 부하가 아니었습니다: {lower}."
    ended_by_loss = "부하 발생기 {generator}를 잃어 부하가 {after} 만에 일찍 끝났습니다."
    requests_answered_well = (
        "{tool:이} 요청 {requests}건을 보냈고, {achieved:이} 제대로 응답되었습니다{interval}"
    )
    requests_ended = "{tool:이} 요청 {requests}건을 보냈고, {achieved:이} 끝났습니다{interval}"
    got_good_answers = "{load:이} 성공한 응답 {achieved:을} 받았습니다{interval}"
    answered_well = "{offered} 중 {achieved:이} 제대로 응답되었습니다{interval}"
    was = "{text} (실제 {reached})"
    not_decided = "; 판단할 수 없음: {listed}"
    requests_failed_most = "{met}; 요청의 {share:가} 실패했고 대부분 {worst}"
    valid = "{plural} 유효{word}{others}"
    stay_nothing_tried = "{label:을} 그대로 두십시오{reached}; 시험한 것 중 더 낫다고 확인된 것이 없습니다."
    use = "{label:을} 쓰십시오{reached}{against_base}."
    against = ", {base} 대비 {effect}"
    within = ", {base}의 {margin} 이내"
    not_from = ", {base:과} 구별되지 않음"
    may_good = "마찬가지로 좋을 수 있음: {listed}."
    more_blocks_would = "블록 {costs}개가 더 있으면 판가름됩니다."
