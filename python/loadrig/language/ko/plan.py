class KoreanPlanExplainTexts:
    unpaced = "커넥션이 허용하는 만큼 빠르게: 응답을 받으면 바로 다시 요청합니다."
    at_random = "무작위 시각(Poisson)"
    evenly = "고른 간격"
    no_pause = "요청 사이에 쉬지 않음"
    anew_for_each = ", 사용자마다 처음부터"
    once_a_loop = ", loop마다 다음 값"
    shuffled = ", 무작위 순서"
    own_each = ", 사용자마다 자기 값"
    drawn_each = ", 사용자마다 한 번 뽑음"
    of_each_arrival = ", 요청의 번호에 해당하는 값"
    is_used = "사용되는 동안 유효하고"
    lasts_as_said = "응답이 말하는 동안 유효하고"
    new_connections = "요청마다 새 커넥션을 엽니다."
    as_long_as_it_takes = "걸리는 만큼"
    all_measured = "전부 측정"
    one_at_a_time = "한 번에 요청 하나"
    nothing_observed = "응답 말고는 아무것도 관찰하지 않습니다."
    its_host = "호스트"
    all_components = "서버와 이 머신에서 서버가 통신하는 것"
    at_the_end = "끝에"
    when_asked = "요청하면"
    all_of_them = "모두"
    either = " 또는 "
    both = ", "
    then = ", 그다음 "
    server = "서버: {what}."
    further_servers = "그 옆에서 부하를 받지만 관찰하지 않는 서버: {places}."
    one_trial = "trial 하나: {what}."

    # --- steps that answers decide --------------------------------------------------------------------
    is_value = "{variable} = {value}"
    is_no_value = "{variable} ≠ {value}"

    latest_was_good = "마지막 요청이 성공"
    latest_failed = "마지막 요청이 실패"

    def is_placed(self, variable: str, order: str, value: str) -> str:
        placed = {"above": ">", "at_least": "≥", "below": "<", "at_most": "≤"}
        return f"{variable} {placed[order]} {value}"

    def only_if(self, condition: str, through: str | None) -> str:
        return f" ({condition}일 때만{f', {through}까지' if through else ''})"

    def again_while(self, condition: str, through: str | None, most: str) -> str:
        return f" ({condition}인 동안 반복{f', {through}까지' if through else ''}, 많아야 {most}번)"

    def again_until(self, condition: str, through: str | None, most: str) -> str:
        return f" ({condition}일 때까지 반복{f', {through}까지' if through else ''}, 많아야 {most}번)"

    # --- arrivals -------------------------------------------------------------------------------------
    made_by = "이 기계의 부하 발생기 {generators}개가 부하를 나누어 만듭니다."
    dealt_here = "이 기계의 노드 {nodes}개에서 trial을 나란히 실행합니다."
    dealt_on_ray = "{address}에 있는 Ray의 호스트를 노드 {nodes}개로 삼아 trial을 나란히 실행합니다."
    made_on = "{address}에 있는 Ray의 호스트에서 부하 발생기 {generators}개가 부하를 나누어 만듭니다."
    closed = "closed 모델: {users}."
    shared_out = ", 사용자 {users}명에게 차례로 나눔"
    open_model = "open 모델: {rate}, {how}, 응답 여부와 관계없이 보냄{among}."
    sessions_in_stages = "초당 시작하는 세션: {stages}"
    sessions_at = "초당 세션 {rate}개 시작"
    partly_open = "partly open 모델: {level}, {how}. 각 세션은 {length} 뒤 떠납니다."
    times_as_fast = ", {speed}배 빠르게"
    replayed = "open 모델: {times}에 있는 시각에 요청을 보냅니다{speed}."
    replayed_by_name = "open 모델: {times}에 있는 시각마다 그 파일이 이름으로 정한 요청을 보냅니다{speed}."
    users_in_stages = "사용자 {stages}"
    users_in_steps = "사용자 {start}명, 그다음 {every}마다 {add}명씩 더해 {until}명까지"
    users = "사용자 {count:,}명"
    rate_in_stages = "초당 요청 {stages}"
    rate_in_steps = "초당 요청 {start}개, 그다음 {every}마다 {add}개씩 더해 {until}개까지"
    rate = "초당 요청 {rate}개"
    held = "{length} 동안 유지"

    def climb(self, to: str, over: str, is_first: bool) -> str:
        return f"{over} 동안 {'0에서 ' if is_first else ''}{to}까지"

    def jump(self, to: str, is_first: bool) -> str:
        return to if is_first else f"바로 {to}"

    hold_after_climb = ", 거기서 {length} 유지"
    hold_after_jump = " ({length} 동안)"
    rounds = "{count:,}회 반복"
    mean_rounds = " (평균 {mean}회)"
    rounds_until_enough = "매번 {stay}의 확률로 계속하며 반복{mean}"

    # --- requests -------------------------------------------------------------------------------------
    requests = "요청: {mix}{pause}."
    in_order = "매번 이 순서로: {steps}; {think}."
    ways = "서비스를 쓰는 시나리오: {ways}; {think}."
    feed_from = "{name}: {source}"
    feeds = "값: {feeds}."
    pause_between = "응답마다 {low}에서 {high} 사이로 쉼"
    pause_mean = "응답마다 평균 {mean} 쉼(지수 분포)"
    pause = "응답마다 {length} 쉼"
    column = ", 열 {column}"
    counter = "{first}부터 세는 카운터"
    at_random_between = "{low}에서 {high} 사이의 무작위 값"
    values = "값 {count}개"
    lasts = "{length} 동안 유효하고"
    less_at_random = " (무작위로 최대 {share} 짧게)"
    login = "각 사용자는 첫 요청 전에 로그인합니다({route}). 받은 것은 {until} {again} 응답을 받으면 다시 로그인합니다. 로그인은 서비스의 수치에서 뺍니다."
    most_connections = "커넥션은 최대 {most}개입니다."
    after_requests = "요청 {count}개 뒤"
    after_rounds = "모든 사용자가 {count}회 반복한 뒤"
    ends_early = "{ends}에 일찍 끝납니다."
    time_out = "{length}보다 오래 걸린 요청은 실패입니다."
    up_to_at_once = "동시에 요청 최대 {count}개"
    over_http2 = "HTTP/2로, 커넥션 하나에 {how}."

    def own_websocket(self, is_session: bool) -> str:
        who = "세션은" if is_session else "사용자는"
        return f"각 {who} 첫 메시지와 함께 자기 WebSocket을 열고 유지합니다."

    # --- trials, settings, goals ------------------------------------------------------------------------
    at_most = "최대 {length}"
    measured_after = "{length} 뒤부터 측정"
    trial_that_ends = "trial 하나: {length}, {after}."
    trial_measured = "trial 하나: {warming}{length} 측정."
    trial_until_known = "trial 하나: {warming}처리량을 {until}까지 알 때까지 {least}에서 {most} 측정."

    def warming(self, length: str, is_most: bool) -> str:
        return f"워밍업 {'최대 ' if is_most else ''}{length}, 그다음 "

    knobs = "knob: {knobs}."
    base = "base 설정: {setting}."
    where_is = "{name:이} {values}"
    only_where = " ({conditions}일 때만)"
    one_of = "{values} 중 하나"
    study = "study: {strategy}."
    one_in_all = "모두 trial 하나, {time}."
    cut_off = "{time}, {budget}에서 자름"
    some_settings = "study {strategy}: 설정 {settings}개 중 일부, trial 최대 {trials}개, {time}."
    each_once = "study {strategy}: 설정 {settings}개, 저마다 trial 하나, {time}."
    all_settings = "study {strategy}: 블록 {blocks}개에서 설정 {settings}개, base는 블록마다 두 번: trial {trials}개, {time}."
    of_route = "{route}의 {measure}"
    in_every = " ({length}마다)"
    goal_below = "{measure} {limit} 미만{over}"
    goal_above = "{measure} {limit} 초과{over}"
    wanted = "목표: {goals}."
    observed = "{every}마다 관찰: 호스트, 서버, 서버가 통신하는 것{more}."
    not_used = "; 쓰지 않음: {probes}"
    with_options = "; 옵션을 정한 것: {probes}"
    host_and_port = "호스트와 포트 {port}의 서버"
    host_and_process = "호스트와 서버(프로세스 {pid})"
    observed_there = "{name}에서도 `{via}`를 통해 관찰: {what}."
    profiled = "프로파일({when}), 매번 {length}: {what}."
    proved = "무엇이 한계인지 {when} 증명합니다. 최대 {budget}."
    tried_beside = "그때 설정과 함께 시도하는 것: {values}."
    may_be_touched = "측정 장치가 시작하지 않았지만 건드려도 되는 구성 요소: {components}."
    through = "{address:을} 거치는 {name}"
    may_be_delayed = "지연시켜도 되는 경로: {ways}."


class KoreanPlanKeyPagesTexts:
    kind = "plan의 키"
    value = "plan의 키가 받는 값"
    written = "쓸 수 있는 것"
    default = "기본값"
    example = "예"
